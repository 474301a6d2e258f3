//! A line table made from `.loc` directives.

use super::LocRow;
use super::rows::Rows;
use foldhash::HashMap;

/// A table made from `.loc` (docs/formats/line-tables.md, rows made from .loc).
#[derive(Debug, Default)]
pub(super) struct LocTable<'l> {
    pub(super) locs: &'l [LocRow],
    pub(super) rows: Rows,
    /// The number of rows that open the function.
    pub(super) entry_rows: usize,
    /// The number of the row of each `.loc` that was written as a call site.
    pub(super) row_of: HashMap<usize, usize>,
    pub(super) previous: Option<usize>,
    pub(super) last_call_site: Option<usize>,
}

impl LocTable<'_> {
    pub(super) fn instruction(&mut self, address: u64, index: usize) {
        let Some(loc) = self.locs.get(index).copied() else { return };
        if loc.line == 0 || self.previous == Some(index) {
            return;
        }
        let before = self.previous.replace(index).and_then(|before| self.locs.get(before));
        let is_elsewhere = loc.call_site.is_some() && loc.call_site != self.last_call_site;
        if before.is_none_or(|before| before.line != loc.line) || is_elsewhere {
            self.emit(address, index, &loc);
        }
    }

    pub(super) fn emit(&mut self, address: u64, index: usize, loc: &LocRow) {
        let mut unwritten = Vec::new();
        let (mut next, mut child) = (loc.call_site, index);
        while let Some(site) = next.filter(|site| *site < child && !self.row_of.contains_key(site)) {
            unwritten.push(site);
            (next, child) = (self.locs.get(site).and_then(|loc| loc.call_site), site);
        }
        for site in unwritten.into_iter().rev() {
            let Some(loc) = self.locs.get(site).copied() else { continue };
            self.set_state(&loc);
            self.rows.row_unless_written(address, loc.line);
            self.row_of.insert(site, self.rows.list.len());
        }
        self.last_call_site = loc.call_site.or(self.last_call_site);
        self.set_state(loc);
        if !self.rows.list.is_empty() && loc.line == self.rows.line {
            self.rows.address = address;
        } else {
            self.rows.row(address, loc.line);
        }
    }

    fn set_state(&mut self, loc: &LocRow) {
        let context = loc.call_site.and_then(|site| self.row_of.get(&site)).copied().unwrap_or(0);
        self.rows.set_file(loc.file);
        self.rows.set_context(context, loc.name);
    }
}
