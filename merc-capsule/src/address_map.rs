//! Address maps: which Mercury instruction each native instruction comes from.

use crate::imnmx::{INSTRUCTION, Imnmx};
use crate::imnmx_rows;
use crate::line_changes::{LineChanges, MatchedRow};
use foldhash::HashMap;
use nv_debug_sections::line_table::AddressPair;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

/// The role of a code address: the start of an instruction, the start or end of a register range or
/// of a frame rule, or an address that `.nv.info` lists.
///
/// A Mercury instruction becomes one or several native ones, or none, and the role of an address
/// decides which of them it maps to. In the corpus no address of a role has two addresses in the
/// other space (observed: ptxas 13.0.88, 261 cubins for sm_100 and sm_120).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressRole {
    /// The start of an instruction's code, such as a label of the PTX. An address of another role
    /// that has no pair in the map is looked up with this role.
    Instruction,
    /// The first address at which a SASS register holds a PTX register.
    RangeStart,
    /// The first address at which a SASS register no longer holds a PTX register.
    RangeEnd,
    /// The first address at which a call frame rule holds.
    FrameRule,
    /// The end of a function's call frame rules, which is at its last instruction.
    FrameEnd,
    /// The address of an instruction that `.nv.info.F` lists, such as an `EXIT`.
    Listed,
}

impl AddressRole {
    const COUNT: usize = 6;
}

/// The pairs of native and Mercury addresses of one code section, for translating from one to the
/// other.
///
/// No section of a cubin says it in full, but several have the same things at addresses of both
/// spaces: the PTX line tables ([`recover`](Self::recover)), and for each kind of [`AddressRole`]
/// those that [`insert`](Self::insert) was given. An [`identity`](Self::identity) map needs
/// neither.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AddressMap {
    /// Where the PTX line changes or a function starts, by native address.
    pairs: Vec<AddressPair>,
    /// Native addresses of code on the line of a function's `{`, starts apart: ascending.
    opening_code: Vec<u64>,
    /// By [`Place`].
    by_role: [RolePairs; AddressRole::COUNT],
    /// Whether each address is the same in both.
    is_identity: bool,
}

/// The address pairs of one role, in both directions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct RolePairs {
    mercury_of: HashMap<u64, u64>,
    native_of: HashMap<u64, u64>,
}

/// The error for an address pair that contradicts one in the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{role:?}: {pair:x?}, but the map has {known:x?} already")]
pub struct Conflict {
    /// The role of the addresses in the two pairs.
    pub role: AddressRole,
    /// The address pair that could not be added.
    pub pair: AddressPair,
    /// The address pair in the map that already has one of the two addresses.
    pub known: AddressPair,
}

impl AddressMap {
    /// Recovers the address map of a code section from the addresses at which the PTX line changes
    /// in native and in Mercury code. Both have the same instructions of each line, which are
    /// matched in order (docs/formats/capsule.md, Mercury space).
    ///
    /// Instructions of a line that Mercury code has fewer of share its last one; those of a line
    /// that it lacks are left out. `IMNMX` instructions share the address of the code whose lines
    /// they have; where that is not known, of the last code of their line.
    pub fn recover(lines: LineChanges<'_>) -> Self {
        let LineChanges { native, mercury, starts, opening_lines, imnmx } = lines;
        let native = &*without_imnmx(native, imnmx);
        let mut opening_lines = opening_lines.to_vec();
        opening_lines.sort_unstable();
        let mut placed: Vec<MatchedRow> = native.iter().copied().zip(match_rows(native, mercury)).collect();
        if !imnmx.is_empty() {
            placed = imnmx_rows::match_rows_around_imnmx(lines, &placed);
        }
        let mut pairs = starts.to_vec();
        let mut opening_code = Vec::new();
        let mut changes = placed.iter().peekable();
        while let Some(&((address, line), found)) = changes.next() {
            // The last of an address is that of its code.
            let is_last = changes.peek().is_none_or(|((next, _), _)| *next != address);
            let is_start = || starts.binary_search_by_key(&address, |start| start.native).is_ok();
            if !is_last || is_start() {
                continue;
            }
            if opening_lines.binary_search(&line).is_ok() {
                opening_code.push(address);
            }
            pairs.extend(found.map(|mercury| AddressPair { native: address, mercury }));
        }
        pairs.sort_unstable_by_key(|pair| pair.native);
        opening_code.sort_unstable();
        if !imnmx.is_empty() {
            let added = ImnmxPairs { lines, kept: &placed, pairs: &pairs }.pairs();
            let is_opening = |(added, row): &(AddressPair, u64)| {
                opening_code.binary_search(row).is_ok().then_some(added.native)
            };
            let opening: Vec<u64> = added.iter().filter_map(is_opening).collect();
            pairs.extend(added.into_iter().map(|(pair, _)| pair));
            pairs.sort_by_key(|pair| pair.native);
            opening_code.extend(opening);
            opening_code.sort_unstable();
        }
        Self { pairs, opening_code, ..Self::default() }
    }

