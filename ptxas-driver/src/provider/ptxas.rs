//! Has a ptxas of the machine make a cubin; [`search`] finds it.

mod search;

use crate::options::{Answer, CONFLICT, Input, Options};
pub use search::{Found, HOW_TO_GET_ONE, NotFound, find};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::{fmt, fs, io};

#[cfg(test)]
mod tests;

/// What a ptxas is asked to assemble.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// This file. Its messages name it as it is named here.
    File(&'a Path),
    /// All inputs of the command line, for one cubin. Standard input is read by the ptxas itself.
    Several,
    /// This text, from standard input; in its messages it is `<stdin>`.
    Text(&'a [u8]),
    /// This text, from the command line.
    Argument(&'a OsStr),
}

/// One run of a ptxas.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The PTX.
    pub source: Source<'a>,
    /// How it is to be compiled.
    pub options: &'a Options,
}

/// What a ptxas made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The cubin; empty where the architecture is a virtual one.
    pub cubin: Vec<u8>,
    /// What it printed on standard error: warnings, one a line. Often empty.
    pub messages: String,
}

/// A ptxas that made nothing.
#[derive(Debug)]
pub enum RunError {
    /// No temporary directory, or it could not be written.
    Temporary(io::Error),
    /// It could not be started.
    Start {
        /// The executable.
        ptxas: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It ended with something else than 0.
    Failed {
        /// The executable.
        ptxas: PathBuf,
        /// Its exit code, or the signal that ended it.
        status: ExitStatus,
        /// Its messages, to be forwarded as they are.
        messages: String,
    },
    /// It ended well but left no cubin.
    NoOutput {
        /// The executable.
        ptxas: PathBuf,
        /// Why none could be read.
        error: io::Error,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Temporary(error) => write!(f, "cannot write to a temporary directory: {error}"),
            Self::Start { ptxas, error } => write!(f, "cannot start {}: {error}", ptxas.display()),
            Self::Failed { ptxas, status, .. } => write!(f, "{} failed: {status}", ptxas.display()),
            Self::NoOutput { ptxas, error } => write!(f, "{} left no cubin: {error}", ptxas.display()),
        }
    }
}

impl std::error::Error for RunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Temporary(error) | Self::Start { error, .. } | Self::NoOutput { error, .. } => Some(error),
            Self::Failed { .. } => None,
        }
    }
}

/// Runs `ptxas` and returns the cubin it made.
///
/// It runs in the caller's working directory, against which ptxas looks up the source files of `.file`, and writes to a
/// temporary directory that is removed afterwards, whatever happened.
///
/// # Errors
///
/// [`RunError`]; a ptxas that fails says why itself, in [`RunError::Failed`].
pub fn run(ptxas: &Path, request: &Request<'_>) -> Result<Made, RunError> {
    let scratch = tempfile::Builder::new().prefix("nvdwarf-").tempdir().map_err(RunError::Temporary)?;
    // After -g, .note.nv.tkinfo tells the base names of both files.
    let (inputs, outputs) = (scratch.path().join("in"), scratch.path().join("out"));
    for folder in [&inputs, &outputs] {
        fs::create_dir(folder).map_err(RunError::Temporary)?;
    }
    let output = outputs.join(request.options.output.file_name().unwrap_or(OsStr::new("elf.o")));
    let typed = inputs.join("stdin");
    let mut command = Command::new(ptxas);
    command.args(options(request.options)).arg("-o").arg(&output);
    match request.source {
        Source::File(path) => command.arg(file_argument(path)),
        Source::Several => command.args(inputs_as_typed(request.options)),
        Source::Text(text) => {
            fs::write(&typed, text).map_err(RunError::Temporary)?;
            command.arg(&typed)
        }
        Source::Argument(text) => command.arg("-ias").arg(text),
    };
    let stdin = if reads_stdin(request) { Stdio::inherit() } else { Stdio::null() };
    let ran = start(ptxas, command.stdin(stdin))?;

    let mut messages = String::from_utf8_lossy(&ran.stderr).into_owned();
    if matches!(request.source, Source::Text(_)) {
        messages = messages.replace(&*typed.to_string_lossy(), &request.options.input.name());
    }
    if request.options.line_info_overridden {
        // We have said so. A line begins with the name of the ptxas, which may be ptxas-blackwell.
        let conflict = format!(" warning : {CONFLICT}\n");
        messages = messages.split_inclusive('\n').filter(|line| !line.ends_with(&conflict)).collect();
    }
    if !ran.status.success() {
        return Err(RunError::Failed { ptxas: ptxas.to_path_buf(), status: ran.status, messages });
    }
    if request.options.virtual_arch.is_some() {
        return Ok(Made { cubin: Vec::new(), messages });
    }
    let cubin =
        fs::read(&output).map_err(|error| RunError::NoOutput { ptxas: ptxas.to_path_buf(), error })?;
    Ok(Made { cubin, messages })
}

