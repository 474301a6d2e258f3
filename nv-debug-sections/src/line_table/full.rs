//! Line programs with everything that the `.loc` directives state. ptxas drops columns, and rows
//! that change only file, column or call site.

use super::{EntryRow, Loc, LocId, LocatedInstruction};
use crate::catalog::Space;
use crate::line::LineOp;
use std::collections::{HashMap, HashSet};

/// Builds the line program of one code section with all rows and columns that the `.loc` directives
/// give, also those that ptxas leaves out.
///
/// A row stands wherever file, line, column or call site change; line 0 has rows too. It begins a
/// statement (`is_stmt`) where code of its directive comes first. Call sites have rows of their own
/// at the address of the first code that is inlined there, which the row of that code follows.
/// `columns` has the column of each of `locs`, 0 for none; the rest is as for
/// [`line_program_from_locs`](super::line_program_from_locs).
pub fn full_line_program(
    locs: &[Loc],
    columns: &[u32],
    instructions: &[LocatedInstruction],
    entries: &[EntryRow],
    space: Space,
) -> Vec<LineOp> {
    let mut builder = Builder { locs, columns, ..Builder::default() };
    let mut entries = entries.iter().peekable();
    for instruction in instructions {
        while let Some(entry) = entries.next_if(|entry| entry.address <= instruction.address) {
            builder.entry_row(entry, space);
        }
        if let Some(loc) = instruction.loc {
            builder.instruction(instruction.address, loc);
        }
    }
    for entry in entries {
        builder.entry_row(entry, space);
    }
    builder.ops
}

/// What a row says beside its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RowState {
    file: u32,
    line: u32,
    column: u32,
    /// Row number of the call site.
    context: u64,
    name: u32,
    is_stmt: bool,
}

#[derive(Debug, Default)]
struct Builder<'a> {
    locs: &'a [Loc],
    columns: &'a [u32],
    ops: Vec<LineOp>,
    /// Registers; `None` before the first row.
    written: Option<(u64, RowState)>,
    /// Rows that count: one that repeats address and line of the row before does not
    /// (docs/formats/line-tables.md, opcodes of NVIDIA).
    rows: u64,
    /// Number of the row of each call site.
    row_of: HashMap<LocId, u64>,
    /// Directives whose code has begun.
    begun: HashSet<LocId>,
    previous: Option<LocId>,
}

