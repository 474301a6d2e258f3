//! The source files that a PTX or a cubin names, as far as they are at hand.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Largest source whose lines are counted, in bytes.
const LARGEST: u64 = 64 << 20;

/// Most bytes of sources that are read for one file: it may name many.
const LARGEST_SUM: u64 = 1 << 30;

/// Looks for the sources of one file.
pub(in crate::commands) struct Sources {
    folder: PathBuf,
    counted: RefCell<Counted>,
}

#[derive(Default)]
struct Counted {
    /// Size and number of lines by path.
    files: HashMap<PathBuf, Option<(u64, u32)>>,
    bytes: u64,
}

impl Sources {
    /// Relative names are looked up beside `file`, then in the working folder.
    pub(in crate::commands) fn beside(file: &Path) -> Self {
        let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
        Self { folder, counted: RefCell::default() }
    }

    /// How many lines the file has; none if it cannot be read, or is no ordinary file of bearable size.
    pub(in crate::commands) fn line_count(&self, path: &str) -> Option<u32> {
        self.line_count_of(path, 0)
    }

    /// The same, of a file that has `size` bytes; 0 for any.
    pub(in crate::commands) fn line_count_of(&self, path: &str, size: u64) -> Option<u32> {
        let paths = [self.folder.join(path), PathBuf::from(path)];
        let mut counted = self.counted.borrow_mut();
        let mut counts = paths.into_iter().filter_map(|path| counted.count(path));
        counts.find(|(found, _)| size == 0 || size == *found).map(|(_, lines)| lines)
    }
}

impl Counted {
    fn count(&mut self, path: PathBuf) -> Option<(u64, u32)> {
        if let Some(known) = self.files.get(&path) {
            return *known;
        }
        let count = count(&path, LARGEST_SUM.saturating_sub(self.bytes).min(LARGEST));
        self.bytes = self.bytes.saturating_add(count.map_or(0, |(size, _)| size));
        self.files.insert(path, count);
        count
    }
}

fn count(path: &Path, largest: u64) -> Option<(u64, u32)> {
    let about = fs::metadata(path).ok()?;
    // Files of no length are those of procfs, which may never end.
    if !about.is_file() || about.len() == 0 || about.len() > largest {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    let ends = memchr::memchr_iter(b'\n', &bytes).count();
    let open = bytes.last().is_some_and(|&last| last != b'\n');
    Some((about.len(), u32::try_from(ends + usize::from(open)).ok()?))
}
