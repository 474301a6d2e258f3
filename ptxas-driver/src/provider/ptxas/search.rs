//! The search for a ptxas on this machine.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs};
use thiserror::Error;

/// Set for every ptxas we start, to its path, so that a wrapper named `ptxas` that starts us again
/// ends there.
pub(super) const GUARD: &str = "NVDWARF_INSIDE_PTXAS";

/// The names by which this program is a ptxas: those of the two that Triton has.
///
/// Observed: `get_ptxas` of Triton 3.9.0.
pub const NAMES: [&str; 2] = ["ptxas", "ptxas-blackwell"];

/// The name that `install-ptxas` gives to the ptxas in whose place it puts this program.
pub const SET_ASIDE: &str = "ptxas.nvidia";
/// The rule that finds it.
pub(super) const BESIDE: &str = "ptxas.nvidia beside us";

/// The advice on how to get a ptxas, for a user who has none.
pub const HOW_TO_GET_ONE: &str = "get one with 'pip install nvidia-cuda-nvcc', or name one in $PTXAS; \
                                  --code none makes a debug-only object, without code";

/// The first SM that the second ptxas of Triton is for.
///
/// Observed: `get_ptxas` of Triton 3.9.0. Up to 3.5 the second began with sm_100; both know sm_90.
const TRITONS_SECOND_SM: u32 = 90;

/// The file that a link to us leads to, of whatever version.
const OUR_NAME: &str = "ptxas-driver";

/// A ptxas that can be run, and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPtxas {
    /// The path of the executable as it was found. It is not canonical, since wrappers look at
    /// their own name.
    pub path: PathBuf,
    /// The rule of the search that found the ptxas, for the summary line: `$PTXAS`, `PATH`, ...
    pub how: String,
}

/// The error that no ptxas was found, with the places that were searched.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no ptxas found; tried {}", tried.join(", "))]
pub struct NoPtxasFound {
    /// The places that were searched, in order, one phrase for each.
    pub tried: Vec<String>,
}

impl FoundPtxas {
    /// Describes in words which ptxas was found, and how.
    pub fn source(&self) -> String {
        format!("{} ({})", self.path.display(), self.how)
    }
}

/// The surroundings that [`find`] looks at, so that tests can bring their own.
pub(super) struct Surroundings<'a> {
    pub(super) var: &'a dyn Fn(&str) -> Option<OsString>,
    /// Ourselves, canonical: we may be installed under the name `ptxas`.
    pub(super) own_path: Option<PathBuf>,
    /// The name that we were called by.
    pub(super) called: PathBuf,
    /// The SM that is compiled for; without one, that of Triton's ptxas of the name that we were
    /// called by counts.
    pub(super) sm: Option<u32>,
}

/// Searches for a ptxas that compiles for `sm`, in this order: `$PTXAS`; `ptxas.nvidia` beside the
/// name that the program was called by; `$CUDA_HOME/bin`; `$CUDA_PATH/bin`; `PATH`; the active
/// Python environment; that of the `python3` on `PATH`. A Python environment may have it in
/// `nvidia/*/bin`, where NVIDIA's wheels install, or in `triton/backends/nvidia/bin`, which has
/// two.
///
/// Looks at files only: no Python is run. Never finds this program, be it a link or a copy.
///
/// # Errors
///
/// [`NoPtxasFound`] with every place tried. A `$PTXAS` that is set to nothing runnable is not
/// passed over: it is the answer.
pub fn find(sm: Option<u32>) -> Result<FoundPtxas, NoPtxasFound> {
    find_in(&surroundings(sm))
}

/// Says why a file cannot be run as a ptxas; `None` if it can be tried.
pub fn why_not(path: &Path) -> Option<&'static str> {
    surroundings(None).refusal(path)
}

/// Whether a path leads to this program, in whatever version.
pub fn is_us(path: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|path| surroundings(None).is_us(&path))
}

/// Those of this process.
fn surroundings(sm: Option<u32>) -> Surroundings<'static> {
    Surroundings {
        var: &|name| env::var_os(name).filter(|value| !value.is_empty()),
        own_path: env::current_exe().and_then(fs::canonicalize).ok(),
        called: env::args_os().next().unwrap_or_default().into(),
        sm,
    }
}

pub(super) fn find_in(around: &Surroundings<'_>) -> Result<FoundPtxas, NoPtxasFound> {
    let var = around.var;
    if let Some(outer) = var(GUARD) {
        let tried = format!("nothing: {} was taken for a ptxas and runs us (${GUARD})", outer.display());
        return Err(NoPtxasFound { tried: vec![tried] });
    }
    if let Some(path) = var("PTXAS").map(PathBuf::from) {
        return match around.refusal(&path) {
            None => Ok(FoundPtxas { path, how: "$PTXAS".to_owned() }),
            Some(why) => Err(NoPtxasFound { tried: vec![format!("$PTXAS = {}: {why}", path.display())] }),
        };
    }
    let mut tried = vec!["$PTXAS".to_owned()];
    for SearchPlace { how, candidates } in around.places() {
        if candidates.is_empty() {
            tried.push(how.to_owned());
        }
        for Candidate { path, remark } in candidates {
            match around.refusal(&path) {
                None => {
                    let remark = remark.map(|remark| format!(": {remark}")).unwrap_or_default();
                    return Ok(FoundPtxas { path, how: format!("{how}{remark}") });
                }
                Some(why) => tried.push(format!("{how}: {}: {why}", path.display())),
            }
        }
    }
    Err(NoPtxasFound { tried })
}