impl Builder<'_> {
    fn row_state(&self, id: LocId, is_stmt: bool) -> Option<RowState> {
        let index = id.0 as usize;
        let Loc { file, line, name, parent } = *self.locs.get(index)?;
        let context = parent.and_then(|parent| self.row_of.get(&parent)).copied().unwrap_or(0);
        let name = if context == 0 { 0 } else { name };
        Some(RowState {
            file,
            line,
            column: self.columns.get(index).copied().unwrap_or(0),
            context,
            name,
            is_stmt,
        })
    }

    fn entry_row(&mut self, entry: &EntryRow, space: Space) {
        let Some(place) = self.row_state(entry.loc, true) else { return };
        let flagged = entry.flagged && space == Space::Mercury;
        if flagged {
            self.ops.push(LineOp::EntryRow(1));
        }
        self.row(entry.address, RowState { context: 0, name: 0, ..place });
        if flagged {
            self.ops.push(LineOp::EntryRow(0));
        }
        self.previous = None;
    }

    fn instruction(&mut self, address: u64, id: LocId) {
        if self.previous.replace(id) == Some(id) {
            return;
        }
        for ancestor in self.unwritten_ancestors(id) {
            self.call_site(address, ancestor);
        }
        let is_stmt = self.begun.insert(id);
        let Some(place) = self.row_state(id, is_stmt) else { return };
        let same = self.written.is_some_and(|(_, written)| RowState { is_stmt, ..written } == place);
        // Of several directives that say the same only the first code has a row; at another address
        // a statement begins all the same.
        if !same || is_stmt && self.written.is_some_and(|(at, written)| at != address || !written.is_stmt) {
            self.row(address, place);
        }
    }

    /// Call sites above a directive that have no row yet, outermost first.
    fn unwritten_ancestors(&self, id: LocId) -> Vec<LocId> {
        let parent = |id: LocId| {
            let parent = self.locs.get(id.0 as usize)?.parent;
            // Parents come earlier in the text, which ends every chain.
            parent.filter(|parent| *parent < id && !self.row_of.contains_key(parent))
        };
        let mut chain: Vec<LocId> = std::iter::successors(parent(id), |id| parent(*id)).collect();
        chain.reverse();
        chain
    }

    fn call_site(&mut self, address: u64, id: LocId) {
        let Some(place) = self.row_state(id, false) else { return };
        let repeats = self.written.is_some_and(|(at, written)| (at, written.line) == (address, place.line));
        if repeats {
            // It would not count, and could not be referred to: a row between them, which the next
            // replaces.
            let other = u32::from(place.line == 0);
            self.row(address, RowState { line: other, ..place });
        }
        self.row(address, place);
        self.row_of.insert(id, self.rows);
    }

    fn row(&mut self, address: u64, place: RowState) {
        let RowState { file, line, column, context, name, is_stmt } = place;
        let before = self.written.map(|(_, before)| before);
        // The registers that a sequence begins with (DWARF 2.0.0 §6.2.2).
        let initial = RowState { file: 1, line: 1, column: 0, context: 0, name: 0, is_stmt: true };
        let registers = before.unwrap_or(initial);
        if before.is_none() || file != registers.file {
            self.ops.push(LineOp::SetFile(file.into()));
        }
        if (context, name) != (registers.context, registers.name) {
            self.ops.push(LineOp::InlinedCall { context, name: name.into() });
        }
        if column != registers.column {
            self.ops.push(LineOp::SetColumn(column.into()));
        }
        if is_stmt != registers.is_stmt {
            self.ops.push(LineOp::NegateStmt);
        }
        let repeats = self.written.is_some_and(|(at, before)| (at, before.line) == (address, line));
        self.rows += u64::from(!repeats);
        self.ops.push(LineOp::Row { address, line });
        self.written = Some((address, place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::{DWARF2_PARAMS, LineRow, LineTable, Sequence};
    use proptest::prelude::*;

    fn loc(file: u32, line: u32, parent: Option<u32>) -> Loc {
        Loc { file, line, name: parent.map_or(0, |parent| parent + 10), parent: parent.map(LocId) }
    }

    fn rows(ops: Vec<LineOp>) -> Vec<LineRow> {
        let sequence = Sequence { base: 0, base_offset: 0, ops, end: 0x1000 };
        let table = LineTable {
            params: DWARF2_PARAMS,
            directories: Vec::new(),
            files: Vec::new(),
            debug_str_base: None,
            has_lone_end: false,
            sequences: Vec::new(),
        };
        table.rows(&sequence).collect()
    }

    fn located(addresses: &[(u64, u32)]) -> Vec<LocatedInstruction> {
        addresses
            .iter()
            .map(|&(address, loc)| LocatedInstruction { address, loc: Some(LocId(loc)) })
            .collect()
    }

    /// What the row that covers each address says: file, line, column and the names of the chain,
    /// innermost first.
    fn said(rows: &[LineRow], address: u64) -> Option<(u64, u32, u64, Vec<u64>)> {
        let mut counted: Vec<LineRow> = Vec::new();
        let mut last = None;
        for row in rows {
            if last != Some((row.address, row.line)) {
                counted.push(*row);
            }
            last = Some((row.address, row.line));
        }
        let row = rows.iter().rfind(|row| row.address <= address)?;
        let mut names = Vec::new();
        let mut at = *row;
        while at.context != 0 {
            names.push(at.name);
            at = counted[at.context as usize - 1];
        }
        Some((row.file, row.line, row.column, names))
    }

    #[test]
    fn what_ptxas_drops_is_there() {
        // The same line in another file, the same line at another column, a call from the same line
        // twice.
        let locs = [
            loc(1, 7, None),
            loc(2, 7, None),
            loc(2, 7, None),
            loc(3, 1, Some(2)),
            loc(3, 1, Some(1)),
            loc(1, 0, None),
        ];
        let columns = [5, 5, 9, 1, 1, 0];
        let instructions =
            located(&[(0, 0), (0x10, 1), (0x20, 2), (0x30, 3), (0x40, 4), (0x50, 5), (0x60, 1)]);
        let entry = EntryRow { address: 0, loc: LocId(0), flagged: true };
        let rows = rows(full_line_program(&locs, &columns, &instructions, &[entry], Space::Native));
        let at = |address| said(&rows, address).unwrap();
        assert_eq!(at(0), (1, 7, 5, vec![]));
        assert_eq!(at(0x10), (2, 7, 5, vec![]));
        assert_eq!(at(0x20), (2, 7, 9, vec![]));
        assert_eq!(at(0x30), (3, 1, 1, vec![12]));
        assert_eq!(at(0x40), (3, 1, 1, vec![11]));
        assert_eq!(at(0x50), (1, 0, 0, vec![]));
        assert_eq!(at(0x60), (2, 7, 5, vec![]));
        // Line 7 of file 2 goes on at 0x60: no statement begins there.
        let stmts: Vec<u64> = rows.iter().filter(|row| row.is_stmt).map(|row| row.address).collect();
        assert_eq!(stmts, [0, 0x10, 0x20, 0x30, 0x40, 0x50]);
    }

    #[test]
    fn only_mercury_tables_have_flags() {
        let entry = EntryRow { address: 0, loc: LocId(0), flagged: true };
        let flags = |table| {
            let ops = full_line_program(&[loc(1, 7, None)], &[1], &located(&[(0, 0)]), &[entry], table);
            ops.iter().filter(|op| matches!(op, LineOp::EntryRow(_))).count()
        };
        assert_eq!((flags(Space::Native), flags(Space::Mercury)), (0, 2));
    }

    proptest! {
        /// Every address has file, line, column and chain of its directive, whatever came before.
        #[test]
        fn every_address_says_what_its_directive_says(
            directives in prop::collection::vec((1_u32..4, 0_u32..4, 0_u32..3, any::<Option<prop::sample::Index>>()), 1..12),
            code in prop::collection::vec(any::<prop::sample::Index>(), 1..40),
        ) {
            let mut locs: Vec<Loc> = Vec::new();
            let mut columns = Vec::new();
            for (number, (file, line, column, parent)) in (0_u32..).zip(directives) {
                let parent = parent.filter(|_| number > 0).map(|index| index.index(number as usize) as u32);
                locs.push(Loc { file, line, name: 100 + number, parent: parent.map(LocId) });
                columns.push(column);
            }
            let places: Vec<(u64, u32)> =
                (0..).step_by(16).zip(code.iter().map(|index| index.index(locs.len()) as u32)).collect();
            let rows = rows(full_line_program(&locs, &columns, &located(&places), &[], Space::Native));
            for (address, id) in places {
                let directive = locs[id as usize];
                let mut names = Vec::new();
                let mut at = directive;
                while let Some(parent) = at.parent {
                    names.push(at.name.into());
                    at = locs[parent.0 as usize];
                }
                let want = (directive.file.into(), directive.line, columns[id as usize].into(), names);
                prop_assert_eq!(said(&rows, address), Some(want), "at {:#x}", address);
            }
        }
    }
}
