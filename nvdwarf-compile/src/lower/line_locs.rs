//! The `.loc` that applies to each line of PTX.

use nv_debug_sections::line_table::LocId;
use std::collections::BTreeMap;

/// The `.loc` of each line of PTX: to ptxas an instruction is just its line.
///
/// Observed, ptxas 13.0.88: what one `.loc` covers counts from the first line of its first
/// instruction to the line of its last one, for the whole module. Of several `.loc` on a line the
/// last in the text counts, be it another function's that line markers give the same lines; one of
/// line 0 covers nothing.
#[derive(Debug)]
pub(super) enum LineLocs {
    /// For a text without line markers: the `.loc` of each line of the text, as its number plus 1;
    /// 0 for none.
    Dense(Vec<u32>),
    /// For a text with line markers, whose line numbers may be any: the `.loc` of each range of
    /// lines. The key is the first line, the value the last line and the `.loc`. Ranges do not
    /// overlap.
    Sparse(BTreeMap<u32, (u32, LocId)>),
}

impl Default for LineLocs {
    fn default() -> Self {
        Self::Dense(Vec::new())
    }
}

/// ptxas finds no `.loc` for lines after this one.
const LAST_LINE: u32 = i32::MAX as u32;

impl LineLocs {
    /// For a text with line markers, or without.
    pub(super) fn new(has_markers: bool) -> Self {
        if has_markers { Self::Sparse(BTreeMap::new()) } else { Self::default() }
    }

    /// The `.loc` of a line.
    pub(super) fn get(&self, line: u32) -> Option<LocId> {
        match self {
            Self::Dense(locs) => locs.get(line as usize)?.checked_sub(1).map(LocId),
            Self::Sparse(spans) => {
                let (_, &(last, loc)) = spans.range(..=line).next_back()?;
                (line <= last).then_some(loc)
            }
        }
    }

    /// Notes what `loc` covers, both lines included; nothing where `last` is before `first`.
    pub(super) fn cover(&mut self, first: u32, last: u32, loc: LocId) {
        if first > last || last > LAST_LINE {
            return;
        }
        match self {
            Self::Dense(locs) => {
                let (from, after) = (first as usize, last as usize + 1);
                locs.resize(locs.len().max(after), 0);
                locs[from..after].fill(loc.0 + 1);
            }
            Self::Sparse(spans) => {
                // What is left of others before and after, and nothing in between.
                let before =
                    spans.range(..first).next_back().map(|(&start, &(end, other))| (start, end, other));
                if let Some((start, end, other)) = before.filter(|(_, end, _)| *end >= first) {
                    spans.insert(start, (first - 1, other));
                    if end > last {
                        spans.insert(last + 1, (end, other));
                    }
                }
                while let Some((&start, &(end, other))) = spans.range(first..=last).next() {
                    spans.remove(&start);
                    if end > last {
                        spans.insert(last + 1, (end, other));
                    }
                }
                spans.insert(first, (last, loc));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_last_one_that_covers_a_line_counts(spans in prop::collection::vec((0_u32..60, 0_u32..20), 0..40)) {
            let (mut dense, mut sparse) = (LineLocs::new(false), LineLocs::new(true));
            for (number, &(first, length)) in (0..).zip(&spans) {
                dense.cover(first, first + length, LocId(number));
                sparse.cover(first, first + length, LocId(number));
            }
            for line in 0..90 {
                let wanted = spans.iter().rposition(|(first, length)| (*first..=first + length).contains(&line));
                let wanted = wanted.map(|number| LocId(number as u32));
                prop_assert_eq!((dense.get(line), sparse.get(line)), (wanted, wanted));
            }
        }
    }

    #[test]
    fn lines_of_any_number_cost_no_room() {
        let mut locs = LineLocs::new(true);
        locs.cover(7, LAST_LINE, LocId(1));
        locs.cover(9, 8, LocId(2));
        locs.cover(8, LAST_LINE + 1, LocId(3));
        assert_eq!(
            [6, 7, 8, LAST_LINE, u32::MAX].map(|line| locs.get(line)),
            [None, Some(LocId(1)), Some(LocId(1)), Some(LocId(1)), None]
        );
    }
}
