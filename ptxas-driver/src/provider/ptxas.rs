//! Runs a ptxas of this machine to make a cubin; [`search`] finds it.

mod search;

use crate::cleanup::{PrivateFolder, child, write_private};
use crate::input;
use crate::options::{CONFLICT, Input, OptionAnswer, Options, PtxasWord};
use nv_debug_sections::release::Release;
pub use search::{FoundPtxas, HOW_TO_GET_ONE, NAMES, NoPtxasFound, SET_ASIDE, find, is_us, why_not};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use thiserror::Error;

#[cfg(test)]
mod tests;

/// The input of a ptxas run.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// ptxas reads this file, and its messages name it by this path.
    File(&'a Path),
    /// ptxas reads all inputs of the command line, for one cubin. It reads standard input itself.
    Several,
    /// ptxas reads this text, which came from standard input; its messages call it `<stdin>`.
    Text(&'a [u8]),
    /// ptxas gets this text as an argument (`-ias`), as it came from the command line.
    Argument(&'a OsStr),
}

/// One run of a ptxas: its input and options.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The PTX that ptxas is to compile.
    pub source: Source<'a>,
    /// The options of the compilation.
    pub options: &'a Options,
    /// Whether ptxas is to write the output file itself, since it cannot, and says so in its words.
    pub names_output: bool,
}

/// Why a run of ptxas made no cubin.
#[derive(Debug, Error)]
pub enum RunError {
    /// There is no temporary directory for the output of ptxas, or it cannot be written.
    #[error("cannot write to a temporary directory: {0}")]
    Temporary(#[source] io::Error),
    /// The ptxas cannot be started.
    #[error("cannot start {}: {error}", ptxas.display())]
    Start {
        /// The path of the ptxas.
        ptxas: PathBuf,
        /// Why the ptxas cannot be started.
        #[source]
        error: io::Error,
    },
    /// The ptxas ended with an exit code other than 0, or by a signal.
    #[error("{} failed: {status}", ptxas.display())]
    Failed {
        /// The path of the ptxas.
        ptxas: PathBuf,
        /// The exit code of the ptxas, or the signal that ended it.
        status: ExitStatus,
        /// Whether the ptxas printed a reason.
        has_spoken: bool,
    },
    /// The ptxas ended with exit code 0 but left no readable cubin.
    #[error("{} left no cubin: {error}", ptxas.display())]
    NoOutput {
        /// The path of the ptxas.
        ptxas: PathBuf,
        /// Why no cubin could be read.
        #[source]
        error: io::Error,
    },
}

/// Runs `ptxas` and returns the cubin that it made; `None` if the architecture is a virtual one.
/// `tell` is called with each line that ptxas prints on standard error.
///
/// It runs in the caller's working directory, against which ptxas looks up the source files of
/// `.file`, and writes to a temporary directory that is removed afterwards, whatever happened.
///
/// # Errors
///
/// [`RunError`]; a ptxas that fails says why itself, which `tell` has got.
pub fn run(
    ptxas: &Path,
    request: &Request<'_>,
    tell: &mut dyn FnMut(&[u8]),
) -> Result<Option<Vec<u8>>, RunError> {
    let scratch = PrivateFolder::new().map_err(RunError::Temporary)?;
    // After -g, .note.nv.tkinfo tells the base names of both files.
    let inputs = scratch.make_folder("in").map_err(RunError::Temporary)?;
    let outputs = scratch.make_folder("out").map_err(RunError::Temporary)?;
    let mut output = outputs.join(request.options.output.file_name().unwrap_or(OsStr::new("elf.o")));
    if request.names_output {
        output.clone_from(&request.options.output);
    } else {
        // ptxas 13.0.88 writes into a file that is there, which stays private then.
        write_private(&output, b"").map_err(RunError::Temporary)?;
    }
    let typed = inputs.join("stdin");
    let mut command = command(ptxas);
    command.args(options(request.options)).arg("-o").arg(&output);
    match request.source {
        Source::File(path) => command.arg(file_argument(path)),
        Source::Several => command.args(inputs_as_typed(request.options)),
        Source::Text(text) => {
            write_private(&typed, text).map_err(RunError::Temporary)?;
            command.arg(&typed)
        }
        Source::Argument(text) => command.arg("-ias").arg(text),
    };
    let reads_stdin = reads_stdin(request);
    command.stdin(if reads_stdin { Stdio::inherit() } else { Stdio::null() }).stdout(Stdio::null());

    let name = request.options.input.name();
    let typed = typed.to_string_lossy();
    let conflict = format!(" warning : {CONFLICT}");
    let mut has_spoken = false;
    let mut forward = |line: &[u8]| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        // We have said so. A line begins with the name of the ptxas, which may be ptxas-blackwell.
        if request.options.line_info_overridden && line.ends_with(conflict.as_bytes()) {
            return;
        }
        has_spoken = true;
        match request.source {
            Source::Text(_) if memchr::memmem::find(line, typed.as_bytes()).is_some() => {
                tell(String::from_utf8_lossy(line).replace(&*typed, &name).as_bytes());
            }
            _ => tell(line),
        }
    };
    let ended = child::run(&mut command, reads_stdin && child::has_terminal(), &mut forward);
    let status = ended.map_err(|error| RunError::Start { ptxas: ptxas.to_path_buf(), error })?;
    if !status.success() {
        return Err(RunError::Failed { ptxas: ptxas.to_path_buf(), status, has_spoken });
    }
    if request.options.virtual_arch.is_some() {
        return Ok(None);
    }
    let made = input::read(&output);
    let made =
        made.and_then(|made| if made.is_empty() { Err(ErrorKind::NotFound.into()) } else { Ok(Some(made)) });
    made.map_err(|error| RunError::NoOutput { ptxas: ptxas.to_path_buf(), error })
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

/// A command line of a ptxas, which is not us again and ends with us.
fn command(ptxas: &Path) -> Command {
    let mut command = child::command(ptxas.as_os_str());
    command.env(search::GUARD, ptxas);
    command
}

/// Runs a ptxas with one option, and no file.
fn capture(ptxas: &Path, option: &OsStr) -> Result<child::Captured, RunError> {
    start_captured(ptxas, command(ptxas).arg(option).stdin(Stdio::null()))
}

fn start_captured(ptxas: &Path, command: &mut Command) -> Result<child::Captured, RunError> {
    child::capture(command).map_err(|error| RunError::Start { ptxas: ptxas.to_path_buf(), error })
}

/// Runs a ptxas on a command line as it was typed, for what it says of it. The files that it is to
/// write go to a temporary directory that is removed afterwards.
///
/// # Errors
///
/// [`RunError::Temporary`] and [`RunError::Start`].
pub fn answer(ptxas: &Path, words: &[PtxasWord]) -> Result<child::Captured, RunError> {
    let scratch = PrivateFolder::new().map_err(RunError::Temporary)?;
    let mut outputs: Vec<&OsStr> = Vec::new();
    let mut command = command(ptxas);
    // Before the others: the last word may be one that misses its argument.
    if !words.iter().any(|word| matches!(word, PtxasWord::Output(_))) {
        command.arg("-o").arg(scratch.path().join("elf.o"));
    }
    for word in words {
        match word {
            PtxasWord::Typed(word) => _ = command.arg(word),
            PtxasWord::Output(name) => {
                // ptxas warns of two that differ.
                let number = outputs.iter().position(|other| other == name).unwrap_or(outputs.len());
                outputs.push(name);
                command.arg("-o").arg(scratch.path().join(number.to_string()));
            }
        }
    }
    let reads_stdin = words.iter().any(|word| matches!(word, PtxasWord::Typed(word) if word == "-"));
    command.stdin(if reads_stdin { Stdio::inherit() } else { Stdio::null() });
    start_captured(ptxas, &mut command)
}

/// ptxas' command line, without the files.
fn options(options: &Options) -> Vec<OsString> {
    // With -g ptxas does not optimise. From lines we make the rest.
    let keeps = options.compile.extras.keep_optimised;
    let flags = [
        ("-g", options.compile.device_debug && !keeps),
        ("-lineinfo", options.compile.line_info || options.line_info_overridden || keeps),
        ("-suppress-debug-info", options.compile.suppress_debug_info),
        ("-c", options.compile.relocatable),
        ("-v", options.verbose),
        ("-w", options.disable_warnings),
        ("-Werror", options.warnings_as_errors),
        ("-m64", options.machine),
    ];
    let arch = options.virtual_arch.clone().unwrap_or_else(|| options.compile.arch.to_string());
    let mut words: Vec<OsString> = Vec::new();
    words.extend(options.arch_given.then(|| format!("-arch={arch}").into()));
    words.extend(flags.iter().filter(|(_, given)| *given).map(|(flag, _)| OsString::from(flag)));
    words.extend(options.compile.opt_level.map(|level| format!("-O{level}").into()));
    words.extend(options.passed.iter().cloned());
    words
}

/// Returns the exit code that a shell reports for an exit status, also for one by a signal.
pub fn code_of(status: ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status).map(|signal| 128 + signal);
    #[cfg(not(unix))]
    let signal = None;
    status.code().or(signal)
}

/// Returns what ptxas prints on standard output for one option, such as `--version`.
///
/// # Errors
///
/// [`RunError`]
pub fn printed(ptxas: &Path, option: &str) -> Result<String, RunError> {
    let ran = capture(ptxas, OsStr::new(option))?;
    if !ran.status.success() {
        let has_spoken = !ran.stderr.is_empty();
        return Err(RunError::Failed { ptxas: ptxas.to_path_buf(), status: ran.status, has_spoken });
    }
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// Asks a ptxas for its CUDA release; the answer is the newest known release if its own is newer.
/// `None` if the ptxas cannot be started, or names no release.
pub fn release(ptxas: &Path) -> Option<Release> {
    let printed = printed(ptxas, "--version").ok()?;
    let (_, rest) = printed.split_once("release ")?;
    let (name, _) = rest.split_once(',')?;
    let newest = || Release::is_newer_version(name).then_some(Release::NEWEST);
    Release::of_version(name).or_else(newest)
}

/// Asks a ptxas whether it knows an option, which is passed as it was typed, with an attached
/// argument.
///
/// Observed: ptxas 13.0.88 takes exception to an option before it misses an input file, for which
/// it prints its help. One that cannot be started knows nothing.
pub fn ask(ptxas: &Path, option: &OsStr) -> OptionAnswer {
    let Ok(ran) = capture(ptxas, option) else { return OptionAnswer::Unknown };
    match (ran.status.success(), String::from_utf8_lossy(&ran.stderr)) {
        (false, said) if said.contains("Unknown option") => OptionAnswer::Unknown,
        (false, said) if said.contains("argument expected after") && !said.contains("no argument") => {
            OptionAnswer::WantsArgument
        }
        _ => OptionAnswer::Known,
    }
}
