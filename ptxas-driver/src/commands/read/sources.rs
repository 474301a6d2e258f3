//! The source files that a PTX or a cubin names, if they are available.
//!
//! An input names any path, and its author need not be its reader. A source is opened only if it
//! lies below the working folder or a folder that the command line names, with all links followed:
//! no absolute path, no `..` and no symbolic link leads out. A relative name may also lie below the
//! folder of the input. Others are not there.

use crate::limits::{MAX_SOURCE, MAX_SOURCES};
use clap::Args;
use dwarf2_reader::source_path;
use ptx_syntax::check::SourceState;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Where sources are looked for.
#[derive(Debug, Args)]
pub(in crate::commands) struct SourceOptions {
    /// Do not look for source files. Those that are missing, and lines past the end of a source
    /// file, are then not found
    #[arg(long)]
    no_sources: bool,
    /// Look for source files below this folder too, not only below the working folder; may be given
    /// again
    #[arg(long, value_name = "DIR", conflicts_with = "no_sources")]
    source_dir: Vec<PathBuf>,
}

/// Looks for the sources of one file.
pub(in crate::commands) struct Sources {
    /// The folder of the input.
    beside: PathBuf,
    /// The working folder and those of the command line. Sources lie below them, and relative names
    /// start from them.
    roots: Vec<PathBuf>,
    counted: RefCell<Counted>,
}

#[derive(Default)]
struct Counted {
    /// Size and number of lines by path.
    files: HashMap<PathBuf, Count>,
    bytes: u64,
}

impl SourceOptions {
    /// Looks for what `file` names: relative names beside it, then in the working folder, then in
    /// the folders of the command line. `None` if no sources are wanted.
    pub(in crate::commands) fn of(&self, file: &Path) -> Option<Sources> {
        if self.no_sources {
            return None;
        }
        let canonical = |folder: &Path| fs::canonicalize(folder).ok();
        let beside = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let beside = canonical(beside.unwrap_or(Path::new(".")))?;
        let roots = std::iter::once(Path::new(".")).chain(self.source_dir.iter().map(PathBuf::as_path));
        let roots = roots.filter_map(canonical).collect();
        Some(Sources { beside, roots, counted: RefCell::default() })
    }
}

impl Sources {
    /// Looks for a file that had `size` bytes when it was compiled; 0: any size. Only an ordinary
    /// file of at most [`MAX_SOURCE`] bytes is read. Paths of Windows lead nowhere on other
    /// systems, but for their relative ones.
    pub(in crate::commands) fn look_for(&self, path: &str, size: u64) -> SourceState {
        if cfg!(not(windows)) && source_path::is_of_windows(path) {
            return SourceState::Unknown;
        }
        let of_windows = path.contains('\\').then(|| path.replace('\\', "/"));
        let mut state = SourceState::Missing;
        for path in [Some(path), of_windows.as_deref()].into_iter().flatten() {
            let found = self.look_for_spelling(Path::new(path), size);
            if found.lines().is_some() {
                return found;
            }
            state = better(state, found);
        }
        state
    }

    fn look_for_spelling(&self, path: &Path, size: u64) -> SourceState {
        let mut counted = self.counted.borrow_mut();
        let beside = path.is_relative().then_some(&self.beside);
        let is_allowed =
            |path: &Path| beside.into_iter().chain(&self.roots).any(|root| path.starts_with(root));
        let mut state = SourceState::Missing;
        for base in beside.into_iter().chain(&self.roots) {
            let found = match counted.count(base.join(path), &is_allowed) {
                Ok((found, lines)) if size == 0 || size == found => return SourceState::Lines(lines),
                Ok(_) => SourceState::Other,
                Err(none) => none,
            };
            state = better(state, found);
        }
        state
    }
}

/// What two looks for one file say together: a file that is there counts, then one that may be.
fn better(a: SourceState, b: SourceState) -> SourceState {
    let rank = |state: &SourceState| match state {
        SourceState::Missing => 0,
        SourceState::Unknown => 1,
        SourceState::Other | SourceState::Lines(_) => 2,
    };
    if rank(&b) > rank(&a) { b } else { a }
}

/// Size and number of lines of a file, or why they are not known.
type Count = Result<(u64, u32), SourceState>;

impl Counted {
    fn count(&mut self, path: PathBuf, is_allowed: &dyn Fn(&Path) -> bool) -> Count {
        if let Some(known) = self.files.get(&path) {
            return *known;
        }
        let count = count(&path, is_allowed, MAX_SOURCES.saturating_sub(self.bytes).min(MAX_SOURCE));
        self.bytes = self.bytes.saturating_add(count.map_or(0, |(size, _)| size));
        self.files.insert(path, count);
        count
    }
}

