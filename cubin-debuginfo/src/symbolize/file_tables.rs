//! The file tables of `.debug_line`.

use std::fmt;

/// A source file of a line table: its path, or its number if the file table does not declare it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TableFileName<'s> {
    /// The path of the file, directory and name, from the file table.
    Path(&'s str),
    /// The number of a file that the file table does not have.
    Undeclared(u64),
}

impl<'s> TableFileName<'s> {
    /// The path of the file; `None` for a file that the line table does not declare.
    pub fn path(self) -> Option<&'s str> {
        match self {
            Self::Path(path) => Some(path),
            Self::Undeclared(_) => None,
        }
    }
}

impl fmt::Display for TableFileName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => f.write_str(path),
            Self::Undeclared(number) => write!(f, "file {number} (not declared)"),
        }
    }
}

/// The paths of all units.
#[derive(Debug, Clone, Default)]
pub(super) struct Files {
    /// The paths of one unit after another, each by file number less 1.
    paths: Vec<Option<String>>,
    /// Where each unit's begin in `paths`.
    first: Vec<usize>,
}

impl Files {
    /// Adds the next unit's, by file number less 1.
    pub(super) fn add(&mut self, paths: Vec<Option<String>>) {
        self.first.push(self.paths.len());
        self.paths.extend(paths);
    }

    /// Those that have a path, unit by unit.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().filter_map(Option::as_deref)
    }

    /// For [`name`](Self::name): where number `file` of unit `unit` (0-based) stands; `None` where
    /// that is not declared.
    pub(super) fn find(&self, unit: usize, file: u64) -> Option<usize> {
        let (first, end) =
            (*self.first.get(unit)?, self.first.get(unit + 1).copied().unwrap_or(self.paths.len()));
        let index = first.checked_add(usize::try_from(file).ok()?.checked_sub(1)?)?;
        (index < end && self.paths.get(index)?.is_some()).then_some(index)
    }

    /// The name of file number `file`, which [`find`](Self::find) has looked for.
    #[inline]
    pub(super) fn name(&self, found: Option<usize>, file: u64) -> TableFileName<'_> {
        let path = found.and_then(|index| self.paths.get(index)?.as_deref());
        path.map_or(TableFileName::Undeclared(file), TableFileName::Path)
    }
}