    /// Creates the map in which every Mercury address equals the native address, for cubins without
    /// Mercury code. `addresses` are the code addresses at which the PTX line changes or a function
    /// starts.
    pub fn identity(addresses: impl IntoIterator<Item = u64>) -> Self {
        let addresses: BTreeSet<u64> = addresses.into_iter().collect();
        let pairs = addresses.into_iter().map(|address| AddressPair { native: address, mercury: address });
        Self { pairs: pairs.collect(), is_identity: true, ..Self::default() }
    }

    /// Adds a pair of a native and a Mercury address to the map. An address has one counterpart for
    /// each role.
    ///
    /// # Errors
    ///
    /// One of the two has another already. The map stays as it is.
    pub fn insert(&mut self, role: AddressRole, pair: AddressPair) -> Result<(), Conflict> {
        let Some(places) = self.by_role.get_mut(role as usize) else { return Ok(()) };
        let AddressPair { native, mercury } = pair;
        let conflict = |known| Err(Conflict { role, pair, known });
        match (places.mercury_of.entry(native), places.native_of.entry(mercury)) {
            (Entry::Vacant(mercury_entry), Entry::Vacant(native_entry)) => {
                mercury_entry.insert(mercury);
                native_entry.insert(native);
                Ok(())
            }
            (Entry::Occupied(mercury_entry), _) if *mercury_entry.get() == mercury => Ok(()),
            (Entry::Occupied(mercury_entry), _) => {
                conflict(AddressPair { native, mercury: *mercury_entry.get() })
            }
            (_, Entry::Occupied(native_entry)) => {
                conflict(AddressPair { native: *native_entry.get(), mercury })
            }
        }
    }

    /// Returns the Mercury address for a native address that is used in a given way: as the address
    /// of an instruction, as the end of a range, and so on. `None` if the map has no such address.
    pub fn mercury(&self, role: AddressRole, native: u64) -> Option<u64> {
        self.find(role, |places| places.mercury_of.get(&native)).or(self.is_identity.then_some(native))
    }

    /// Returns the native address for a Mercury address that is used in a given way: as the address
    /// of an instruction, as the end of a range, and so on. `None` if the map has no such address.
    pub fn native(&self, role: AddressRole, mercury: u64) -> Option<u64> {
        self.find(role, |places| places.native_of.get(&mercury)).or(self.is_identity.then_some(mercury))
    }

    fn find<'m>(&'m self, role: AddressRole, get: impl Fn(&'m RolePairs) -> Option<&'m u64>) -> Option<u64> {
        let places = [role, AddressRole::Instruction].map(|role| self.by_role.get(role as usize));
        places.into_iter().flatten().find_map(get).copied()
    }

    /// The address pairs at which the PTX line changes or a function starts, by native address. An
    /// `IMNMX` at the start of a function has two pairs: that of the function's start, and after it
    /// that of the code whose lines it has.
    pub fn pairs(&self) -> &[AddressPair] {
        &self.pairs
    }

