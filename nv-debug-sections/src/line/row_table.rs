//! Line rows by address, with the numbers by which inlining contexts refer to them.

use super::{LineRow, LineTable, Sequence};

/// The rows of one sequence, for lookup by address and by the number that inlining contexts use.
#[derive(Debug, Clone)]
pub struct RowTable {
    unit: usize,
    end: u64,
    /// In program order; addresses relative to the sequence's start.
    all: Vec<LineRow>,
    /// Indices into `all` of the rows that count, in order: the row that context `n` means is
    /// `counted[n - 1]`.
    counted: Vec<u32>,
    /// Indices into `all` by ascending address; of several rows at one address only the last.
    by_address: Vec<u32>,
    /// Callers above each row of `all`, up to the function's own row or a lost context.
    depths: Vec<u32>,
}

impl RowTable {
    /// Runs a sequence of `table` and keeps its rows. `unit` is the 0-based number of the unit in
    /// its section.
    pub fn new(unit: usize, table: &LineTable<'_>, sequence: &Sequence) -> Self {
        let all: Vec<LineRow> = table.rows(sequence).collect();
        // A row that repeats address and line of the one before is written by no rule that numbers
        // rows: on sm_90 and later ptxas doubles rows at function starts and leaves them out of its
        // count (docs/formats/line-tables.md, rows from sm_90 on; checked against nvdisasm).
        let mut counted = Vec::new();
        let mut last = None;
        for (index, row) in (0..).zip(&all) {
            let here = Some((row.address, row.line));
            if here != last {
                counted.push(index);
            }
            last = here;
        }
        let address = |index: &u32| all.get(*index as usize).map_or(0, |row| row.address);
        let mut by_address: Vec<u32> = (0..).take(all.len()).collect();
        // Stable, so that of equal addresses the last row stays last; then only that is kept.
        by_address.sort_by_key(address);
        by_address.reverse();
        by_address.dedup_by_key(|index| address(index));
        by_address.reverse();
        let mut rows = Self { unit, end: sequence.end, all, counted, by_address, depths: Vec::new() };
        for index in 0..rows.all.len() {
            // A caller is an earlier row, so that its own depth is known.
            let above = rows.caller(index).and_then(|caller| rows.depths.get(caller));
            let depth = above.map_or(0, |above| above.saturating_add(1));
            rows.depths.push(depth);
        }
        rows
    }

    /// The memory that the rows take, in bytes, including this value.
    pub fn heap_bytes(&self) -> usize {
        let numbers = [&self.counted, &self.by_address, &self.depths].map(Vec::capacity);
        size_of::<Self>()
            + size_of::<LineRow>() * self.all.capacity()
            + size_of::<u32>() * numbers.iter().sum::<usize>()
    }

    /// The 0-based number of the unit in its section. The unit has the file table and the
    /// `.debug_str` base for the rows.
    pub fn unit(&self) -> usize {
        self.unit
    }

    /// The address of the first byte after the sequence's code, relative to the sequence's start.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// All rows in program order; addresses are relative to the sequence's start.
    pub fn all(&self) -> &[LineRow] {
        &self.all
    }

