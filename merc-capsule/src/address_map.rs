//! Which Mercury instruction each native instruction comes from.

use crate::imnmx::INSTRUCTION;
use foldhash::HashMap;
use nv_debug_sections::line_table::AddressPair;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

/// What an address in code is of. A Mercury instruction becomes one or several native ones, or none, so that what an address is of
/// says where in them it is. In the corpus no place of a kind has two addresses in the other space (observed: ptxas 13.0.88, 261
/// cubins for sm_100 and sm_120).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Where an instruction's code starts: a label of the PTX. What other kinds are at if nothing says otherwise.
    Instruction,
    /// From where a PTX register is in a SASS register.
    RangeStart,
    /// Up to where it is.
    RangeEnd,
    /// From where on a call frame rule holds.
    FrameRule,
    /// Where the rules of a function end, at the last instruction.
    FrameEnd,
    /// An instruction that `.nv.info.F` lists, such as an `EXIT`.
    Listed,
}

impl Place {
    const COUNT: usize = 6;
}

/// Which addresses of one code section are the same in native and in Mercury code.
///
/// No section of a cubin says it, but several have the same things at addresses of both spaces: the PTX line tables ([`recover`](Self::recover)),
/// and for each kind of [`Place`] those that [`insert`](Self::insert) was given. An [`identity`](Self::identity) map needs neither.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AddressMap {
    /// Where the PTX line changes or a function starts, by native address.
    pairs: Vec<AddressPair>,
    /// Native addresses of code on the line of a function's `{`, starts apart: ascending.
    opening_code: Vec<u64>,
    /// By [`Place`].
    places: [Places; Place::COUNT],
    /// Whether each address is the same in both.
    is_identity: bool,
}

/// The places of one kind, in both directions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Places {
    mercury_of: HashMap<u64, u64>,
    native_of: HashMap<u64, u64>,
}

/// A place that has another address already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{place:?}: {pair:x?}, but the map has {known:x?} already")]
pub struct Conflict {
    /// Kind of the place.
    pub place: Place,
    /// What was to be added.
    pub pair: AddressPair,
    /// What one of its addresses has already.
    pub known: AddressPair,
}

/// PTX lines of a code section in both spaces: what [`AddressMap::recover`] looks at.
#[derive(Debug, Clone, Copy)]
pub struct LineChanges<'a> {
    /// `(byte offset, 1-based PTX line)` wherever the line changes in native code, by address.
    pub native: &'a [(u64, u32)],
    /// The same in Mercury code.
    pub mercury: &'a [(u64, u32)],
    /// Where functions start, by native address.
    pub starts: &'a [AddressPair],
    /// 1-based PTX lines of the `{` of these functions, which code that comes from no PTX instruction is given.
    pub opening_lines: &'a [u32],
    /// Native addresses of `IMNMX` instructions, ascending: [`imnmx_addresses`](crate::imnmx_addresses).
    pub imnmx: &'a [u64],
}

