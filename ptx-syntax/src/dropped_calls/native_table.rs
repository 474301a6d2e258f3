//! A native line table made from that of the Mercury code.

use super::rows::{Row, Rows};
use foldhash::HashMap;

/// A table made from that of the Mercury code (docs/formats/line-tables.md, rows from sm_90 on).
#[derive(Debug, Default)]
pub(super) struct NativeTable<'m> {
    mercury: &'m [Row],
    pub(super) rows: Rows,
    /// The number of Mercury rows that open the function.
    entry_rows: usize,
    /// The number of the native row of each Mercury row, by address, line and file.
    row_of: HashMap<RowKey, usize>,
    previous: Option<usize>,
    /// The number of the Mercury row of the call site in force; 0 for none.
    call_site: usize,
}

/// What ptxas tells Mercury rows apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct RowKey {
    address: u64,
    line: u32,
    file: u16,
}

impl RowKey {
    fn of(row: Row) -> Self {
        let Row { address, line, file, .. } = row;
        Self { address, line, file }
    }
}

impl<'m> NativeTable<'m> {
    /// An empty table. The first `entry_rows` of the rows of the Mercury table open the function.
    pub(super) fn new(mercury: &'m [Row], entry_rows: usize) -> Self {
        Self { mercury, entry_rows, ..Self::default() }
    }

    /// Takes an instruction that the last of the first `count` Mercury rows covers.
    pub(super) fn instruction(&mut self, address: u64, count: usize) {
        let Some(index) = count.checked_sub(1) else { return };
        let before = self.previous.replace(index);
        let Some(row) = self.mercury.get(index).copied().filter(|_| before != Some(index)) else { return };
        let is_same_context = row.context == self.call_site;
        if self.rows.list.is_empty() {
            // The call site is left out.
            self.rows.set_file(row.file);
            self.rows.row(address, row.line);
            self.stand_in(row);
        } else if index == self.entry_rows && is_same_context && row.line == self.rows.line {
            self.rows.set_file(row.file);
            self.rows.address = address;
        } else if before.is_some_and(|before| self.is_alike(index, before)) {
            // Both are one row.
        } else {
            let mut unwritten = Vec::new();
            let mut next = row.context;
            while let Some(site) = next.checked_sub(1).and_then(|index| self.mercury.get(index)).copied() {
                if self.row_of.contains_key(&RowKey::of(site)) {
                    break;
                }
                unwritten.push(site);
                next = site.context;
            }
            for site in unwritten.into_iter().rev() {
                self.emit(site, address, true);
                self.row_of.entry(RowKey::of(site)).or_insert(self.rows.list.len());
            }
            self.emit(row, address, false);
        }
    }

    pub(super) fn emit(&mut self, row: Row, address: u64, is_call_site: bool) {
        let is_same_context = row.context == self.call_site;
        if is_call_site && is_same_context {
            self.rows.assumed_file = Some(row.file); // ptxas forgets to write it
        } else {
            self.rows.set_file(row.file);
        }
        if !is_same_context {
            let site = row.context.checked_sub(1).and_then(|index| self.mercury.get(index));
            let context = site.and_then(|site| self.row_of.get(&RowKey::of(*site))).copied().unwrap_or(0);
            (self.rows.context, self.rows.name) = (context, row.name);
            self.call_site = row.context;
        }
        let is_special = self.rows.is_special(address, row.line);
        self.rows.row_unless_written(address, row.line);
        if !is_call_site && is_same_context && !is_special {
            self.stand_in(row);
        }
    }

    /// Records the last row as that of call sites at address 0: ptxas forgets the address.
    fn stand_in(&mut self, row: Row) {
        self.row_of.entry(RowKey { address: 0, ..RowKey::of(row) }).or_insert(self.rows.list.len());
    }

    fn is_alike(&self, a: usize, b: usize) -> bool {
        let is_plain = |index: usize| index > self.entry_rows;
        let of =
            |index: usize| self.mercury.get(index).map(|row| (row.line, row.file, row.context, row.name));
        is_plain(a) && is_plain(b) && of(a) == of(b)
    }
}
