//! Finds a ptxas on the machine and has it make a cubin.

use crate::options::{Answer, CONFLICT, Input, Options};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::{env, fmt, fs, io};

#[cfg(test)]
mod tests;

/// Set for every ptxas we start, so that a wrapper named `ptxas` that starts us again ends there.
const GUARD: &str = "NVDWARF_INSIDE_PTXAS";

/// What `tools/toolkit.sh` calls the ptxas in whose place it puts us.
const SET_ASIDE: &str = "ptxas.nvidia";
/// The rule that finds it.
const BESIDE: &str = "ptxas.nvidia beside us";

/// A ptxas that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The executable, as found (not canonical: wrappers look at their own name).
    pub path: PathBuf,
    /// Which rule found it, for the summary line: `$PTXAS`, `PATH`, ...
    pub how: &'static str,
}

/// No ptxas, and where it was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotFound {
    /// One phrase for each place, in the order they were tried.
    pub tried: Vec<String>,
}

impl Found {
    /// In words: which, and how it was found.
    pub fn source(&self) -> String {
        format!("{} ({})", self.path.display(), self.how)
    }
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no ptxas found; tried {}", self.tried.join(", "))
    }
}

impl std::error::Error for NotFound {}

/// The surroundings that [`find`] looks at, so that tests can bring their own.
struct Surroundings<'a> {
    var: &'a dyn Fn(&str) -> Option<OsString>,
    /// Ourselves, canonical: we may be installed under the name `ptxas`.
    own_path: Option<PathBuf>,
    /// The name that we were called by.
    called: PathBuf,
}

/// Looks for a ptxas: `$PTXAS`, `ptxas.nvidia` beside the name that we were called by, `$CUDA_HOME/bin`, `$CUDA_PATH/bin`, `PATH`, then `nvidia/*/bin` (where NVIDIA's wheels
/// install) of the active Python environment and of the `python3` on `PATH`.
///
/// Looks at files only: no Python is run. Never finds the running executable itself.
///
/// # Errors
///
/// [`NotFound`] with every place tried. A `$PTXAS` that is set to nothing runnable is not passed over: it is the answer.
pub fn find() -> Result<Found, NotFound> {
    let own_path = env::current_exe().and_then(fs::canonicalize).ok();
    let called = env::args_os().next().unwrap_or_default().into();
    let var = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    find_in(&Surroundings { var: &var, own_path, called })
}

fn find_in(around: &Surroundings<'_>) -> Result<Found, NotFound> {
    let var = around.var;
    if var(GUARD).is_some() {
        return Err(NotFound { tried: vec![format!("nothing: a ptxas that we started runs us (${GUARD})")] });
    }
    if let Some(path) = var("PTXAS").map(PathBuf::from) {
        return match around.refusal(&path) {
            None => Ok(Found { path, how: "$PTXAS" }),
            Some(why) => Err(NotFound { tried: vec![format!("$PTXAS = {}: {why}", path.display())] }),
        };
    }
    let mut tried = vec!["$PTXAS".to_owned()];
    for (how, dirs) in around.places() {
        if dirs.is_empty() {
            tried.push(how.to_owned());
        }
        let name = if how == BESIDE { SET_ASIDE } else { "ptxas" };
        for path in dirs.iter().map(|dir| executable_in(dir, name)) {
            match around.refusal(&path) {
                None => return Ok(Found { path, how }),
                Some(why) => tried.push(format!("{how}: {}: {why}", path.display())),
            }
        }
    }
    Err(NotFound { tried })
}

