//! Matching of native and Mercury rows in code with `IMNMX` instructions, whose own lines native
//! code has lost.
//!
//! Both spaces have the same instructions in the same order, so that native rows stand for the
//! Mercury rows in order, but for those that only `IMNMX` instructions are in. How long these are
//! is known.

use crate::imnmx::Imnmx;
use crate::limits::PLACEMENT_STEPS;
use crate::line_changes::{LineChanges, MatchedRow};
use nv_debug_sections::line_table::AddressPair;
use std::ops::Range;

/// Native code without `IMNMX` instructions, all on one line.
struct Run {
    native: u64,
    line: u32,
    /// The `IMNMX` instructions between the run before and this one.
    before: Range<usize>,
    /// Whether the native table has no row for it, because the run before is on the same line.
    is_split: bool,
}

/// The line of code that stands before the first row of its function.
const NO_LINE: u32 = 0;

/// Matches the native rows with Mercury rows. `kept` are those that no `IMNMX` instruction makes,
/// with the rows to which [`matched`](crate::address_map) maps them; they stay there in functions
/// whose rows do not fit together. The result includes the rows that begin after an `IMNMX`
/// instruction although the line stays the same.
pub(crate) fn match_rows_around_imnmx(lines: LineChanges<'_>, kept: &[MatchedRow]) -> Vec<MatchedRow> {
    let mut places: Vec<u64> = lines.starts.iter().map(|start| start.mercury).collect();
    places.sort_unstable();
    let mut all = Vec::with_capacity(kept.len());
    let mut rest = kept;
    let before =
        rest.partition_point(|((at, _), _)| lines.starts.first().is_some_and(|start| *at < start.native));
    all.extend(rest.split_off(..before).unwrap_or_default());
    for (number, start) in lines.starts.iter().enumerate() {
        let end = lines.starts.get(number + 1).map_or(u64::MAX, |next| next.native);
        let count = rest.partition_point(|((at, _), _)| *at < end);
        let of_this_function = rest.split_off(..count).unwrap_or_default();
        let next = places.get(places.partition_point(|at| *at <= start.mercury)).copied().unwrap_or(u64::MAX);
        let size = FunctionEnds { native: end, mercury: next };
        match of_function(lines, *start, size, of_this_function) {
            Some(found) => all.extend(found),
            None => all.extend(of_this_function),
        }
    }
    all.extend(rest);
    all
}

/// Where the code of a function ends in each space: the start of the next function.
#[derive(Clone, Copy)]
struct FunctionEnds {
    native: u64,
    mercury: u64,
}

fn of_function(
    lines: LineChanges<'_>,
    start: AddressPair,
    ends: FunctionEnds,
    kept: &[MatchedRow],
) -> Option<Vec<MatchedRow>> {
    let between = |lines: &[(u64, u32)], start: u64, end: u64| {
        lines.partition_point(|(at, _)| *at < start)..lines.partition_point(|(at, _)| *at < end)
    };
    let FunctionEnds { native: end, mercury: mercury_end } = ends;
    let imnmx = lines.imnmx;
    let imnmx = imnmx.get(
        imnmx.partition_point(|imnmx| imnmx.address < start.native)
            ..imnmx.partition_point(|imnmx| imnmx.address < end),
    )?;
    if imnmx.is_empty() {
        return None;
    }
    let mut rows = lines.mercury.get(between(lines.mercury, start.mercury, mercury_end))?.to_vec();
    rows.reverse();
    rows.dedup_by_key(|(at, _)| *at);
    rows.reverse();
    if rows.first().is_none_or(|(at, _)| *at > start.mercury) {
        rows.insert(0, (start.mercury, NO_LINE));
    }
    let runs = runs(start.native, end, kept, imnmx);
    let found = path(&runs, &rows, imnmx)?;
    let mut placed = Vec::with_capacity(runs.len());
    let mut last = None;
    for (run, row) in runs.iter().zip(found) {
        let is_new = last.replace(row) != Some(row);
        if run.line != NO_LINE && (is_new || !run.is_split) {
            placed.push(((run.native, run.line), rows.get(row).map(|(at, _)| *at)));
        }
    }
    Some(placed)
}

fn runs(start: u64, end: u64, kept: &[MatchedRow], imnmx: &[Imnmx]) -> Vec<Run> {
    let mut breaks: Vec<(u64, Option<u32>)> = kept.iter().map(|((at, line), _)| (*at, Some(*line))).collect();
    breaks.push((start, None));
    breaks.extend(imnmx.iter().map(|imnmx| (imnmx.end(), None)));
    // Of one address the one with a line comes last.
    breaks.sort_by_key(|(at, line)| (*at, line.is_some()));
    let (mut runs, mut line, mut before): (Vec<Run>, u32, usize) = (Vec::new(), NO_LINE, 0);
    let is_imnmx = |at: u64| imnmx.binary_search_by_key(&at, |imnmx| imnmx.address).is_ok();
    for of_address in breaks.chunk_by(|a, b| a.0 == b.0) {
        let Some(&(native, new)) = of_address.last() else { continue };
        line = new.unwrap_or(line);
        if is_imnmx(native) || native >= end {
            continue;
        }
        let after = imnmx.partition_point(|imnmx| imnmx.address < native);
        runs.push(Run { native, line, before: before..after, is_split: new.is_none() });
        before = after;
    }
    runs
}

