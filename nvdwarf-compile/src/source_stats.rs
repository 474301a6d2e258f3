//! The times and sizes of source files: from the PTX, otherwise from the caller.

use crate::diagnostic::Diagnostic;
use crate::file_stat::FileStat;
use dwarf2_reader::source_path;
use nv_debug_sections::file_table::{self, SourceFile};
use ptx_syntax::{FileDirective, Module};
use std::collections::{BTreeMap, HashSet};

/// Stands in the file table for a path without a file name.
const UNNAMED: &str = "<unnamed>";

/// The times and sizes of the source files that `.file` directives name.
#[derive(Debug)]
pub(crate) struct SourceStats<'a> {
    /// The times and sizes from the options, by normalized path; a later one for the same path
    /// wins.
    given: BTreeMap<String, &'a FileStat>,
    /// The times and sizes that were found for other files, by normalized path.
    found: BTreeMap<String, &'a FileStat>,
    /// The time of every file for which the options give no other.
    time: Option<u64>,
}

impl<'a> SourceStats<'a> {
    pub(crate) fn new(given: &'a [FileStat], found: &'a [FileStat]) -> Self {
        let path = |stat: &FileStat| source_path::normalized(&stat.path);
        let by_path = |stats: &'a [FileStat]| stats.iter().map(|stat| (path(stat), stat)).collect();
        Self { given: by_path(given), found: by_path(found), time: None }
    }

    /// Sets the time of every file for which the options give no other, if there is one.
    pub(crate) fn with_time(self, time: Option<u64>) -> Self {
        Self { time, ..self }
    }

    /// The paths of the module's files whose time and size are unknown, each once, in text order.
    pub(crate) fn paths_without_stat<'f>(&self, module: &Module<'f>) -> Vec<&'f str> {
        let mut seen = HashSet::new();
        let files = module.files().filter(|file| declared(file).is_none());
        let unknown = files.map(|file| file.path).filter(|path| self.get(path).is_none());
        unknown.filter(|path| seen.insert(*path)).collect()
    }

    /// All `.file` directives of a module with time and size settled, in text order.
    ///
    /// A path that ends in no name gets [`UNNAMED`], with a warning. Not if `as_ptxas`: ptxas,
    /// where it does not crash, writes an empty entry, at which readers take the table to end.
    pub(crate) fn settle_all<'f>(
        &self,
        module: &Module<'f>,
        as_ptxas: bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<SourceFile<'f>> {
        let settle = |file: &FileDirective<'f>| {
            let mut settled = self.settle(file);
            if !file_table::file_name(settled.path).is_empty() {
                return settled;
            }
            if as_ptxas {
                let message = "the path names no file: as in ptxas' own tables, no reader sees the files and lines \
                               after it; --line-table compact or full gives it a name";
                diagnostics.push(Diagnostic::warning(file.path_range, message));
            } else {
                let message = format!("the path names no file: \"{UNNAMED}\" is written in its place");
                diagnostics.push(Diagnostic::warning(file.path_range, message));
                settled.path = UNNAMED.as_bytes();
            }
            settled
        };
        let files = module.files().map(settle).collect();
        let is_unknown =
            |stat: &&FileStat| module.files().all(|file| !source_path::is_same(file.path, &stat.path));
        for FileStat { path, .. } in self.given.values().copied().filter(is_unknown) {
            let message = format!("--file-stat {path}=...: no .file has this path");
            diagnostics.push(Diagnostic::warning(None, message));
        }
        files
    }

    /// Returns a `.file` with its time and size. If these are unknown, both are 0, as for a missing
    /// file (docs/formats/line-tables.md, directories and files).
    fn settle<'f>(&self, file: &FileDirective<'f>) -> SourceFile<'f> {
        let given = || self.get(file.path).map(|stat| (stat.mtime, stat.size));
        let (mtime, size) = declared(file).or_else(given).unwrap_or_default();
        let is_given = self.given.contains_key(&source_path::normalized(file.path));
        let mtime = self.time.filter(|_| !is_given).unwrap_or(mtime);
        SourceFile { index: file.index, path: file.path.as_bytes(), mtime, size }
    }

    fn get(&self, path: &str) -> Option<&'a FileStat> {
        let path = source_path::normalized(path);
        self.given.get(&path).or_else(|| self.found.get(&path)).copied()
    }
}

/// Time and size that the directive has; they count if the time is not 0.
fn declared(file: &FileDirective<'_>) -> Option<(u64, u64)> {
    file.timestamp.filter(|time| *time != 0).map(|time| (time, file.size.unwrap_or(0)))
}
