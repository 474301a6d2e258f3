//! The command line of `compile`: ptxas' own grammar and messages, and two options of ours.
//!
//! Every rule here was taken from ptxas 13.0.88 by asking it (`docs/conformance.md` lists where we differ). clap has no
//! single-dash long options, so ptxas' `-arch` and `-lineinfo` are parsed here, from one table ([`table`]).

mod table;
#[cfg(test)]
mod tests;
mod value;

use crate::arch::{self, Arch, NotAnArch};
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Write as _};
use std::path::PathBuf;
use table::{Arg, Id, Spec};
use value::{code, file_stat, is_digits, number, split_at_equals};

/// ptxas' message for `-g` with a level above 0, and for `.target debug` PTX with one.
pub const OPTIMIZED_DEBUG: &str = "Optimized debugging not supported";
/// ptxas' warning for `--suppress-debug-info` where neither an option nor the PTX asks for debug information.
pub const NOTHING_TO_SUPPRESS: &str = "Option suppress-debug-info requires option device-debug or lineinfo; \
                                       ignoring since latter is not specified";
/// ptxas' last line after `error` messages.
pub const ABORTED: &str = "Ptx assembly aborted due to errors";
const CONFLICT: &str = "Conflicting options --device-debug and --generate-line-info specified, \
                        ignoring --generate-line-info option";

/// Where the PTX comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// `-`
    Stdin,
    /// A file, as it was named.
    Path(PathBuf),
}

/// `--code`: which code provider to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeChoice {
    /// A ptxas if there is one, else none.
    Auto,
    /// No code: a debug-only object.
    None,
    /// A ptxas found on the machine.
    Ptxas,
    /// This existing cubin.
    Cubin(PathBuf),
}

/// `--file-stat`: what `stat` would say of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStat {
    /// The path exactly as in the PTX's `.file`.
    pub path: String,
    /// Seconds since 1970.
    pub mtime: u64,
    /// Bytes.
    pub size: u64,
}

/// One compile, conflicts resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one field for each option without an argument")]
pub struct Options {
    /// The one input.
    pub input: Input,
    /// `-o`; `elf.o` by default.
    pub output: PathBuf,
    /// `-arch`; `sm_75` by default.
    pub arch: Arch,
    /// `-g`
    pub device_debug: bool,
    /// `-lineinfo`; false where `-g` overrides it.
    pub line_info: bool,
    /// `--suppress-debug-info`. What it acts on depends on the PTX too: see [`NOTHING_TO_SUPPRESS`].
    pub suppress_debug_info: bool,
    /// `-c`
    pub compile_only: bool,
    /// `-v`
    pub verbose: bool,
    /// `-w`
    pub disable_warnings: bool,
    /// `-Werror`
    pub warnings_as_errors: bool,
    /// `-O`, any 32-bit number, as for ptxas; `None` where not given. PTX with `.target debug` allows only 0 and
    /// `None`: see [`OPTIMIZED_DEBUG`].
    pub opt_level: Option<i32>,
    /// `-m 64` was given.
    pub machine: bool,
    /// `--code`
    pub code: CodeChoice,
    /// Each `--file-stat`, in order; a later one for the same path replaces an earlier one.
    pub file_stats: Vec<FileStat>,
}

/// What the command line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed {
    /// To compile.
    Compile(Box<Options>),
    /// To print [`help`].
    Help,
    /// To print the version.
    Version,
}

/// ptxas' four kinds of message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// An aside, or a hint of ours.
    Info,
    /// Something was ignored.
    Warning,
    /// The exit code will be 255.
    Error,
    /// The end, exit code 255.
    Fatal,
}

/// One message line. Displayed as ptxas does after its own name: `fatal   : Unknown option 'foo'`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// How bad.
    pub severity: Severity,
    /// ptxas' wording where ptxas has one.
    pub text: String,
}

/// A command line that cannot be obeyed (exit code 255): every message to print, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageError {
    /// Warnings that came before, then the error, then perhaps a hint. Not empty.
    pub messages: Vec<Message>,
}

/// Reads the arguments after `compile`.
///
/// Returns the warnings to print first, even where the command is `--help`.
///
/// # Errors
///
/// The first bad argument from the left, then conflicts between options, as ptxas orders them.
pub fn parse(args: &[OsString]) -> Result<(Parsed, Vec<Message>), UsageError> {
    if args.is_empty() {
        return Ok((Parsed::Help, Vec::new()));
    }
    let mut parser = Parser::default();
    match parser.read(args).and_then(|()| parser.finish()) {
        Ok(parsed) => Ok((parsed, parser.messages)),
        Err(Stop { text, hint }) => {
            let mut messages = parser.messages;
            messages.push(Message { severity: Severity::Fatal, text });
            messages.extend(hint.map(|text| Message { severity: Severity::Info, text }));
            Err(UsageError { messages })
        }
    }
}