impl AddressMap {
    /// Matches the PTX lines of both spaces: both have the same instructions of each line, which are matched in the order in which they
    /// stand (FORMATS 1.6: no function of the corpora has more of them in one space).
    ///
    /// Instructions of a line that Mercury code has fewer of share its last one; those of a line that it lacks are left out.
    /// `IMNMX` instructions share the address of the last code of their line before them, else where their function starts.
    pub fn recover(lines: LineChanges<'_>) -> Self {
        let LineChanges { native, mercury, starts, opening_lines, imnmx } = lines;
        let native = &*without_imnmx(native, imnmx);
        let mut opening_lines = opening_lines.to_vec();
        opening_lines.sort_unstable();
        let found = matched(native, mercury);
        let mut pairs = starts.to_vec();
        let mut opening_code = Vec::new();
        let mut changes = native.iter().zip(found).peekable();
        while let Some((&(address, line), found)) = changes.next() {
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
        pairs.extend(imnmx_pairs(lines, native, &pairs));
        pairs.sort_unstable_by_key(|pair| pair.native);
        opening_code.sort_unstable();
        Self { pairs, opening_code, ..Self::default() }
    }

    /// The map of native code that stands for Mercury code too. `addresses` are those where the PTX line changes or a function starts.
    pub fn identity(addresses: impl IntoIterator<Item = u64>) -> Self {
        let addresses: BTreeSet<u64> = addresses.into_iter().collect();
        let pairs = addresses.into_iter().map(|address| AddressPair { native: address, mercury: address });
        Self { pairs: pairs.collect(), is_identity: true, ..Self::default() }
    }

    /// Adds a place. Each address has one in the other space.
    ///
    /// # Errors
    ///
    /// One of the two has another already. The map stays as it is.
    pub fn insert(&mut self, place: Place, pair: AddressPair) -> Result<(), Conflict> {
        let Some(places) = self.places.get_mut(place as usize) else { return Ok(()) };
        let AddressPair { native, mercury } = pair;
        let conflict = |known| Err(Conflict { place, pair, known });
        match (places.mercury_of.entry(native), places.native_of.entry(mercury)) {
            (Entry::Vacant(there), Entry::Vacant(here)) => {
                there.insert(mercury);
                here.insert(native);
                Ok(())
            }
            (Entry::Occupied(there), _) if *there.get() == mercury => Ok(()),
            (Entry::Occupied(there), _) => conflict(AddressPair { native, mercury: *there.get() }),
            (_, Entry::Occupied(here)) => conflict(AddressPair { native: *here.get(), mercury }),
        }
    }

    /// Where in Mercury code a place of native code is; `None` if the map does not say.
    pub fn mercury(&self, place: Place, native: u64) -> Option<u64> {
        self.find(place, |places| places.mercury_of.get(&native)).or(self.is_identity.then_some(native))
    }

    /// Where in native code a place of Mercury code is; `None` if the map does not say.
    pub fn native(&self, place: Place, mercury: u64) -> Option<u64> {
        self.find(place, |places| places.native_of.get(&mercury)).or(self.is_identity.then_some(mercury))
    }

    fn find<'m>(&'m self, place: Place, get: impl Fn(&'m Places) -> Option<&'m u64>) -> Option<u64> {
        let places = [place, Place::Instruction].map(|place| self.places.get(place as usize));
        places.into_iter().flatten().find_map(get).copied()
    }

    /// Where the PTX line changes or a function starts, by native address.
    pub fn pairs(&self) -> &[AddressPair] {
        &self.pairs
    }

    /// The pairs of code that comes from a PTX instruction, and of function starts: what source locations are looked up for
    /// (FORMATS 1.6: "Instructions on the `{` line are skipped").
    pub fn of_instructions(&self) -> Vec<AddressPair> {
        let is_opening = |pair: &&AddressPair| self.opening_code.binary_search(&pair.native).is_ok();
        self.pairs.iter().filter(|pair| !is_opening(pair)).copied().collect()
    }
}

/// The changes of the line but for those that `IMNMX` instructions make: what follows them has a line of its own, or theirs.
fn without_imnmx<'l>(native: &'l [(u64, u32)], imnmx: &[u64]) -> Cow<'l, [(u64, u32)]> {
    if imnmx.is_empty() {
        return native.into();
    }
    let mut kept = Vec::with_capacity(native.len());
    for (number, &(address, line)) in native.iter().enumerate() {
        let mut at = address;
        while imnmx.binary_search(&at).is_ok() {
            at += INSTRUCTION;
        }
        if at == address || native.get(number + 1).is_none_or(|(next, _)| at < *next) {
            kept.push((at, line));
        }
    }
    kept.into()
}

/// The pairs of `IMNMX` instructions that change the line; `kept` are the other changes, `pairs` what they come from.
fn imnmx_pairs(lines: LineChanges<'_>, kept: &[(u64, u32)], pairs: &[AddressPair]) -> Vec<AddressPair> {
    let LineChanges { native, starts, imnmx, .. } = lines;
    let changes = native.iter().filter(|(address, _)| imnmx.binary_search(address).is_ok());
    let pairs: HashMap<u64, u64> = pairs.iter().map(|pair| (pair.native, pair.mercury)).collect();
    let (mut kept, mut starts) = (kept.iter().peekable(), starts.iter().peekable());
    let (mut start, mut last_of): (Option<u64>, HashMap<u32, u64>) = (None, HashMap::default());
    let mut found = Vec::new();
    for &(address, line) in changes {
        while let Some(next) = starts.next_if(|start| start.native <= address) {
            start = Some(next.mercury);
            last_of.clear();
            while kept.next_if(|(at, _)| *at < next.native).is_some() {}
        }
        while let Some((at, line)) = kept.next_if(|(at, _)| *at < address) {
            last_of.extend(pairs.get(at).map(|mercury| (*line, *mercury)));
        }
        let mercury = last_of.get(&line).copied().or(start);
        found.extend(mercury.map(|mercury| AddressPair { native: address, mercury }));
    }
    found
}

