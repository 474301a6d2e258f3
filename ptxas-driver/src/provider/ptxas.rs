//! Finds a ptxas on the machine and has it make a cubin.

use crate::arch::Arch;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::{env, fmt, fs, io};

#[cfg(test)]
mod tests;

/// Set for every ptxas we start, so that a wrapper named `ptxas` that starts us again ends there.
const GUARD: &str = "NVDWARF_INSIDE_PTXAS";
/// Where `tools/oracle.sh` installs by default, below the home directory.
const ORACLE: &str = ".cache/nvdwarf/oracle-13.0.88";

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
        write!(f, "no ptxas found; looked at {}", self.tried.join("; "))
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
/// install) of the active Python environment, of the `python3` on `PATH`, and of the oracle (`tools/oracle.sh`).
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
    let mut tried = vec!["$PTXAS: not set".to_owned()];
    for (how, dirs) in around.places() {
        if dirs.is_empty() {
            tried.push(format!("{how}: nothing there"));
        }
        for dir in dirs {
            let path = dir.join("ptxas").with_extension(env::consts::EXE_EXTENSION);
            match around.refusal(&path) {
                None => return Ok(Found { path, how }),
                Some(why) if how == "PATH" && why == MISSING => {}
                Some(why) => tried.push(format!("{how}: {}: {why}", path.display())),
            }
        }
        if how == "PATH" {
            tried.push("PATH: not in any of its directories".into());
        }
    }
    Err(NotFound { tried })
}

const MISSING: &str = "no such file";

impl Surroundings<'_> {
    /// Why a path is no ptxas to run.
    fn refusal(&self, path: &Path) -> Option<&'static str> {
        let Ok(canonical) = fs::canonicalize(path) else {
            return Some(MISSING);
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
        let bin = |name| var(name).map(|root: PathBuf| root.join("bin")).into_iter().collect();
        let home = var("HOME").or_else(|| var("USERPROFILE"));
        let oracle = var("NVDWARF_ORACLE").or_else(|| home.map(|home| home.join(ORACLE)));
        vec![
            ("$CUDA_HOME", bin("CUDA_HOME")),
            ("$CUDA_PATH", bin("CUDA_PATH")),
            ("PATH", path_dirs.clone()),
            ("$VIRTUAL_ENV", var("VIRTUAL_ENV").iter().flat_map(|root| wheel_bins(root)).collect()),
            ("$CONDA_PREFIX", var("CONDA_PREFIX").iter().flat_map(|root| wheel_bins(root)).collect()),
            ("python3 on PATH", python_roots(&path_dirs).iter().flat_map(|root| wheel_bins(root)).collect()),
            ("the oracle", oracle.iter().flat_map(|root| wheel_bins(root)).collect()),
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
    let mut roots = Vec::new();
    for python in [fs::canonicalize(&python).ok(), Some(python)].into_iter().flatten().rev_pair() {
        roots.extend(python.parent().and_then(Path::parent).map(Path::to_path_buf));
    }
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
    let mut bins: Vec<PathBuf> =
        packages.iter().flat_map(|dir| entries(&dir.join("nvidia"), |_| true)).map(|dir| dir.join("bin")).collect();
    bins.retain(|bin| bin.is_dir());
    bins.dedup();
    bins
}

/// The entries of a directory whose name passes, sorted; none where it cannot be read.
fn entries(dir: &Path, passes: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let listed = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> =
        listed.filter(|entry| passes(&entry.file_name().to_string_lossy())).map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