/// A name that starts with a dash would be an option.
fn file_argument(path: &Path) -> PathBuf {
    let is_option = path.as_os_str().as_encoded_bytes().starts_with(b"-");
    if is_option { Path::new(".").join(path) } else { path.to_path_buf() }
}

/// All inputs, as on our own command line.
fn inputs_as_typed(options: &Options) -> impl Iterator<Item = OsString> {
    options.inputs().flat_map(|input| match input {
        Input::Stdin => vec!["-".into()],
        Input::Path(path) => vec![file_argument(path).into_os_string()],
        Input::Text(text) => vec!["-ias".into(), text.clone()],
    })
}

/// Whether standard input is left to the ptxas.
fn reads_stdin(request: &Request<'_>) -> bool {
    matches!(request.source, Source::Several) && request.options.inputs().any(|input| *input == Input::Stdin)
}

/// Runs it so that it is not us again. Without a word about standard input `output` gives it none.
fn start(ptxas: &Path, command: &mut Command) -> Result<Output, RunError> {
    let ran = command.env(search::GUARD, ptxas).output();
    ran.map_err(|error| RunError::Start { ptxas: ptxas.to_path_buf(), error })
}

/// ptxas' command line, without the files.
fn options(options: &Options) -> Vec<OsString> {
    // With -g ptxas does not optimise. From lines we make the rest.
    let keeps = options.extras.keep_optimised;
    let flags = [
        ("-g", options.device_debug && !keeps),
        ("-lineinfo", options.line_info || options.line_info_overridden || keeps),
        ("-suppress-debug-info", options.suppress_debug_info),
        ("-c", options.compile_only),
        ("-v", options.verbose),
        ("-w", options.disable_warnings),
        ("-Werror", options.warnings_as_errors),
        ("-m64", options.machine),
    ];
    let arch = options.virtual_arch.clone().unwrap_or_else(|| options.arch.to_string());
    let mut words: Vec<OsString> = Vec::new();
    words.extend(options.arch_given.then(|| format!("-arch={arch}").into()));
    words.extend(flags.iter().filter(|(_, given)| *given).map(|(flag, _)| OsString::from(flag)));
    words.extend(options.opt_level.map(|level| format!("-O{level}").into()));
    words.extend(options.passed.iter().cloned());
    words
}

/// The exit code that a shell gives a program that ended so.
pub fn code_of(status: ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status).map(|signal| 128 + signal);
    #[cfg(not(unix))]
    let signal = None;
    status.code().or(signal)
}

/// What ptxas prints on standard output for one option, such as `--version`.
///
/// # Errors
///
/// [`RunError`]
pub fn printed(ptxas: &Path, option: &str) -> Result<String, RunError> {
    let ran = start(ptxas, Command::new(ptxas).arg(option))?;
    if !ran.status.success() {
        let messages = String::from_utf8_lossy(&ran.stderr).into_owned();
        return Err(RunError::Failed { ptxas: ptxas.to_path_buf(), status: ran.status, messages });
    }
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// Whether ptxas knows an option, as it was typed, an attached argument included.
///
/// Observed: ptxas 13.0.88 takes exception to an option before it misses an input file, for which it prints its help. One
/// that cannot be started knows nothing.
pub fn ask(ptxas: &Path, option: &OsStr) -> Answer {
    let Ok(ran) = start(ptxas, Command::new(ptxas).arg(option)) else { return Answer::Unknown };
    let messages = String::from_utf8_lossy(&ran.stderr);
    match (ran.status.success(), messages) {
        (false, said) if said.contains("Unknown option") => Answer::Unknown,
        (false, said) if said.contains("argument expected after") && !said.contains("no argument") => {
            Answer::WantsArgument
        }
        _ => Answer::Known,
    }
}