/// For each change of the line in native code the address of the Mercury instruction that it is of: of the same line, the one that
/// comes as far behind the first, or the last.
fn matched(native: &[(u64, u32)], mercury: &[(u64, u32)]) -> Vec<Option<u64>> {
    let mut there: Vec<(u32, u64)> = mercury.iter().map(|&(address, line)| (line, address)).collect();
    there.sort_by_key(|(line, _)| *line);
    there.dedup();
    let mut here: Vec<(u32, usize)> =
        native.iter().zip(0..).map(|(&(_, line), number)| (line, number)).collect();
    here.sort_unstable();
    let mut matched = vec![None; native.len()];
    let mut rest = there.as_slice();
    for of_line in here.chunk_by(|a, b| a.0 == b.0) {
        let line = of_line.first().map_or(0, |(line, _)| *line);
        let skipped = rest.iter().take_while(|(other, _)| *other < line).count();
        let count = rest.iter().skip(skipped).take_while(|(other, _)| *other == line).count();
        let (same, behind) = rest.split_at(skipped + count);
        let same = same.get(skipped..).unwrap_or_default();
        rest = behind;
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
        imnmx: &[u64],
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

    #[test]
    fn added_code_comes_from_the_last_code_of_its_line() {
        // Line 1 is that of the `{`: at 0x10 of Mercury code too, at 0x20 of `IMNMX`, at 0x50 of `IMNMX` and what follows it.
        let native = [(0x10, 1), (0x18, 7), (0x20, 1), (0x30, 8), (0x50, 1), (0x70, 9)];
        let mercury = [(0x10, 1), (0x20, 7), (0x40, 8), (0x50, 1), (0x90, 9)];
        let starts = [(0, 0), (0x40, 0x60)].map(pair);
        let map = recover(&native, &mercury, &starts, &[0x20, 0x50]);
        let pairs: Vec<_> = map.pairs().iter().map(|pair| (pair.native, pair.mercury)).collect();
        let first = [(0, 0), (0x10, 0x10), (0x18, 0x20), (0x20, 0x10), (0x30, 0x40)];
        let second = [(0x40, 0x60), (0x50, 0x60), (0x60, 0x50), (0x70, 0x90)];
        assert_eq!(pairs, [&first[..], &second].concat());
        // Source locations are looked up for `IMNMX`.
        let located = map.of_instructions().iter().map(|pair| pair.native).collect::<Vec<_>>();
        assert_eq!(located, [0, 0x18, 0x20, 0x30, 0x40, 0x50, 0x70]);
    }

    #[test]
    fn places_have_one_address_and_fall_back_on_instructions() {
        let mut map = AddressMap::default();
        let [at, behind, other] = [(0x10, 0x20), (0x30, 0x20), (0x10, 0x40)].map(pair);
        assert_eq!(map.mercury(Place::RangeEnd, 0x10), None);
        map.insert(Place::Instruction, at).unwrap();
        map.insert(Place::RangeEnd, behind).unwrap();
        map.insert(Place::RangeEnd, behind).unwrap();
        assert_eq!(map.native(Place::Instruction, 0x20), Some(0x10));
        assert_eq!(map.native(Place::RangeStart, 0x20), Some(0x10));
        assert_eq!(map.native(Place::RangeEnd, 0x20), Some(0x30));
        let conflict = map.insert(Place::Instruction, other).unwrap_err();
        assert_eq!((conflict.known, conflict.pair), (at, other));
        assert!(map.insert(Place::Instruction, behind).is_err());
        assert_eq!(map.mercury(Place::Instruction, 0x10), Some(0x20));
    }

    #[test]
    fn an_identity_has_every_address() {
        let map = AddressMap::identity([0x20, 0]);
        assert_eq!(map.pairs(), [(0, 0), (0x20, 0x20)].map(pair));
        assert_eq!(map.mercury(Place::FrameRule, 0x990), Some(0x990));
        assert_eq!(map.native(Place::Listed, 8), Some(8));
    }

    #[test]
    fn lines_that_mercury_has_less_of() {
        assert_eq!(
            recovered(&[(0x10, 7), (0x20, 8), (0x30, 7)], &[(0x50, 7)], &[]),
            [(0x10, 0x50), (0x30, 0x50)]
        );
    }
}