fn count(path: &Path, is_allowed: &dyn Fn(&Path) -> bool, largest: u64) -> Count {
    let path = match fs::canonicalize(path) {
        Ok(path) if is_allowed(&path) => path,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(missing(path, is_allowed)),
        Ok(_) | Err(_) => return Err(SourceState::Unknown),
    };
    read(&path, largest).ok_or(SourceState::Other)
}

fn read(path: &Path, largest: u64) -> Option<(u64, u32)> {
    let about = fs::metadata(path).ok()?;
    // Files of no length are those of procfs, which may never end.
    if !about.is_file() || about.len() == 0 || about.len() > largest {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(about.len()).read_to_end(&mut bytes).ok()?;
    let ends = memchr::memchr_iter(b'\n', &bytes).count();
    let open = bytes.last().is_some_and(|&last| last != b'\n');
    Some((about.len(), u32::try_from(ends + usize::from(open)).ok()?))
}

/// Of a path that leads to no file: whether the folder of it that is there may be looked at. Where
/// it may not, nothing is said of it.
fn missing(path: &Path, is_allowed: &dyn Fn(&Path) -> bool) -> SourceState {
    let is_link = fs::symlink_metadata(path).is_ok();
    let folder = path.ancestors().skip(1).find_map(|folder| fs::canonicalize(folder).ok());
    if !is_link && folder.is_some_and(|folder| is_allowed(&folder)) {
        SourceState::Missing
    } else {
        SourceState::Unknown
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn sources_lie_below_the_folders_that_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("in/sub")).unwrap();
        fs::write(path("in/sub/k.cu"), "1\n2\n").unwrap();
        fs::write(path("secret"), "1\n2\n3\n").unwrap();
        symlink("../secret", path("in/link")).unwrap();
        symlink("../in/sub", path("in/inner")).unwrap();
        let lines = |root: &str, name: &str| {
            let options = SourceOptions { no_sources: false, source_dir: vec![path(root)] };
            options.of(&path("in/k.cubin")).unwrap().look_for(name, 0).lines()
        };
        let absolute = |name: &str| path(name).to_str().unwrap().to_owned();
        for name in ["sub/k.cu", "sub/../sub/k.cu", "inner/k.cu", &absolute("in/sub/k.cu")] {
            assert_eq!(lines("in", name), Some(2), "{name}");
            assert_eq!(lines("in/sub", name), Some(2), "{name}");
            // What is below the folder of the input needs no other leave, if it is named from
            // there.
            assert_eq!(lines("none", name).is_some(), Path::new(name).is_relative(), "{name}");
        }
        for name in ["../secret", "link", "sub/../../secret", &absolute("secret"), "/etc/passwd"] {
            assert_eq!(lines("in", name), None, "{name}");
        }
        assert_eq!(lines("", &absolute("secret")), Some(3));
    }
    #[test]
    fn a_file_is_missing_where_one_may_look() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("in/gen")).unwrap();
        fs::write(path("in/gen/k.cu"), "1\n2\n").unwrap();
        symlink("../nowhere", path("in/link")).unwrap();
        let options = SourceOptions { no_sources: false, source_dir: vec![path("in")] };
        let sources = options.of(&path("in/k.cubin")).unwrap();
        let absolute = |name: &str| path(name).to_str().unwrap().to_owned();
        for (name, size, state) in [
            ("gen/k.cu", 0, SourceState::Lines(2)),
            ("gen/k.cu", 4, SourceState::Lines(2)),
            ("gen\\k.cu", 4, SourceState::Lines(2)),
            ("gen/k.cu", 5, SourceState::Other),
            ("gen", 0, SourceState::Other),
            ("gen/i.cuh", 0, SourceState::Missing),
            ("gen\\i.cuh", 0, SourceState::Missing),
            ("models/net.py", 0, SourceState::Missing),
            (&absolute("in/i.cuh"), 0, SourceState::Missing),
            (&absolute("i.cuh"), 0, SourceState::Unknown),
            ("../../../i.cuh", 0, SourceState::Unknown),
            ("link", 0, SourceState::Unknown),
            ("D:\\gen\\k.cu", 0, SourceState::Unknown),
            ("/no/such/i.cuh", 0, SourceState::Unknown),
        ] {
            assert_eq!(sources.look_for(name, size), state, "{name} {size}");
        }
    }
}
