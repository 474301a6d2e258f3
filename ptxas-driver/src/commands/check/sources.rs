//! The source files that `.file` names, as far as they are at hand.

use std::path::{Path, PathBuf};

/// Largest source whose lines are counted, in bytes.
const LARGEST: u64 = 64 << 20;

/// Looks for the sources of one PTX file.
pub(super) struct Sources {
    folder: PathBuf,
}

impl Sources {
    /// Relative names are looked up beside the PTX file, then in the working folder.
    pub(super) fn beside(ptx: &Path) -> Self {
        Self { folder: ptx.parent().unwrap_or(Path::new("")).to_path_buf() }
    }

    /// How many lines the file has; none if it cannot be read, or is no ordinary file of bearable size.
    pub(super) fn line_count(&self, path: &str) -> Option<u32> {
        [self.folder.join(path), PathBuf::from(path)].iter().find_map(|path| count(path))
    }
}

fn count(path: &Path) -> Option<u32> {
    let about = std::fs::metadata(path).ok()?;
    // Files of no length are those of procfs, which may never end.
    if !about.is_file() || about.len() == 0 || about.len() > LARGEST {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    let ends = memchr::memchr_iter(b'\n', &bytes).count();
    let open = bytes.last().is_some_and(|&last| last != b'\n');
    u32::try_from(ends + usize::from(open)).ok()
}
