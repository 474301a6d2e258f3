//! The command line of `compile`: ptxas' own grammar and messages, and a few more options.
//!
//! Every rule here was taken from ptxas 13.0.88 by asking it (`docs/conformance.md` lists where we
//! differ). clap has no single-dash long options, so ptxas' `-arch` and `-lineinfo` are parsed
//! here, from one table ([`table`]). Options of ptxas that do not concern debug information are
//! kept as they stand for the code provider.

mod command;
mod file;
mod help;
mod message;
mod parser;
mod question;
mod table;
#[cfg(test)]
mod tests;
mod value;

pub use command::{command, table_completions};
pub use help::help;
pub use message::{Message, PtxasQuestion, PtxasWord, Severity, UsageError};
pub use nvdwarf_compile::{FileStat, LineTableStyle, NvdwarfOptions, OPTIMIZED_DEBUG, PathMap};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
pub(crate) use value::path_map_argument;

/// The last message of ptxas after messages of severity `error`.
pub const ABORTED: &str = "Ptx assembly aborted due to errors";
/// The warning of ptxas for the options `-g -lineinfo` together.
pub const CONFLICT: &str = "Conflicting options --device-debug and --generate-line-info specified, \
                        ignoring --generate-line-info option";

/// The input of `compile`: where the PTX comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// The PTX comes from standard input: `-`.
    Stdin,
    /// The PTX comes from a file; the path is as the user wrote it.
    Path(PathBuf),
    /// The PTX is the argument of `-ias` itself.
    Text(OsString),
}

impl Input {
    /// Whether it is a file that cannot be opened.
    fn is_missing(&self) -> bool {
        // To open a pipe would wait for its writer.
        let cannot_open = |path: &PathBuf| match std::fs::metadata(path) {
            Ok(metadata) => metadata.is_file() && std::fs::File::open(path).is_err(),
            Err(_) => true,
        };
        matches!(self, Self::Path(path) if cannot_open(path))
    }

    /// The name of the input in messages. It is the name that ptxas uses, except for standard
    /// input.
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "<stdin>".to_owned(),
            Self::Path(path) => path.display().to_string(),
            Self::Text(_) => "application ptx input".to_owned(),
        }
    }
}

/// The value of `--code`: where the machine code comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeChoice {
    /// No machine code is made: the output is a debug-only object.
    None,
    /// The machine code comes from a ptxas on this machine: `auto`, the default, and `ptxas`.
    Ptxas,
    /// The machine code comes from this existing cubin.
    Cubin(PathBuf),
}

/// The value of `--messages`: in whose words the faults of a PTX are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageStyle {
    /// In the lines that ptxas prints.
    Ptxas,
    /// In those of this program, with the line at fault.
    Ours,
    /// First in the lines of ptxas, then in ours.
    Both,
}

