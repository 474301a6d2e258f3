//! The files of line tables, and those that the rows of some code name.

use super::rows::{Units, all_rows};
use nv_debug_sections::cubin::SectionIndex;
use std::collections::HashMap;
use std::ops::Range;

/// Number of a path among those of all tables.
pub(in super::super) type PathId = u32;

/// The files of a line table.
#[derive(Debug, Clone)]
pub(in super::super) struct TableFiles {
    /// Where the table starts in its section.
    pub(in super::super) offset: u64,
    /// The path of each file, from file 1 on; `None` where the table has no such directory.
    paths: Vec<Option<PathId>>,
}

impl TableFiles {
    /// How many files it has.
    pub(in super::super) fn count(&self) -> u64 {
        self.paths.len() as u64
    }

    /// The path of a file.
    pub(in super::super) fn path(&self, file: u64) -> Option<PathId> {
        let index = usize::try_from(file).ok()?.checked_sub(1)?;
        self.paths.get(index).copied().flatten()
    }
}

/// The files of all tables of `.debug_line`, and where rows name each.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct LineFiles {
    /// The line tables by their offset in `.debug_line`.
    pub(in super::super) tables: Vec<TableFiles>,
    paths: Vec<String>,
    /// Addresses of all rows of a section, ascending.
    rows: HashMap<SectionIndex, Vec<u32>>,
    /// Addresses of the rows of a section that name a file, ascending.
    of_file: HashMap<(SectionIndex, PathId), Vec<u32>>,
}

impl LineFiles {
    /// Collects the files of these tables. `places` has where sequences start, by the offset of
    /// their address.
    pub(super) fn new(units: Units<'_, '_>, places: &HashMap<u64, (SectionIndex, u64)>) -> Self {
        let mut files = Self::default();
        let mut ids: HashMap<String, PathId> = HashMap::new();
        for unit in units {
            let (offset, table) = (unit.offset, &unit.table);
            let paths = (1..).zip(&table.files).map(|(number, _)| {
                let path = table.path(number)?;
                let next = ids.len() as PathId;
                Some(*ids.entry(path).or_insert(next))
            });
            files.tables.push(TableFiles { offset, paths: paths.collect() });
        }
        let mut paths: Vec<_> = ids.into_iter().collect();
        paths.sort_unstable_by_key(|(_, id)| *id);
        files.paths = paths.into_iter().map(|(path, _)| path).collect();
        for (unit, base_offset, row) in all_rows(units) {
            let Some((section, start)) = places.get(&base_offset) else { continue };
            let Some(path) = files.tables.get(unit).and_then(|table| table.path(row.file)) else { continue };
            // No code is as long as that.
            let address = u32::try_from(start.saturating_add(row.address)).unwrap_or(u32::MAX);
            files.rows.entry(*section).or_default().push(address);
            files.of_file.entry((*section, path)).or_default().push(address);
        }
        files.rows.values_mut().chain(files.of_file.values_mut()).for_each(|all| all.sort_unstable());
        files
    }

    /// A path as the tables have it.
    pub(in super::super) fn path(&self, id: PathId) -> &str {
        self.paths.get(id as usize).map_or("", String::as_str)
    }

    /// Whether any row has a place in this code.
    pub(in super::super) fn has_rows(&self, section: SectionIndex, code: &Range<u64>) -> bool {
        self.rows.get(&section).is_some_and(|rows| any_in(rows, code))
    }

    /// Whether a row in this code names a file.
    pub(in super::super) fn names(&self, section: SectionIndex, code: &Range<u64>, path: PathId) -> bool {
        self.of_file.get(&(section, path)).is_some_and(|rows| any_in(rows, code))
    }
}

fn any_in(rows: &[u32], code: &Range<u64>) -> bool {
    let first = rows.partition_point(|row| u64::from(*row) < code.start);
    rows.get(first).is_some_and(|row| u64::from(*row) < code.end)
}
