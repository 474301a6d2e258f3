//! The times and sizes of source files, from the file system.

use nvdwarf_compile::FileStat;
use std::time::UNIX_EPOCH;

/// What the file system says of paths, relative to the working directory; nothing of files that are
/// missing.
pub(super) fn find_sources(paths: Vec<&str>) -> Vec<FileStat> {
    let stat = |path: &str| {
        let metadata = std::fs::metadata(path).ok()?;
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let mtime = modified.map_or(0, |since| since.as_secs());
        Some(FileStat { path: path.to_owned(), mtime, size: metadata.len() })
    };
    paths.into_iter().filter_map(stat).collect()
}