    /// Iterates over the non-empty address ranges that rows cover, by ascending address: the start
    /// and end of each range, relative to the sequence's start, and the index of its row in
    /// [`all`](Self::all).
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64, usize)> {
        let start = |index: u32| self.all.get(index as usize).map_or(0, |row| row.address);
        let ends =
            self.by_address.iter().skip(1).map(move |&index| start(index)).chain(std::iter::once(self.end));
        let ranges =
            self.by_address.iter().zip(ends).map(move |(&index, end)| (start(index), end, index as usize));
        ranges.filter(|(start, end, _)| start < end)
    }

    /// The index of the row that covers `offset`, which is relative to the sequence's start: the
    /// last row at or before the offset.
    pub fn at(&self, offset: u64) -> Option<usize> {
        let after = self
            .by_address
            .partition_point(|&index| self.all.get(index as usize).is_some_and(|row| row.address <= offset));
        let index = *self.by_address.get(after.checked_sub(1)?)?;
        (offset < self.end).then_some(index as usize)
    }

    /// The 1-based number by which inlining contexts refer to row `index`; `None` for a repeated
    /// row, which has no number.
    pub fn row_number(&self, index: usize) -> Option<u32> {
        let at = self.counted.binary_search(&u32::try_from(index).ok()?).ok()?;
        u32::try_from(at + 1).ok()
    }

    /// The index of the row that is the call site of row `index`; `None` if the row is not inlined
    /// code, or if its context names no earlier row.
    pub fn caller(&self, index: usize) -> Option<usize> {
        let context = usize::try_from(self.all.get(index)?.context).ok()?;
        let caller = *self.counted.get(context.checked_sub(1)?)? as usize;
        (caller < index).then_some(caller)
    }

    /// The inlining depth of row `index`: how often [`caller`](Self::caller) can be applied,
    /// starting at the row.
    pub fn depth(&self, index: usize) -> usize {
        self.depths.get(index).map_or(0, |depth| *depth as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::LineOp;
    use dwarf2_writer::line::Params;

    fn rows(ops: Vec<LineOp>, end: u64) -> RowTable {
        let sequence = Sequence { base: 0, base_offset: 0, ops, end };
        let params = Params::default();
        let table = LineTable {
            params,
            directories: vec![],
            files: vec![],
            debug_str_base: None,
            has_lone_end: false,
            sequences: vec![],
        };
        RowTable::new(0, &table, &sequence)
    }

    fn row(address: u64, line: u32) -> LineOp {
        LineOp::Row { address, line }
    }

    fn inlined(context: u64) -> LineOp {
        LineOp::InlinedCall { context, name: 0 }
    }

    fn lines_up(rows: &RowTable, offset: u64) -> Vec<u32> {
        let chain = std::iter::successors(rows.at(offset), |&index| rows.caller(index));
        let lines: Vec<_> = chain.map(|index| rows.all()[index].line).collect();
        let depth = rows.at(offset).map(|index| rows.depth(index) + 1);
        assert_eq!(depth.unwrap_or(0), lines.len());
        lines
    }

    // Fault 28 (docs/bugs.md): kernel line 22, `middle` line 12 in it, `leaf` line 3 in that.
    #[test]
    fn a_chain_follows_row_numbers() {
        let ops = vec![
            row(0, 20),
            row(0x20, 21),
            row(0x30, 23),
            row(0x40, 22),
            inlined(4),
            row(0x40, 12),
            row(0x50, 12),
        ];
        let rows = rows([ops, vec![inlined(6), row(0x50, 3), inlined(0), row(0x60, 24)]].concat(), 0x80);
        assert_eq!(lines_up(&rows, 0x40), [12, 22]);
        assert_eq!(lines_up(&rows, 0x5f), [3, 12, 22]);
        assert_eq!(lines_up(&rows, 0x60), [24]);
    }

    // docs/formats/line-tables.md, opcodes of NVIDIA; `switch_table` for sm_90: with the doubled
    // row counted, its `__syncwarp` would seem to be called from line 10.
    #[test]
    fn a_doubled_row_has_no_number() {
        let ops = vec![row(0, 6), row(0, 6), row(0x10, 10), row(0x20, 38), inlined(3), row(0x20, 110)];
        let rows = rows(ops, 0x30);
        assert_eq!(
            (0..5).map(|index| rows.row_number(index)).collect::<Vec<_>>(),
            [Some(1), None, Some(2), Some(3), Some(4)]
        );
        assert_eq!(lines_up(&rows, 0x20), [110, 38]);
    }

    #[test]
    fn a_row_reaches_to_the_next_and_the_last_to_the_end() {
        let rows = rows(vec![row(0x10, 1), row(0x20, 2), LineOp::Advance(0x28), row(0x20, 3)], 0x30);
        assert_eq!(rows.at(0xf), None);
        assert_eq!(lines_up(&rows, 0x1f), [1]);
        assert_eq!(lines_up(&rows, 0x2f), [3]);
        assert_eq!(rows.at(0x30), None);
        assert_eq!(rows.ranges().collect::<Vec<_>>(), [(0x10, 0x20, 0), (0x20, 0x30, 2)]);
    }

    #[test]
    fn contexts_that_name_no_earlier_row_have_no_caller() {
        let rows = rows(vec![row(0, 1), inlined(2), row(0x10, 2), inlined(9), row(0x20, 3)], 0x30);
        assert_eq!(
            (rows.caller(0), rows.caller(1), rows.caller(2), rows.caller(7)),
            (None, None, None, None)
        );
    }
}
