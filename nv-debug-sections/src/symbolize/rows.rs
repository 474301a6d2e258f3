//! Line rows by address, with the numbers that contexts refer to.

use std::collections::HashMap;

use crate::cubin::SectionIndex;
use crate::line::{LineRow, LineTable, Sequence};

/// The rows of one sequence, ready for lookup.
#[derive(Debug, Clone)]
pub struct Rows {
    unit: usize,
    end: u64,
    /// In program order; addresses relative to the sequence's start.
    all: Vec<LineRow>,
    /// Indices into `all` of the rows that count, in order: the row that context `n` means is `counted[n - 1]`.
    counted: Vec<u32>,
    /// Indices into `all` by ascending address; of several rows at one address only the last.
    by_address: Vec<u32>,
}

impl Rows {
    /// Runs a sequence of `table`, which is unit `unit` (0-based) of its section.
    pub fn new(unit: usize, table: &LineTable<'_>, sequence: &Sequence) -> Self {
        let all: Vec<LineRow> = table.rows(sequence).collect();
        // A row that repeats address and line of the one before is written by no rule that numbers rows: on sm_90 and later
        // ptxas doubles rows at function starts and leaves them out of its count (FORMATS 1.6; checked against nvdisasm).
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
        Self { unit, end: sequence.end, all, counted, by_address }
    }

    /// 0-based number of the unit in its section: which file table and name base apply.
    pub fn unit(&self) -> usize {
        self.unit
    }

    /// First byte behind the sequence, relative to its start.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// All rows in program order; addresses are relative to the sequence's start.
    pub fn all(&self) -> &[LineRow] {
        &self.all
    }

    /// Ranges that rows cover, by ascending address: `(start, end, index into `[`all`](Self::all)`)`, relative to the
    /// sequence's start, none empty.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64, usize)> {
        let start = |index: u32| self.all.get(index as usize).map_or(0, |row| row.address);
        let ends = self.by_address.iter().skip(1).map(move |&index| start(index)).chain(std::iter::once(self.end));
        let ranges = self.by_address.iter().zip(ends).map(move |(&index, end)| (start(index), end, index as usize));
        ranges.filter(|(start, end, _)| start < end)
    }

    /// Index of the row that covers `offset` (relative to the sequence's start): the last one at or before it.
    pub fn at(&self, offset: u64) -> Option<usize> {
        let after = self.by_address.partition_point(|&index| {
            self.all.get(index as usize).is_some_and(|row| row.address <= offset)
        });
        let index = *self.by_address.get(after.checked_sub(1)?)?;
        (offset < self.end).then_some(index as usize)
    }

    /// The number by which contexts refer to row `index`, 1-based; `None` for a doubled row, which has none.
    pub fn number(&self, index: usize) -> Option<u32> {
        let at = self.counted.binary_search(&u32::try_from(index).ok()?).ok()?;
        u32::try_from(at + 1).ok()
    }

    /// Index of the row that is the call site of row `index`; `None` if that is not inlined, or its context names no
    /// earlier row.
    pub fn caller(&self, index: usize) -> Option<usize> {
        let context = usize::try_from(self.all.get(index)?.context).ok()?;
        let caller = *self.counted.get(context.checked_sub(1)?)? as usize;
        (caller < index).then_some(caller)
    }
}

/// All sequences of a line section, by code section.
#[derive(Debug, Clone, Default)]
pub struct Sequences {
    sections: HashMap<SectionIndex, Vec<(u64, Rows)>>,
    unplaced: usize,
}

impl Sequences {
    pub(super) fn push(&mut self, section: SectionIndex, start: u64, rows: Rows) {
        self.sections.entry(section).or_default().push((start, rows));
    }

    pub(super) fn count_unplaced(&mut self) {
        self.unplaced += 1;
    }

    pub(super) fn sort(&mut self) {
        for sequences in self.sections.values_mut() {
            sequences.sort_by_key(|(start, _)| *start);
        }
    }

    /// Sequences that belong to no section: nvlink leaves those of functions it has dropped, without relocation.
    pub fn unplaced(&self) -> usize {
        self.unplaced
    }

    /// The sequences of a code section by ascending start (byte offset in the section).
    pub fn of(&self, section: SectionIndex) -> &[(u64, Rows)] {
        self.sections.get(&section).map_or(&[], Vec::as_slice)
    }

    /// The row that covers byte `offset` of `section`, as its sequence and its index there.
    pub fn find(&self, section: SectionIndex, offset: u64) -> Option<(&Rows, usize)> {
        let sequences = self.of(section);
        let after = sequences.partition_point(|(start, _)| *start <= offset);
        let (start, rows) = sequences.get(after.checked_sub(1)?)?;
        Some((rows, rows.at(offset - start)?))
    }
}