fn executable_in(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

impl Surroundings<'_> {
    /// Why a path is no ptxas to run.
    fn refusal(&self, path: &Path) -> Option<&'static str> {
        let Ok(canonical) = fs::canonicalize(path) else {
            return Some("no such file");
        };
        if self.own_path.as_ref() == Some(&canonical) {
            return Some("that is this program");
        }
        match fs::metadata(&canonical) {
            Ok(meta) if meta.is_file() && executable(&meta) => None,
            Ok(_) => Some("not an executable file"),
            Err(_) => Some("unreadable"),
        }
    }

    /// The directory of the link by which we were called.
    fn beside(&self, path_dirs: &[PathBuf]) -> Vec<PathBuf> {
        let is_us =
            |path: &PathBuf| fs::canonicalize(path).ok().is_some_and(|path| Some(path) == self.own_path);
        let paths = match self.called.parent() {
            // A shell looks a bare name up in PATH, and so did whoever called us.
            Some(dir) if dir.as_os_str().is_empty() => {
                path_dirs.iter().map(|dir| dir.join(&self.called)).collect()
            }
            Some(_) => vec![self.called.clone()],
            None => Vec::new(),
        };
        paths
            .into_iter()
            .find(is_us)
            .and_then(|path| Some(path.parent()?.to_path_buf()))
            .into_iter()
            .collect()
    }

    /// Directories to look in, by rule.
    fn places(&self) -> Vec<(&'static str, Vec<PathBuf>)> {
        let var = |name| (self.var)(name).map(PathBuf::from);
        let path_dirs: Vec<PathBuf> =
            (self.var)("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
        let bin = |name| var(name).map(|root| root.join("bin")).into_iter().collect();
        let wheels = |roots: &[PathBuf]| roots.iter().flat_map(|root| wheel_bins(root)).collect();
        let wheels_of = |name| wheels(var(name).as_slice());
        // Only the directories that have one: nobody wants to read the rest of PATH in a message.
        let with_ptxas =
            path_dirs.iter().filter(|dir| executable_in(dir, "ptxas").exists()).cloned().collect();
        vec![
            (BESIDE, self.beside(&path_dirs)),
            ("$CUDA_HOME", bin("CUDA_HOME")),
            ("$CUDA_PATH", bin("CUDA_PATH")),
            ("PATH", with_ptxas),
            ("$VIRTUAL_ENV", wheels_of("VIRTUAL_ENV")),
            ("$CONDA_PREFIX", wheels_of("CONDA_PREFIX")),
            ("python3 on PATH", wheels(&python_roots(&path_dirs))),
        ]
    }
}

#[cfg(unix)]
fn executable(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn executable(_: &fs::Metadata) -> bool {
    true
}

/// Roots of the first Python on `PATH`: of its environment, then of the installation that its links lead to.
fn python_roots(path_dirs: &[PathBuf]) -> Vec<PathBuf> {
    let names = ["python3", "python", "python.exe"];
    let found = path_dirs.iter().flat_map(|dir| names.map(|name| dir.join(name))).find(|path| path.is_file());
    let Some(python) = found else { return Vec::new() };
    let canonical = fs::canonicalize(&python).ok();
    let mut roots: Vec<PathBuf> = [Some(python), canonical]
        .iter()
        .flatten()
        .filter_map(|python| Some(python.parent()?.parent()?.to_path_buf()))
        .collect();
    roots.dedup();
    roots
}

/// Every `nvidia/*/bin` of the packages of the Python rooted at `root`, sorted so that the answer does not depend on the
/// file system's order.
fn wheel_bins(root: &Path) -> Vec<PathBuf> {
    let mut packages = vec![root.join("Lib/site-packages")];
    for lib in ["lib", "lib64", "local/lib"] {
        for python in entries(&root.join(lib), |name| name.starts_with("python3")) {
            packages.push(python.join("site-packages"));
            packages.push(python.join("dist-packages"));
        }
        packages.push(root.join(lib).join("python3/dist-packages"));
    }
    let mut bins: Vec<PathBuf> = packages
        .iter()
        .flat_map(|dir| entries(&dir.join("nvidia"), |_| true))
        .map(|dir| dir.join("bin"))
        .collect();
    // lib64 is often a link to lib.
    let mut seen = BTreeSet::new();
    bins.retain(|bin| bin.is_dir() && seen.insert(fs::canonicalize(bin).ok()));
    bins
}

/// The entries of a directory whose name passes, sorted; none where it cannot be read.
fn entries(dir: &Path, passes: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let listed = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = listed
        .filter(|entry| passes(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths
}

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
        // We have said so.
        messages = messages.replace(&format!("ptxas warning : {CONFLICT}\n"), "");
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
    let ran = command.env(GUARD, "1").output();
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
