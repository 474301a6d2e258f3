//! Ranges of code that one row covers, cut at the starts of functions.
//!
//! By DWARF a row covers all addresses up to the next row. But functions may share a section, and
//! then a sequence. One without a `.loc` has no row: the row before it is another function's and
//! says nothing of its code. ptxas leaves out the first row of a function, however, also where that
//! has the line of the row before. So a row reaches over the start of a function if
//!
//! - the program stops there without a row (`DW_LNS_advance_pc` alone), as ptxas writes it in place
//!   of a row that it leaves out on sm_75 to sm_89 and in Mercury tables, or
//! - a row starts further on in the function: ptxas gives each function that has a `.loc` a row at
//!   its start, so that this one was left out.
//!
//! Nothing else tells on sm_90 and later whether a function has no `.loc`, or only such with the
//! line of the row before: then it has no line. Rows of PTX lines are never left out, as no two
//! functions have a line in common.
//!
//! Observed: ptxas 13.0.88, sm_75 to sm_120; nvdisasm 13.2 prints a line where it changes, and
//! nothing for either kind of function.

use super::line_table_index::{LineTableIndex, RowRef};
use nv_debug_sections::code::Code;
use nv_debug_sections::cubin::SectionIndex;
use nv_debug_sections::line::LineRow;
use std::ops::Range;

/// What the names of functions begin with that ptxas adds, as those of division: no program has a
/// `.loc` for them, so that no row says anything of their code.
const PTXAS_CODE: &str = "$__internal_";

/// A range of code that one row of a line table covers, all in one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoveredRange {
    /// The byte offsets of the range in its code section.
    pub range: Range<u64>,
    /// The sequence that has the row: its index among those that [`LineTableIndex::of`] returns for
    /// the section.
    pub sequence: usize,
    /// The row that covers the range. Its own address may be before the range, as ranges are cut at
    /// the starts of functions.
    pub row: LineRow,
}

/// As [`CoveredRange`], with a row whose callers can be asked for.
#[derive(Debug)]
pub(super) struct CoveredRowRange<'s> {
    pub(super) range: Range<u64>,
    sequence: usize,
    pub(super) found: RowRef<'s>,
}

impl LineTableIndex<'_> {
    /// Iterates over the non-empty ranges of a code section that rows of the line table cover, by
    /// ascending start.
    pub fn covered<'s>(
        &'s self,
        code: &'s Code<'_>,
        section: SectionIndex,
    ) -> impl Iterator<Item = CoveredRange> + use<'s> {
        self.found_ranges(code, section).map(|found| CoveredRange {
            range: found.range,
            sequence: found.sequence,
            row: found.found.row(),
        })
    }

    /// [`covered`](Self::covered), with rows whose callers can be asked for.
    pub(super) fn found_ranges<'s>(
        &'s self,
        code: &'s Code<'_>,
        section: SectionIndex,
    ) -> impl Iterator<Item = CoveredRowRange<'s>> + use<'s> {
        // Of sequences that overlap, which no tool writes, the one that starts last counts.
        let limits = self.of(section).skip(1).map(|(base, _)| base).chain(std::iter::once(u64::MAX));
        let sequences = self.of(section).enumerate().zip(limits);
        sequences.flat_map(move |((sequence, (base, rows)), limit)| {
            rows.found_ranges().flat_map(move |(start, end, found)| {
                let mut start = base.saturating_add(start);
                let end = base.saturating_add(end).min(limit);
                std::iter::from_fn(move || {
                    while start < end {
                        let (_, stretch) = code.range_at(section, start)?;
                        let next = end.min(code.range(stretch).end);
                        let range = std::mem::replace(&mut start, next)..next;
                        if self.reaches(&found, stretch) {
                            return Some(CoveredRowRange { range, sequence, found });
                        }
                    }
                    None
                })
            })
        })
    }

    /// Finds where rows reach over the starts of functions, which [`find`](Self::find) goes by.
    pub(super) fn bound_by(&mut self, code: &Code<'_>) {
        let mut first_rows = vec![0; code.range_count()];
        for section in code.sections() {
            let mut unclear = Vec::new();
            for number in code.range_numbers_of(section.index).skip(1) {
                let stretch = code.range(number);
                let mut first = stretch.start;
                let is_of_ptxas =
                    code.function_of_range(number).is_some_and(|f| f.name.starts_with(PTXAS_CODE));
                if is_of_ptxas {
                    // Rows in it are those of `IMNMX` instructions of sm_110, which have the line
                    // of other code.
                    first = stretch.end;
                } else if let Some(before) = self.nearest(section.index, first).map(|row| row.offset())
                    && before != first
                {
                    let last = self.last_before(section.index, stretch.end.min(section.size));
                    if last.is_some_and(|last| last.offset() > first) {
                        first = before;
                    } else {
                        unclear.push((number, before));
                    }
                }
                if let Some(slot) = first_rows.get_mut(number as usize) {
                    *slot = first;
                }
            }
            if unclear.is_empty() {
                continue;
            }
            let starts = unclear.iter().map(|(number, _)| code.range(*number).start).collect();
            let stops = self.stops(section.index, &starts);
            for (number, before) in unclear {
                let slot = first_rows.get_mut(number as usize);
                if let Some(slot) = slot.filter(|slot| stops.contains(slot)) {
                    *slot = before;
                }
            }
        }
        self.first_rows = first_rows;
    }

    /// The last row of a section before byte offset `end`.
    fn last_before(&self, section: SectionIndex, end: u64) -> Option<RowRef<'_>> {
        let (rows, offset) = self.sequence(section, end.checked_sub(1)?)?;
        rows.at(offset.min(rows.end().checked_sub(1)?))
    }
}
