//! Time and size of source files: from the PTX, the command line, or the file system.

use crate::diag::Diagnostic;
use crate::options::FileStat;
use nv_debug_sections::file_table::{self, SourceFile};
use ptx_syntax::{FileDirective, Module};
use std::collections::{BTreeMap, HashSet};
use std::time::UNIX_EPOCH;

/// Stands in the file table for a path without a file name.
pub const UNNAMED: &str = "<unnamed>";

/// Answers `stat` for the paths of `.file` directives.
#[derive(Debug)]
pub struct SourceStats<'a> {
    given: BTreeMap<&'a str, &'a FileStat>,
    /// Whether the file system is asked for the others.
    asks: bool,
}

impl<'a> SourceStats<'a> {
    /// `given` are the command line's answers; a later one for the same path wins. For other files the file system is asked, if it `asks`.
    pub fn new(given: &'a [FileStat], asks: bool) -> Self {
        Self { asks, given: given.iter().map(|stat| (stat.path.as_str(), stat)).collect() }
    }

    /// All `.file` directives of a module with time and size settled, in text order.
    ///
    /// A path that ends in no name gets [`UNNAMED`], with a warning. Not if `as_ptxas`: ptxas, where it does not crash, writes an empty
    /// entry, at which readers take the table to end.
    pub fn settle_all<'f>(
        &self,
        module: &Module<'f>,
        as_ptxas: bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<SourceFile<'f>> {
        let settle = |file: &FileDirective<'f>| {
            let mut settled = self.settle(file);
            if !file_table::name(settled.path).is_empty() {
                return settled;
            }
            if as_ptxas {
                let message = "the path names no file: as in ptxas' own tables, no reader sees the files and lines \
                               behind it; --line-table compact or full gives it a name";
                diagnostics.push(Diagnostic::warning(file.path_range, message));
            } else {
                let message = format!("the path names no file: \"{UNNAMED}\" is written in its place");
                diagnostics.push(Diagnostic::warning(file.path_range, message));
                settled.path = UNNAMED.as_bytes();
            }
            settled
        };
        let files = module.files().map(settle).collect();
        let declared: HashSet<&str> = module.files().map(|file| file.path).collect();
        for path in self.given.keys().filter(|path| !declared.contains(**path)) {
            let message = format!("--file-stat {path}=...: no .file has this path");
            diagnostics.push(Diagnostic::warning(None, message));
        }
        files
    }

    /// A `.file` with its time and size settled. Those of the directive are used if its time is not 0; else both come from the
    /// command line or the file system, relative to the working directory. A missing file has 0 and 0. (FORMATS 1.2)
    fn settle<'f>(&self, file: &FileDirective<'f>) -> SourceFile<'f> {
        let declared = file.timestamp.filter(|time| *time != 0).map(|time| (time, file.size.unwrap_or(0)));
        let (mtime, size) = declared.unwrap_or_else(|| self.stat(file.path));
        SourceFile { index: file.index, path: file.path.as_bytes(), mtime, size }
    }

    fn stat(&self, path: &str) -> (u64, u64) {
        if let Some(stat) = self.given.get(path) {
            return (stat.mtime, stat.size);
        }
        let metadata = if self.asks { std::fs::metadata(path).ok() } else { None };
        let Some(metadata) = metadata else { return (0, 0) };
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (modified.map_or(0, |since| since.as_secs()), metadata.len())
    }
}