/// The row of each run; `None` if no placement of all is found within the step limit.
fn path(runs: &[Run], rows: &[(u64, u32)], imnmx: &[Imnmx]) -> Option<Vec<usize>> {
    let mut steps = PLACEMENT_STEPS * (runs.len() + rows.len() + imnmx.len());
    // For each run the rows that it may be in, and for each of these one of the run before.
    let mut states: Vec<Vec<(usize, usize)>> = Vec::with_capacity(runs.len());
    for run in runs {
        let sizes: Vec<u64> = imnmx.get(run.before.clone())?.iter().map(|imnmx| imnmx.mercury_size).collect();
        let mut state: Vec<(usize, usize)> = Vec::new();
        // The first run follows a row before the first.
        let first = [(usize::MAX, 0)];
        for (number, &(from, _)) in states.last().map_or(&first[..], Vec::as_slice).iter().enumerate() {
            let stays = (from != usize::MAX && run.is_split).then_some(from);
            let next = from.wrapping_add(1);
            let last = next.saturating_add(sizes.len()).min(rows.len().saturating_sub(1));
            for row in stays.into_iter().chain(next..=last) {
                steps = steps.checked_sub(1)?;
                let is_on_line = rows.get(row).is_some_and(|(_, line)| *line == run.line);
                if is_on_line
                    && state.iter().all(|(known, _)| *known != row)
                    && are_tiled(rows.get(next..=row).unwrap_or_default(), &sizes, &mut steps)?
                {
                    state.push((row, number));
                }
            }
        }
        if state.is_empty() {
            return None;
        }
        states.push(state);
    }
    let mut at = states.last()?.iter().position(|(row, _)| row + 1 == rows.len())?;
    let mut found = Vec::with_capacity(runs.len());
    for of_run in states.iter().rev() {
        let (row, before) = *of_run.get(at)?;
        found.push(row);
        at = before;
    }
    found.reverse();
    Some(found)
}

/// Whether each of `rows` but the last has room for some of the instructions and no more, in order.
fn are_tiled(rows: &[(u64, u32)], sizes: &[u64], steps: &mut usize) -> Option<bool> {
    let lengths: Vec<u64> = rows.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0)).collect();
    for first in 0..=sizes.len() {
        let mut sizes = sizes.get(first..).unwrap_or_default().iter();
        let fits = lengths.iter().all(|length| {
            let mut sum = 0_u64;
            while sum < *length {
                *steps = steps.saturating_sub(1);
                let Some(size) = sizes.next() else { return false };
                sum = sum.saturating_add(*size);
            }
            sum == *length
        });
        if *steps == 0 {
            return None;
        }
        if fits {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed_rows(
        mercury: &[(u64, u32)],
        kept: &[(u64, u32)],
        imnmx: &[(u64, u64)],
    ) -> Vec<(u64, Option<u64>)> {
        let imnmx: Vec<Imnmx> = imnmx
            .iter()
            .map(|&(address, mercury_size)| Imnmx { address, lines_of: None, follows: false, mercury_size })
            .collect();
        let start = [AddressPair { native: 0, mercury: 0 }];
        let lines = LineChanges { native: &[], mercury, starts: &start, opening_lines: &[], imnmx: &imnmx };
        let kept: Vec<MatchedRow> = kept.iter().map(|row| (*row, None)).collect();
        match_rows_around_imnmx(lines, &kept)
            .into_iter()
            .map(|((native, _), mercury)| (native, mercury))
            .collect()
    }

    #[test]
    fn rows_of_imnmx_alone_are_passed_over() {
        // Line 23 is the first minimum's, then that of other code.
        let mercury = [(0, 15), (0x40, 23), (0x60, 21), (0x80, 23), (0xa0, 24)];
        let found = placed_rows(&mercury, &[(0, 15), (0x40, 23), (0x50, 24)], &[(0x20, 32), (0x30, 32)]);
        assert_eq!(found, [(0, Some(0)), (0x40, Some(0x80)), (0x50, Some(0xa0))]);
        // A minimum on the line of the code around it makes no row; one on another line makes one
        // after it.
        let mercury = [(0, 15), (0x60, 16)];
        assert_eq!(
            placed_rows(&mercury, &[(0, 15), (0x30, 16)], &[(0x10, 32)]),
            [(0, Some(0)), (0x30, Some(0x60))]
        );
        let mercury = [(0, 15), (0x20, 17), (0x40, 15), (0x60, 16)];
        let found = placed_rows(&mercury, &[(0, 15), (0x30, 16)], &[(0x10, 32)]);
        assert_eq!(found, [(0, Some(0)), (0x20, Some(0x40)), (0x30, Some(0x60))]);
    }

    #[test]
    fn what_does_not_fit_stays() {
        let kept = [(0, 15), (0x30, 16)];
        let unplaced = [(0, None), (0x30, None)];
        // No room for the minimum; a line that Mercury code lacks; a row that is left over.
        for mercury in [
            &[(0, 15), (0x20, 17), (0x30, 16)][..],
            &[(0, 15), (0x20, 18)],
            &[(0, 15), (0x20, 16), (0x30, 18)],
        ] {
            assert_eq!(placed_rows(mercury, &kept, &[(0x10, 32)]), unplaced);
        }
        // Too many steps: a long run of minima in very many rows of one line.
        let mercury: Vec<(u64, u32)> = (0..4000).map(|row| (row * 16, 15 + (row % 2) as u32)).collect();
        let imnmx: Vec<(u64, u64)> = (1..4000).map(|at| (at * 16, 8)).collect();
        assert_eq!(placed_rows(&mercury, &[(0, 15), (64_000, 16)], &imnmx), [(0, None), (64_000, None)]);
    }
}