/// A place where a ptxas may be.
struct SearchPlace {
    /// In words, for messages.
    how: &'static str,
    candidates: Vec<Candidate>,
}

/// A file that may be a ptxas.
struct Candidate {
    path: PathBuf,
    /// A remark on this candidate, besides its path.
    remark: Option<&'static str>,
}

fn executable_in(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

impl Surroundings<'_> {
    /// Why a path is not a ptxas that can be run.
    fn refusal(&self, path: &Path) -> Option<&'static str> {
        let Ok(canonical) = fs::canonicalize(path) else {
            return Some("no such file");
        };
        if self.is_us(&canonical) {
            return Some("that is this program");
        }
        match fs::metadata(&canonical) {
            Ok(meta) if meta.is_file() && executable(&meta) => None,
            Ok(_) => Some("not an executable file"),
            Err(_) => Some("unreadable"),
        }
    }

    /// Whether a file is this program: the same file, a copy or hard link of it, or, by its name, a
    /// build of another version.
    fn is_us(&self, canonical: &Path) -> bool {
        if canonical.file_stem().is_some_and(|stem| stem == OUR_NAME) {
            return true;
        }
        self.own_path.as_ref().is_some_and(|own| own == canonical || is_copy(own, canonical))
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

    /// Where to look, in order.
    fn places(&self) -> Vec<SearchPlace> {
        let var = |name| (self.var)(name).map(PathBuf::from);
        let path_dirs: Vec<PathBuf> =
            (self.var)("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
        let in_dirs = |how, dirs: Vec<PathBuf>, name: &str| {
            let plain = |dir: &PathBuf| Candidate { path: executable_in(dir, name), remark: None };
            SearchPlace { how, candidates: dirs.iter().map(plain).collect() }
        };
        let bin = |name| var(name).map(|root| root.join("bin")).into_iter().collect();
        let python = |how, roots: &[PathBuf]| {
            let candidates = roots.iter().flat_map(|root| self.of_python(root)).collect();
            SearchPlace { how, candidates }
        };
        // Only the directories that have one, to keep the message short.
        let with_ptxas =
            path_dirs.iter().filter(|dir| executable_in(dir, "ptxas").exists()).cloned().collect();
        vec![
            in_dirs(BESIDE, self.beside(&path_dirs), SET_ASIDE),
            in_dirs("$CUDA_HOME", bin("CUDA_HOME"), "ptxas"),
            in_dirs("$CUDA_PATH", bin("CUDA_PATH"), "ptxas"),
            in_dirs("PATH", with_ptxas, "ptxas"),
            python("$VIRTUAL_ENV", var("VIRTUAL_ENV").as_slice()),
            python("$CONDA_PREFIX", var("CONDA_PREFIX").as_slice()),
            python("python3 on PATH", &python_roots(&path_dirs)),
        ]
    }

    /// What the packages of the Python rooted at `root` may have: NVIDIA's wheels, then Triton.
    fn of_python(&self, root: &Path) -> Vec<Candidate> {
        let packages = package_dirs(root);
        let wheels = packages.iter().flat_map(|dir| entries(&dir.join("nvidia"), |_| true));
        let bins = existing(wheels.map(|dir| dir.join("bin")));
        let wheels = bins.iter().map(|bin| Candidate { path: executable_in(bin, "ptxas"), remark: None });
        let bins = existing(packages.iter().map(|dir| dir.join("triton/backends/nvidia/bin")));
        wheels.chain(bins.iter().filter_map(|bin| self.of_triton(bin))).collect()
    }

    /// The one of Triton's two that is for our SM, or the only one that is there.
    fn of_triton(&self, bin: &Path) -> Option<Candidate> {
        let is_second = match self.sm {
            Some(sm) => sm >= TRITONS_SECOND_SM,
            None => self.called.file_stem().is_some_and(|name| name == NAMES[1]),
        };
        let [first, second] = NAMES.map(|name| executable_in(bin, name));
        let (path, other) = if is_second { (second, first) } else { (first, second) };
        match (path.exists(), other.exists(), is_second) {
            (true, true, false) => Some(Candidate { path, remark: Some("Triton's for chips below sm_90") }),
            (true, true, true) => Some(Candidate { path, remark: Some("Triton's for sm_90 and later") }),
            (true, false, _) => Some(Candidate { path, remark: Some("Triton's") }),
            (false, true, _) => Some(Candidate { path: other, remark: Some("Triton's only one") }),
            (false, false, _) => None,
        }
    }
}

/// Whether two files have the same bytes.
fn is_copy(a: &Path, b: &Path) -> bool {
    let size = |path| fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|meta| meta.len());
    size(a).is_some_and(|len| len > 0 && size(b) == Some(len))
        && fs::read(a).ok().is_some_and(|bytes| fs::read(b).is_ok_and(|other| other == bytes))
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

/// Roots of the first Python on `PATH`: of its environment, then of the installation that its links
/// lead to.
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

/// Where the Python rooted at `root` has its packages, sorted so that the answer does not depend on
/// the file system's order.
fn package_dirs(root: &Path) -> Vec<PathBuf> {
    let mut packages = vec![root.join("Lib/site-packages")];
    for lib in ["lib", "lib64", "local/lib"] {
        for python in entries(&root.join(lib), |name| name.starts_with("python3")) {
            packages.push(python.join("site-packages"));
            packages.push(python.join("dist-packages"));
        }
        packages.push(root.join(lib).join("python3/dist-packages"));
    }
    packages
}

/// Those that are there, each once: lib64 is often a link to lib.
fn existing(dirs: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    dirs.filter(|dir| dir.is_dir() && seen.insert(fs::canonicalize(dir).ok())).collect()
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
