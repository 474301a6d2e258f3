//! Which Mercury instruction each native instruction comes from.

use nv_debug_sections::line_table::AddressPair;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The places of one code section at which the PTX line changes or a function starts, in both spaces.
///
/// No section of a cubin says it. The two PTX line tables do: both spaces have the same instructions of each PTX line, which are
/// matched in the order in which they stand (FORMATS 1.6: no function of the corpora has more of them in one space).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AddressMap {
    /// By native address.
    pairs: Vec<AddressPair>,
    /// Native addresses of code on the line of a function's `{`, starts apart.
    opening_code: BTreeSet<u64>,
}

/// What [`AddressMap::recover`] looks at.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a> {
    /// `(byte offset, 1-based PTX line)` wherever the line changes in native code, by address.
    pub native: &'a [(u64, u32)],
    /// The same in Mercury code.
    pub mercury: &'a [(u64, u32)],
    /// Where functions start, by native address.
    pub starts: &'a [AddressPair],
    /// 1-based PTX lines of the `{` of these functions, which code that comes from no PTX instruction is given.
    pub opening_lines: &'a [u32],
}

impl AddressMap {
    /// Matches the PTX lines of both spaces.
    ///
    /// Instructions of a line that Mercury code has fewer of share its last one; those of a line that it lacks are left out.
    pub fn recover(lines: Lines<'_>) -> Self {
        let Lines { native, mercury, starts, opening_lines } = lines;
        let opening_lines: HashSet<u32> = opening_lines.iter().copied().collect();
        let mut places: HashMap<u32, Vec<u64>> = HashMap::new();
        for &(address, line) in mercury {
            let of_line = places.entry(line).or_default();
            if of_line.last() != Some(&address) {
                of_line.push(address);
            }
        }
        let mut pairs = starts.to_vec();
        let mut opening_code = BTreeSet::new();
        let mut seen: HashMap<u32, usize> = HashMap::new();
        for at_address in native.chunk_by(|a, b| a.0 == b.0) {
            let mut nth = None;
            for &(_, line) in at_address {
                let count = seen.entry(line).or_default();
                nth = Some((line, *count));
                *count += 1;
            }
            let (Some((address, _)), Some((line, nth))) = (at_address.first(), nth) else { continue };
            let is_start = starts.binary_search_by_key(address, |start| start.native).is_ok();
            if is_start {
                continue;
            }
            if opening_lines.contains(&line) {
                opening_code.insert(*address);
            }
            let of_line = places.get(&line).map(Vec::as_slice).unwrap_or_default();
            if let Some(&mercury) = of_line.get(nth).or(of_line.last()) {
                pairs.push(AddressPair { native: *address, mercury });
            }
        }
        pairs.sort_unstable_by_key(|pair| pair.native);
        Self { pairs, opening_code }
    }

    /// All pairs by native address.
    pub fn pairs(&self) -> &[AddressPair] {
        &self.pairs
    }

    /// The pairs of code that comes from a PTX instruction, and of function starts: what source locations are looked up for
    /// (FORMATS 1.6: "Instructions on the `{` line are skipped").
    pub fn of_instructions(&self) -> Vec<AddressPair> {
        let is_opening = |pair: &&AddressPair| self.opening_code.contains(&pair.native);
        self.pairs.iter().filter(|pair| !is_opening(pair)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair((native, mercury): (u64, u64)) -> AddressPair {
        AddressPair { native, mercury }
    }

    fn recovered(native: &[(u64, u32)], mercury: &[(u64, u32)], starts: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let starts: Vec<_> = starts.iter().copied().map(pair).collect();
        let map = AddressMap::recover(Lines { native, mercury, starts: &starts, opening_lines: &[1] });
        map.pairs().iter().map(|pair| (pair.native, pair.mercury)).collect()
    }

    #[test]
    fn the_nth_code_of_a_line_comes_from_the_nth() {
        // Lines 7 and 8 change places; line 7 comes twice.
        let native = [(0x10, 7), (0x20, 8), (0x30, 7), (0x40, 9)];
        let mercury = [(0x20, 8), (0x50, 7), (0x60, 9), (0x90, 7)];
        let want = [(0, 0), (0x10, 0x50), (0x20, 0x20), (0x30, 0x90), (0x40, 0x60)];
        assert_eq!(recovered(&native, &mercury, &[(0, 0)]), want);
    }

    #[test]
    fn starts_are_given_and_openings_told_apart() {
        // The code of line 7 at the start of a function counts, and has its place from the symbol.
        let native = [(0x10, 7), (0x40, 7), (0x50, 1)];
        let mercury = [(0, 7), (0x80, 7), (0x90, 1)];
        let starts = [(0, 0), (0x40, 0x80)];
        let instructions = [(0, 0), (0x10, 0), (0x40, 0x80)];
        assert_eq!(recovered(&native, &mercury, &starts), [&instructions[..], &[(0x50, 0x90)]].concat());
        let starts = starts.map(pair);
        let map = AddressMap::recover(Lines {
            native: &native,
            mercury: &mercury,
            starts: &starts,
            opening_lines: &[1],
        });
        assert_eq!(map.of_instructions(), instructions.map(pair));
    }

    #[test]
    fn lines_that_mercury_has_less_of() {
        assert_eq!(
            recovered(&[(0x10, 7), (0x20, 8), (0x30, 7)], &[(0x50, 7)], &[]),
            [(0x10, 0x50), (0x30, 0x50)]
        );
    }
}
