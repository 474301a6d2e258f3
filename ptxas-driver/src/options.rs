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
mod table;
#[cfg(test)]
mod tests;
mod value;

pub use command::{command, table_completions};
pub use help::help;
pub use message::{Message, Severity, UsageError};
pub use nvdwarf_compile::{FileStat, LineTableStyle, NvdwarfOptions, OPTIMIZED_DEBUG, PathMap};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
pub(crate) use value::path_map;

/// The last line of ptxas after `error` messages.
pub const ABORTED: &str = "Ptx assembly aborted due to errors";
/// The warning of ptxas for `-g -lineinfo`.
pub const CONFLICT: &str = "Conflicting options --device-debug and --generate-line-info specified, \
                        ignoring --generate-line-info option";

/// The input of `compile`: where the PTX comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// `-`
    Stdin,
    /// A file, as it was named.
    Path(PathBuf),
    /// `-ias`: the argument itself.
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

    /// The name of the input in messages. It is that of ptxas, except for standard input.
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
    /// No code: a debug-only object.
    None,
    /// A ptxas found on the machine: `auto`, the default, and `ptxas`.
    Ptxas,
    /// This existing cubin.
    Cubin(PathBuf),
}

/// The options of one compilation, without conflicts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one field for each option without an argument")]
pub struct Options {
    /// The input, the first of several.
    pub input: Input,
    /// The others. ptxas assembles them all into one cubin.
    pub more_inputs: Vec<Input>,
    /// `-o`; `elf.o` by default.
    pub output: PathBuf,
    /// What the compilation of one PTX text needs. Of a virtual architecture `arch` is the real one
    /// of that number; `line_info` is false where `-g` overrides it.
    pub compile: nvdwarf_compile::Options,
    /// `-arch` was given: nothing but `.note.nv.tkinfo` tells where it is the default.
    pub arch_given: bool,
    /// `-arch compute_90`, `-arch lto_90`: the name. The PTX is only checked, and nothing is
    /// written.
    pub virtual_arch: Option<String>,
    /// `-lineinfo` was given and `-g` overrides it: nothing but `.note.nv.tkinfo` tells.
    pub line_info_overridden: bool,
    /// `-v`
    pub verbose: bool,
    /// `-w`
    pub disable_warnings: bool,
    /// `-Werror`
    pub warnings_as_errors: bool,
    /// `-m 64` was given.
    pub machine: bool,
    /// `--code`
    pub code: CodeChoice,
    /// False after `--file-stat none`: the file system is not asked for times and sizes of other
    /// source files.
    pub stat_files: bool,
    /// `--stats`
    pub stats: bool,
    /// `--json`: a document of what was done goes to standard output.
    pub json: bool,
    /// Options that only the ptxas of `--code ptxas` understands, with their arguments, as they
    /// were written.
    pub passed: Vec<OsString>,
}

impl Options {
    /// Iterates over all inputs, in order.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        std::iter::once(&self.input).chain(&self.more_inputs)
    }

    /// Returns those options on the command line that ptxas does not have and that act on debug
    /// information, as they are typed.
    pub fn ours_given(&self) -> Vec<&'static str> {
        let NvdwarfOptions { keep_optimised, line_table, path_maps, embed_ptx } = &self.compile.extras;
        let given = [
            ("--debug-opt", *keep_optimised),
            ("--line-table", *line_table != LineTableStyle::Ptxas),
            ("--path-map", !path_maps.is_empty()),
            ("--file-stat", !self.stat_files || !self.compile.file_stats.is_empty()),
            ("--embed-ptx", !embed_ptx),
            ("--stats", self.stats),
        ];
        given.into_iter().filter_map(|(option, given)| given.then_some(option)).collect()
    }
}

/// The result of parsing the command line of `compile`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed {
    /// To compile.
    Compile(Box<Options>),
    /// To print [`help`](help()).
    Help,
    /// To print the version.
    Version,
    /// To print the PTX versions that the ptxas that makes the code reads.
    ListVersion,
}

/// How a ptxas reacts to an option that is in no table of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionAnswer {
    /// It does not know it either.
    Unknown,
    /// It takes it as it stands.
    Known,
    /// It wants an argument after it.
    WantsArgument,
}

/// Parses the arguments after `compile`. Opens the files of `--options-file`.
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
    ask: &dyn Fn(&OsStr) -> OptionAnswer,
) -> Result<(Parsed, Vec<Message>), UsageError> {
    if args.is_empty() {
        return Ok((Parsed::Help, Vec::new()));
    }
    parser::parse(args, ask)
}
