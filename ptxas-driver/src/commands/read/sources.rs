//! The source files that a PTX or a cubin names, if they are available.
//!
//! An input names any path, and its author need not be its reader. A source is opened only if it
//! lies below the working folder or a folder that the command line names, with all links followed:
//! no absolute path, no `..` and no symbolic link leads out. A relative name may also lie below the
//! folder of the input. Others are not there.

use crate::limits::{MAX_SOURCE, MAX_SOURCES};
use clap::Args;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where sources are looked for.
#[derive(Debug, Args)]
pub(in crate::commands) struct SourceOptions {
    /// Do not read source files. Lines past the end of a source file are then not found
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
    files: HashMap<PathBuf, Option<(u64, u32)>>,
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
    /// How many lines the file has; none if it cannot be read, or is not an ordinary file of at
    /// most [`MAX_SOURCE`] bytes.
    pub(in crate::commands) fn line_count(&self, path: &str) -> Option<u32> {
        self.line_count_of(path, 0)
    }

    /// The same, of a file that has `size` bytes; 0 for any.
    pub(in crate::commands) fn line_count_of(&self, path: &str, size: u64) -> Option<u32> {
        let mut counted = self.counted.borrow_mut();
        let path = Path::new(path);
        let beside = path.is_relative().then_some(&self.beside);
        let mut counts = beside.into_iter().chain(&self.roots).filter_map(|base| {
            let is_allowed =
                |path: &Path| beside.into_iter().chain(&self.roots).any(|root| path.starts_with(root));
            counted.count(base.join(path), &is_allowed)
        });
        counts.find(|(found, _)| size == 0 || size == *found).map(|(_, lines)| lines)
    }
}

impl Counted {
    fn count(&mut self, path: PathBuf, is_allowed: &dyn Fn(&Path) -> bool) -> Option<(u64, u32)> {
        if let Some(known) = self.files.get(&path) {
            return *known;
        }
        let count = count(&path, is_allowed, MAX_SOURCES.saturating_sub(self.bytes).min(MAX_SOURCE));
        self.bytes = self.bytes.saturating_add(count.map_or(0, |(size, _)| size));
        self.files.insert(path, count);
        count
    }
}

fn count(path: &Path, is_allowed: &dyn Fn(&Path) -> bool, largest: u64) -> Option<(u64, u32)> {
    let path = fs::canonicalize(path).ok()?;
    if !is_allowed(&path) {
        return None;
    }
    let about = fs::metadata(&path).ok()?;
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
            options.of(&path("in/k.cubin")).unwrap().line_count(name)
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
}