    /// Returns the native and the Mercury address of each instruction that comes from a PTX
    /// instruction, and of each start of a function. Only these have rows in the line tables
    /// (docs/formats/line-tables.md).
    pub fn of_instructions(&self) -> Vec<AddressPair> {
        let is_opening = |pair: &&AddressPair| self.opening_code.binary_search(&pair.native).is_ok();
        self.pairs.iter().filter(|pair| !is_opening(pair)).copied().collect()
    }
}

fn is_imnmx(imnmx: &[Imnmx], address: u64) -> bool {
    imnmx.binary_search_by_key(&address, |imnmx| imnmx.address).is_ok()
}

/// The changes of the line but for those that `IMNMX` instructions make: what follows them has a
/// line of its own, or theirs.
fn without_imnmx<'l>(native: &'l [(u64, u32)], imnmx: &[Imnmx]) -> Cow<'l, [(u64, u32)]> {
    if imnmx.is_empty() {
        return native.into();
    }
    // Where the code after each goes on that is none.
    let mut ends: Vec<u64> = Vec::with_capacity(imnmx.len());
    for Imnmx { address, .. } in imnmx.iter().rev() {
        let after = address.saturating_add(INSTRUCTION);
        ends.push(ends.last().copied().filter(|_| is_imnmx(imnmx, after)).unwrap_or(after));
    }
    ends.reverse();
    let end =
        |address: u64| ends.get(imnmx.binary_search_by_key(&address, |imnmx| imnmx.address).ok()?).copied();
    let mut kept = Vec::with_capacity(native.len());
    for (number, &(address, line)) in native.iter().enumerate() {
        let at = end(address).unwrap_or(address);
        if at == address || native.get(number + 1).is_none_or(|(next, _)| at < *next) {
            kept.push((at, line));
        }
    }
    kept.into()
}

/// Finds the address pairs of `IMNMX` instructions and of the code after them.
struct ImnmxPairs<'a> {
    lines: LineChanges<'a>,
    /// The changes of the line in native code that are none of theirs.
    kept: &'a [MatchedRow],
    /// What these and function starts come from, ascending.
    pairs: &'a [AddressPair],
}

impl ImnmxPairs<'_> {
    /// The pair of the row that the code at `address` is of: that of a change, or of a function
    /// whose opening row is none.
    fn row(&self, address: u64) -> Option<AddressPair> {
        let change = self.kept.partition_point(|((at, _), _)| *at <= address).checked_sub(1);
        let change = change.and_then(|row| self.kept.get(row));
        let pair = self.pairs.partition_point(|pair| pair.native <= address).checked_sub(1)?;
        self.pairs.get(pair).copied().filter(|pair| change.is_none_or(|((at, _), _)| *at <= pair.native))
    }

    fn has_pair(&self, native: u64) -> bool {
        self.pairs.binary_search_by_key(&native, |pair| pair.native).is_ok()
    }

    /// About where in Mercury code the code at `address` is: where its row starts, or inside of
    /// that.
    fn inside(&self, address: u64) -> Option<u64> {
        let AddressPair { native, mercury } = self.row(address)?;
        let rows = self.lines.mercury;
        let next = rows.get(rows.partition_point(|(at, _)| *at <= mercury)).map_or(u64::MAX, |(at, _)| *at);
        Some(mercury.saturating_add(address - native).min(next.saturating_sub(INSTRUCTION)).max(mercury))
    }

    /// The pairs, and for each the row that the code is of if it is on its own line.
    fn pairs(&self) -> Vec<(AddressPair, u64)> {
        let LineChanges { native, mercury, starts, imnmx, .. } = self.lines;
        let last_of: HashMap<u32, u64> = mercury.iter().map(|&(address, line)| (line, address)).collect();
        let mut found = Vec::with_capacity(imnmx.len());
        for &Imnmx { address, lines_of, follows, .. } in imnmx {
            let change = native.partition_point(|(at, _)| *at <= address).checked_sub(1);
            let change = change.and_then(|change| native.get(change)).filter(|(at, _)| *at == address);
            let of_line = || change.and_then(|(_, line)| last_of.get(line).copied());
            let mercury = lines_of.and_then(|setter| self.inside(setter)).or_else(of_line);
            let start = || {
                starts.binary_search_by_key(&address, |start| start.native).ok().and_then(|at| starts.get(at))
            };
            let Some(mercury) = mercury.or_else(|| start().map(|start| start.mercury)) else { continue };
            // Whether other code stands between it and that whose lines it has, which counts where
            // these start (`mercury_to_native`, step 1).
            let before = address.checked_sub(INSTRUCTION).filter(|before| {
                let is_known =
                    found.last().is_some_and(|(last, _): &(AddressPair, u64)| last.native == *before);
                !follows && !is_known && !is_imnmx(imnmx, *before) && !self.has_pair(*before)
            });
            if let Some((native, row)) = before.and_then(|before| Some((before, self.row(before)?))) {
                found.push((AddressPair { native, mercury: row.mercury.saturating_add(1) }, row.native));
            }
            found.push((AddressPair { native: address, mercury }, u64::MAX));
            let after = address.saturating_add(INSTRUCTION);
            if !is_imnmx(imnmx, after) && !self.has_pair(after) {
                let row = self.row(after).zip(self.inside(after));
                found.extend(row.map(|(row, mercury)| (AddressPair { native: after, mercury }, row.native)));
            }
        }
        found
    }
}