/// `--help` of `compile`, made from the table.
pub fn help() -> String {
    let mut text = String::from(
        "Compiles PTX to a cubin with debug sections, with ptxas' own options.\n\n\
         Usage: ptxas-driver [compile] [options] <ptx file | ->\n",
    );
    for (title, specs) in [("Options of ptxas", table::PTXAS), ("Options of ours", table::OURS)] {
        let _ = write!(text, "\n{title}\n\n");
        for spec in specs {
            let short = if spec.short.is_empty() { String::new() } else { format!("(-{})", spec.short) };
            let left = format!("--{} {}", spec.long, spec.arg.placeholder());
            let _ = writeln!(text, "{}", format!("{left:<40}{short}").trim_end());
            wrap(&mut text, spec.what);
        }
    }
    text.push_str(
        "\nAn option's argument follows it or an equals sign: -arch sm_90, -arch=sm_90, --gpu-name=sm_90. \n\
         -O3 and -m64 may be written together.\n\
         \nExamples\n\n        \
         ptxas-driver -g -arch sm_90 in.ptx -o out.cubin\n        \
         ptxas-driver -lineinfo -arch sm_90 --code none in.ptx -o out.debug\n        \
         ptxas-driver -lineinfo -arch sm_90 --code cubin:old.cubin - < in.ptx\n\
         \nExit status\n\n        \
         0 when the output was written whole; 255 when it was not, and then nothing was.\n",
    );
    text.replace(" \n", "\n")
}

/// Appends `what` in lines of at most 100 columns, indented by 8.
fn wrap(text: &mut String, what: &str) {
    let mut column = usize::MAX;
    for word in what.split_whitespace() {
        if column.saturating_add(word.len() + 1) > 100 {
            text.push_str(if column == usize::MAX { "       " } else { "\n       " });
            column = 7;
        }
        text.push(' ');
        text.push_str(word);
        column += word.len() + 1;
    }
    text.push('\n');
}

/// The fatal message that ends parsing, and a hint of ours.
struct Stop {
    text: String,
    hint: Option<String>,
}

fn stop<T>(text: impl Into<String>) -> Result<T, Stop> {
    Err(Stop { text: text.into(), hint: None })
}

#[derive(Default)]
struct Parser {
    messages: Vec<Message>,
    /// Options without an argument that were given.
    flags: Vec<Id>,
    inputs: Vec<OsString>,
    arch: Option<Arch>,
    code: Option<CodeChoice>,
    machine: Option<i32>,
    opt_level: Option<i32>,
    output: Option<PathBuf>,
    file_stats: Vec<FileStat>,
}

impl Parser {
    fn read(&mut self, args: &[OsString]) -> Result<(), Stop> {
        let mut args = args.iter().peekable();
        while let Some(arg) = args.next() {
            let bytes = arg.as_encoded_bytes();
            if bytes == b"-" || !bytes.starts_with(b"-") {
                self.inputs.push(arg.clone());
                continue;
            }
            let (typed, attached) = split_at_equals(arg);
            let (spec, attached) = find(&typed, attached)?;
            let value = match (spec.arg, attached) {
                (Arg::None, None) => {
                    self.flags.push(spec.id);
                    continue;
                }
                (Arg::None, Some(_)) => return stop(format!("no argument expected after '{typed}'")),
                (Arg::Value(_) | Arg::Number(_) | Arg::Level(_), Some(value)) => value,
                (Arg::Level(_), None) if spec.is_short(&typed) => {
                    args.next_if(|next| is_digits(next)).cloned().unwrap_or_default()
                }
                (Arg::Value(_) | Arg::Number(_) | Arg::Level(_), None) => match args.next() {
                    Some(value) => value.clone(),
                    None => return stop(format!("argument expected after '{typed}'")),
                },
            };
            self.set(spec, &value)?;
        }
        Ok(())
    }

