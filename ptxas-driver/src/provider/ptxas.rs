//! Finds a ptxas on the machine and has it make a cubin.

use crate::arch::Arch;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::{env, fmt, fs, io};

#[cfg(test)]
mod tests;

/// Set for every ptxas we start, so that a wrapper named `ptxas` that starts us again ends there.
const GUARD: &str = "NVDWARF_INSIDE_PTXAS";

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
}

/// Looks for a ptxas: `$PTXAS`, `$CUDA_HOME/bin`, `$CUDA_PATH/bin`, `PATH`, then `nvidia/*/bin` (where NVIDIA's wheels
/// install) of the active Python environment and of the `python3` on `PATH`.
///
/// Looks at files only: no Python is run. Never finds the running executable itself.
///
/// # Errors
///
/// [`NotFound`] with every place tried. A `$PTXAS` that is set to nothing runnable is not passed over: it is the answer.
pub fn find() -> Result<Found, NotFound> {
    let own_path = env::current_exe().and_then(fs::canonicalize).ok();
    find_in(&Surroundings { var: &|name| env::var_os(name).filter(|value| !value.is_empty()), own_path })
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
        for path in dirs.iter().map(|dir| executable_in(dir)) {
            match around.refusal(&path) {
                None => return Ok(Found { path, how }),
                Some(why) => tried.push(format!("{how}: {}: {why}", path.display())),
            }
        }
    }
    Err(NotFound { tried })
}

fn executable_in(dir: &Path) -> PathBuf {
    dir.join(format!("ptxas{}", env::consts::EXE_SUFFIX))
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

    /// Directories to look in, by rule.
    fn places(&self) -> Vec<(&'static str, Vec<PathBuf>)> {
        let var = |name| (self.var)(name).map(PathBuf::from);
        let path_dirs: Vec<PathBuf> =
            (self.var)("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
        let bin = |name| var(name).map(|root| root.join("bin")).into_iter().collect();
        let wheels = |roots: &[PathBuf]| roots.iter().flat_map(|root| wheel_bins(root)).collect();
        let wheels_of = |name| wheels(var(name).as_slice());
        // Only the directories that have one: nobody wants to read the rest of PATH in a message.
        let with_ptxas = path_dirs.iter().filter(|dir| executable_in(dir).exists()).cloned().collect();
        vec![
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
    /// This text, from standard input; in its messages it is `<stdin>`.
    Text(&'a [u8]),
}

/// One run of a ptxas.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "one field for each option without an argument")]
pub struct Request<'a> {
    /// The PTX.
    pub source: Source<'a>,
    /// `-arch`
    pub arch: Arch,
    /// `-g`
    pub device_debug: bool,
    /// `-lineinfo`; not both.
    pub line_info: bool,
    /// `-c`
    pub compile_only: bool,
    /// `-O`
    pub opt_level: Option<i32>,
    /// `-w`
    pub disable_warnings: bool,
    /// `-Werror`
    pub warnings_as_errors: bool,
    /// `-m 64`: changes nothing but `.note.nv.tkinfo`, which lists the options.
    pub machine: bool,
}

/// What a ptxas made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The cubin.
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
            Self::Failed { ptxas, status, messages } => {
                write!(f, "{messages}{} failed: {status}", ptxas.display())
            }
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
    let output = scratch.path().join("out.cubin");
    let input = match request.source {
        // A name that starts with a dash would be an option.
        Source::File(path) if path.as_os_str().as_encoded_bytes().starts_with(b"-") => {
            Path::new(".").join(path)
        }
        Source::File(path) => path.to_path_buf(),
        Source::Text(text) => {
            let path = scratch.path().join("in.ptx");
            fs::write(&path, text).map_err(RunError::Temporary)?;
            path
        }
    };
    let mut command = Command::new(ptxas);
    command.args(options(request)).arg("-o").arg(&output).arg(&input);
    command.env(GUARD, "1").stdin(Stdio::null()).stdout(Stdio::null());
    let ran = command.output().map_err(|error| RunError::Start { ptxas: ptxas.to_path_buf(), error })?;

    let mut messages = String::from_utf8_lossy(&ran.stderr).into_owned();
    if matches!(request.source, Source::Text(_)) {
        messages = messages.replace(&*input.to_string_lossy(), "<stdin>");
    }
    if !ran.status.success() {
        return Err(RunError::Failed { ptxas: ptxas.to_path_buf(), status: ran.status, messages });
    }
    let cubin =
        fs::read(&output).map_err(|error| RunError::NoOutput { ptxas: ptxas.to_path_buf(), error })?;
    Ok(Made { cubin, messages })
}

/// ptxas' command line for a request, without the files.
fn options(request: &Request<'_>) -> Vec<String> {
    let flags = [
        ("-g", request.device_debug),
        ("-lineinfo", request.line_info && !request.device_debug),
        ("-c", request.compile_only),
        ("-w", request.disable_warnings),
        ("-Werror", request.warnings_as_errors),
        ("-m64", request.machine),
    ];
    let mut options = vec![format!("-arch={}", request.arch)];
    options.extend(flags.iter().filter(|(_, given)| *given).map(|(flag, _)| (*flag).to_owned()));
    options.extend(request.opt_level.map(|level| format!("-O{level}")));
    options
}