/// Returns, for each line change in native code, the address of its Mercury instruction: the one at
/// the same position among those of the line, or the last.
fn match_rows(native: &[(u64, u32)], mercury: &[(u64, u32)]) -> Vec<Option<u64>> {
    let mut mercury_rows: Vec<(u32, u64)> = mercury.iter().map(|&(address, line)| (line, address)).collect();
    mercury_rows.sort_by_key(|(line, _)| *line);
    mercury_rows.dedup();
    let mut native_rows: Vec<(u32, usize)> =
        native.iter().zip(0..).map(|(&(_, line), number)| (line, number)).collect();
    native_rows.sort_unstable();
    let mut matched = vec![None; native.len()];
    let mut rest = mercury_rows.as_slice();
    for of_line in native_rows.chunk_by(|a, b| a.0 == b.0) {
        let line = of_line.first().map_or(0, |(line, _)| *line);
        let skipped = rest.iter().take_while(|(other, _)| *other < line).count();
        let count = rest.iter().skip(skipped).take_while(|(other, _)| *other == line).count();
        let (same, after) = rest.split_at(skipped + count);
        let same = same.get(skipped..).unwrap_or_default();
        rest = after;
        for (nth, (_, number)) in of_line.iter().enumerate() {
            let address = same.get(nth).or(same.last()).map(|(_, address)| *address);
            if let Some(slot) = matched.get_mut(*number) {
                *slot = address;
            }
        }
    }
    matched
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

    use super::*;

    fn pair((native, mercury): (u64, u64)) -> AddressPair {
        AddressPair { native, mercury }
    }

    fn recover(
        native: &[(u64, u32)],
        mercury: &[(u64, u32)],
        starts: &[AddressPair],
        imnmx: &[Imnmx],
    ) -> AddressMap {
        AddressMap::recover(LineChanges { native, mercury, starts, opening_lines: &[1], imnmx })
    }

    fn recovered(native: &[(u64, u32)], mercury: &[(u64, u32)], starts: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let starts: Vec<_> = starts.iter().copied().map(pair).collect();
        let map = recover(native, mercury, &starts, &[]);
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
        let map = recover(&native, &mercury, &starts, &[]);
        assert_eq!(map.of_instructions(), instructions.map(pair));
    }

    fn imnmx(address: u64, lines_of: Option<u64>) -> Imnmx {
        Imnmx { address, lines_of, follows: false, mercury_size: 0x20 }
    }

    fn pairs(map: &AddressMap) -> Vec<(u64, u64)> {
        map.pairs().iter().map(|pair| (pair.native, pair.mercury)).collect()
    }

    #[test]
    fn imnmx_has_the_lines_of_its_setter() {
        // 0x00 {, 0x10 and 0x20 line 7, 0x30 IMNMX of line 8, 0x40 line 7, 0x50 line 9, 0x60 IMNMX
        // of line 9, 0x70 line 10. The setter is 0x20.
        let native = [(0x10, 7), (0x50, 9), (0x60, 7), (0x70, 10)];
        let mercury = [(0x10, 7), (0x50, 8), (0x70, 7), (0x90, 9), (0xd0, 10)];
        let minima = [imnmx(0x30, Some(0x20)), imnmx(0x60, Some(0x20))];
        let map = recover(&native, &mercury, &[pair((0, 0))], &minima);
        // What stands before the first is noted as inside of its row.
        let want = [
            (0, 0),
            (0x10, 0x10),
            (0x20, 0x11),
            (0x30, 0x20),
            (0x40, 0x70),
            (0x50, 0x90),
            (0x60, 0x20),
            (0x70, 0xd0),
        ];
        assert_eq!(pairs(&map), want);
        // Source locations are looked up for `IMNMX`.
        assert_eq!(map.of_instructions().len(), want.len());
    }

    #[test]
    fn imnmx_without_setter_has_the_last_code_of_its_line() {
        // Line 1 is that of the `{`. The first instruction of the second function is one.
        let native = [(0x20, 7), (0x30, 9), (0x40, 9), (0x50, 8), (0x60, 9)];
        let mercury = [(0x20, 7), (0x40, 6), (0x70, 5), (0x90, 8), (0xb0, 9)];
        let starts = [(0, 0), (0x40, 0x60)].map(pair);
        let map = recover(&native, &mercury, &starts, &[imnmx(0x30, None), imnmx(0x40, None)]);
        let second = [(0x40, 0x60), (0x40, 0xb0), (0x50, 0x90), (0x60, 0xb0)];
        assert_eq!(pairs(&map), [&[(0, 0), (0x20, 0x20), (0x30, 0xb0)][..], &second].concat());
    }

    #[test]
    fn places_have_one_address_and_fall_back_on_instructions() {
        let mut map = AddressMap::default();
        let [at, after, other] = [(0x10, 0x20), (0x30, 0x20), (0x10, 0x40)].map(pair);
        assert_eq!(map.mercury(AddressRole::RangeEnd, 0x10), None);
        map.insert(AddressRole::Instruction, at).unwrap();
        map.insert(AddressRole::RangeEnd, after).unwrap();
        map.insert(AddressRole::RangeEnd, after).unwrap();
        assert_eq!(map.native(AddressRole::Instruction, 0x20), Some(0x10));
        assert_eq!(map.native(AddressRole::RangeStart, 0x20), Some(0x10));
        assert_eq!(map.native(AddressRole::RangeEnd, 0x20), Some(0x30));
        let conflict = map.insert(AddressRole::Instruction, other).unwrap_err();
        assert_eq!((conflict.known, conflict.pair), (at, other));
        assert!(map.insert(AddressRole::Instruction, after).is_err());
        assert_eq!(map.mercury(AddressRole::Instruction, 0x10), Some(0x20));
    }

    #[test]
    fn an_identity_has_every_address() {
        let map = AddressMap::identity([0x20, 0]);
        assert_eq!(map.pairs(), [(0, 0), (0x20, 0x20)].map(pair));
        assert_eq!(map.mercury(AddressRole::FrameRule, 0x990), Some(0x990));
        assert_eq!(map.native(AddressRole::Listed, 8), Some(8));
    }

    #[test]
    fn lines_that_mercury_has_less_of() {
        assert_eq!(
            recovered(&[(0x10, 7), (0x20, 8), (0x30, 7)], &[(0x50, 7)], &[]),
            [(0x10, 0x50), (0x30, 0x50)]
        );
    }
}