/// The options of one run of `compile`, with conflicts between them resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one field for each option without an argument")]
pub struct Options {
    /// The input of the compilation, or the first of several.
    pub input: Input,
    /// The inputs after the first. ptxas assembles all inputs into one cubin.
    pub more_inputs: Vec<Input>,
    /// The output file of `-o`; `elf.o` by default.
    pub output: PathBuf,
    /// The options for the compilation of one PTX text. For a virtual architecture, `arch` is the
    /// real one of that number; `line_info` is false where `-g` overrides it.
    pub compile: nvdwarf_compile::Options,
    /// Whether `-arch` was given. If it names the default, only `.note.nv.tkinfo` shows that.
    pub arch_given: bool,
    /// The name of the virtual architecture, as in `-arch compute_90` and `-arch lto_90`. The PTX
    /// is then only checked, and nothing is written.
    pub virtual_arch: Option<String>,
    /// Whether `-lineinfo` was given and `-g` overrides it. Only `.note.nv.tkinfo` shows that.
    pub line_info_overridden: bool,
    /// Whether `-v` was given, which prints what ptxas prints and a summary.
    pub verbose: bool,
    /// Whether `-w` was given, which prints no warnings.
    pub disable_warnings: bool,
    /// Whether `-Werror` was given, which turns warnings into errors.
    pub warnings_as_errors: bool,
    /// Whether `-m 64` was given, the size of host pointers.
    pub machine: bool,
    /// The value of `--code`: where the machine code comes from.
    pub code: CodeChoice,
    /// Whether times and sizes of source files are read from the file system; false after
    /// `--file-stat none`. Times are those of `compile` where that has one for every file.
    pub stat_files: bool,
    /// The value of `--messages`; `None` where it was not given.
    pub message_style: Option<MessageStyle>,
    /// Whether `--stats` was given, which prints statistics of the compilation.
    pub stats: bool,
    /// Whether `--json` was given, which writes a JSON document about the compilation to standard
    /// output.
    pub json: bool,
    /// The options files that were read, in the order in which they were named.
    pub options_files: Vec<PathBuf>,
    /// Options that only the ptxas of `--code ptxas` understands, with their arguments, as the user
    /// wrote them.
    pub passed: Vec<OsString>,
}

impl Options {
    /// Iterates over all inputs of the compilation, in the order of the command line.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        std::iter::once(&self.input).chain(&self.more_inputs)
    }

    /// Returns the options on the command line that change debug information and that ptxas does
    /// not have, as they are written.
    pub fn ours_given(&self) -> Vec<&'static str> {
        let NvdwarfOptions { keep_optimised, line_table, path_maps, embed_ptx, time_of_files } =
            &self.compile.extras;
        let given = [
            ("--debug-opt", *keep_optimised),
            ("--line-table", *line_table != LineTableStyle::Ptxas),
            ("--path-map", !path_maps.is_empty()),
            (
                "--file-stat",
                !self.stat_files || time_of_files.is_some() || !self.compile.file_stats.is_empty(),
            ),
            ("--embed-ptx", !embed_ptx),
            ("--stats", self.stats),
        ];
        given.into_iter().filter_map(|(option, given)| given.then_some(option)).collect()
    }
}

/// The result of parsing the command line of `compile`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed {
    /// The command line asks to compile with these options.
    Compile(Box<Options>),
    /// The command line asks to print [`help`](help()).
    Help,
    /// The command line asks to print the version.
    Version,
    /// The command line asks to print the PTX versions that the ptxas of the compilation reads.
    ListVersion,
}

/// How a ptxas reacts to an option that this program does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionAnswer {
    /// The ptxas does not know the option either.
    Unknown,
    /// The ptxas accepts the option without another argument.
    Known,
    /// The ptxas wants an argument after the option.
    WantsArgument,
}

/// The environment variable with options that are read before those of the command line. Programs
/// that call a ptxas, such as nvcc, store the options that they give; these they do not see.
pub const ENVIRONMENT: &str = "NVDWARF_OPTIONS";

/// Parses the command line arguments after `compile`, and reads the files of `--options-file`.
/// `environment` is the value of [`ENVIRONMENT`], split as such a file; where the command line
/// says otherwise, it wins.
///
/// `ask` is asked about each option that is in no table, as it was typed: ptxas has more options
/// than it tells.
///
/// Returns the warnings to print first, even where the command is `--help`.
///
/// # Errors
///
/// The first bad argument from the left, then conflicts between options, as ptxas orders them.
pub fn parse(
    args: &[OsString],
    environment: Option<&OsStr>,
    ask: &dyn Fn(&OsStr) -> OptionAnswer,
) -> Result<(Parsed, Vec<Message>), UsageError> {
    match parser::parse(args, environment, ask) {
        // Where its lines are wanted, a ptxas prints its own help.
        Err(error) if args.is_empty() && error.question.is_none() => Ok((Parsed::Help, Vec::new())),
        parsed => parsed,
    }
}