    fn set(&mut self, spec: &Spec, value: &OsStr) -> Result<(), Stop> {
        let shown = value.to_string_lossy();
        let undefined = |hint: Option<String>| {
            let text = format!("Value '{shown}' is not defined for option '{}'", spec.long);
            Err(Stop { text, hint })
        };
        let redefined = match spec.id {
            Id::Arch => match Arch::parse(&shown) {
                Ok(arch) => replace(&mut self.arch, arch),
                Err(NotAnArch::Unknown) => return undefined(Some(known_archs())),
                Err(NotAnArch::Virtual) => {
                    return Err(Stop {
                        text: format!("virtual architecture '{shown}' is not supported yet"),
                        hint: Some("ptxas only checks the PTX for it and writes nothing".into()),
                    });
                }
            },
            Id::Machine if shown.is_empty() => return undefined(None),
            Id::Machine => match number(&shown).or_else(stop)? {
                64 => replace(&mut self.machine, 64),
                _ => return undefined(None),
            },
            Id::OptLevel => replace(&mut self.opt_level, number(&shown).or_else(stop)?),
            Id::Output => replace(&mut self.output, PathBuf::from(value)),
            Id::Code => match code(value) {
                Some(choice) => replace(&mut self.code, choice),
                None => return undefined(Some("expected none, auto, ptxas or cubin:FILE".into())),
            },
            Id::FileStat => match file_stat(&shown) {
                Some(stat) => {
                    self.file_stats.push(stat);
                    false
                }
                None => return stop(format!("'{shown}': expected FILE=MTIME,SIZE after '--file-stat'")),
            },
            _ => false,
        };
        if redefined {
            let text = format!(
                "incompatible redefinition for option '{}', the last value of this option was used",
                spec.long
            );
            self.messages.push(Message { severity: Severity::Warning, text });
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Parsed, Stop> {
        let has = |id| self.flags.contains(&id);
        if has(Id::Help) {
            return Ok(Parsed::Help);
        }
        if has(Id::Version) {
            return Ok(Parsed::Version);
        }
        let input = match self.inputs.as_slice() {
            [] => return Err(Stop { text: "no input file".into(), hint: Some("see --help".into()) }),
            [input] if input == "-" => Input::Stdin,
            [input] => Input::Path(input.into()),
            [first, second, ..] => {
                return stop(format!(
                    "several input files ('{}', '{}') are not supported yet: one PTX file a run",
                    first.display(),
                    second.display()
                ));
            }
        };
        let device_debug = has(Id::DeviceDebug);
        let options = Options {
            input,
            output: self.output.take().unwrap_or_else(|| "elf.o".into()),
            arch: self.arch.unwrap_or(arch::DEFAULT),
            device_debug,
            line_info: has(Id::LineInfo) && !device_debug,
            suppress_debug_info: has(Id::SuppressDebugInfo),
            compile_only: has(Id::CompileOnly),
            verbose: has(Id::Verbose),
            disable_warnings: has(Id::DisableWarnings),
            warnings_as_errors: has(Id::WarningsAsErrors),
            opt_level: self.opt_level,
            machine: self.machine.is_some(),
            code: self.code.take().unwrap_or(CodeChoice::Auto),
            file_stats: std::mem::take(&mut self.file_stats),
        };
        let conflict = device_debug && has(Id::LineInfo) && !options.disable_warnings;
        if conflict {
            let severity = if options.warnings_as_errors { Severity::Error } else { Severity::Warning };
            self.messages.push(Message { severity, text: CONFLICT.into() });
        }
        if device_debug && options.opt_level.is_some_and(|level| level != 0) {
            return stop(OPTIMIZED_DEBUG);
        }
        if conflict && options.warnings_as_errors {
            return stop(ABORTED);
        }
        Ok(Parsed::Compile(Box::new(options)))
    }
}

/// Stores a value; true where another one was there.
fn replace<T: PartialEq>(slot: &mut Option<T>, value: T) -> bool {
    let redefined = slot.as_ref().is_some_and(|old| *old != value);
    *slot = Some(value);
    redefined
}

/// The option that `typed` (dashes included) names, and its value where that is attached.
fn find(typed: &str, value: Option<OsString>) -> Result<(&'static Spec, Option<OsString>), Stop> {
    if let Some(spec) = table::all().find(|spec| spec.is_long(typed) || spec.is_short(typed)) {
        return Ok((spec, value));
    }
    let not_yet = |&&(long, short): &&(&str, &str)| {
        typed.strip_prefix("--") == Some(long) || typed.strip_prefix('-') == Some(short)
    };
    if let Some((long, _)) = table::NOT_YET.iter().find(not_yet) {
        return stop(format!("option '--{long}' of ptxas is not supported yet"));
    }
    // -O3, -m64: only after every whole name, so that -machine would win over -m and `achine`.
    let number = |spec: &&Spec| {
        let digits = typed.strip_prefix('-').and_then(|name| name.strip_prefix(spec.short));
        matches!(spec.arg, Arg::Number(_) | Arg::Level(_)) && value.is_none() && digits.is_some()
    };
    if let Some(spec) = table::PTXAS.iter().find(number) {
        return Ok((spec, typed.get(1 + spec.short.len()..).map(OsString::from)));
    }
    let name = typed.strip_prefix('-').unwrap_or(typed);
    Err(Stop {
        text: format!("Unknown option '{name}'"),
        hint: table::nearest(typed).map(|nearest| format!("did you mean '{nearest}'?")),
    })
}

fn known_archs() -> String {
    let names: Vec<String> = Arch::all().map(|arch| arch.to_string()).collect();
    format!("known: {}", names.join(", "))
}

impl Spec {
    fn is_long(&self, typed: &str) -> bool {
        typed.strip_prefix("--") == Some(self.long)
    }

    fn is_short(&self, typed: &str) -> bool {
        !self.short.is_empty() && typed.strip_prefix('-') == Some(self.short)
    }
}

impl Arg {
    fn placeholder(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Value(name) | Self::Number(name) | Self::Level(name) => name,
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
            Severity::Fatal => "fatal",
        };
        write!(f, "{severity:<8}: {}", self.text)
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, message) in self.messages.iter().enumerate() {
            write!(f, "{}{message}", if i == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for UsageError {}
