//! Names of inlined functions: offsets in `.debug_str`, from a base that each unit's header has.

use super::name_uncertainty::NameUncertainty;
use super::unit_names::UnitNames;
use crate::limits::NAME_TRIES;
use dwarf2_reader::WorkBudget;
use std::borrow::Cow;

/// The name of an inlined function, and how certain it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalleeName<'s> {
    /// The (mangled) name at the offset in `.debug_str`, up to the next NUL. An offset inside a
    /// string gives the end of that string. `None` if there is no string, or if the offset is in
    /// doubt and no string starts at it.
    pub name: Option<&'s [u8]>,
    /// Byte offset of the name in `.debug_str`: the unit's base plus the name operand of the row.
    pub offset: u64,
    /// Why the name may be wrong; `None` if it is certain.
    pub uncertainty: Option<NameUncertainty>,
    /// Whether the unit's base in the file is wrong, and a base that fits the names of all units
    /// was used in its place.
    pub recovered: bool,
}

/// A [`CalleeName`] without its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct CalleeSpan {
    offset: u64,
    size: usize,
    doubt: Option<NameUncertainty>,
    recovered: bool,
}

/// Where a unit's names start in `.debug_str`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Base {
    offset: u64,
    /// [`Doubt::UnrelatedBase`].
    unrelated: bool,
    recovered: bool,
}

/// Finds the names of the inlined functions that a line table refers to, in `.debug_str`.
#[derive(Debug, Clone)]
pub struct CalleeNames<'d> {
    strings: Cow<'d, [u8]>,
    units: Vec<Base>,
}

impl<'d> CalleeNames<'d> {
    /// Prepares the lookup of names. `strings` are the relocated bytes of `.debug_str`, `units` the
    /// [`UnitNames`] of the units of `.debug_line`, in section order.
    pub fn new(strings: impl Into<Cow<'d, [u8]>>, units: impl IntoIterator<Item = UnitNames>) -> Self {
        let (mut highest, mut bases, mut all): (Option<u32>, Vec<_>, Vec<_>) = (None, Vec::new(), Vec::new());
        for unit in units {
            let base = unit.base;
            let unrelated = base.zip(highest).is_some_and(|(base, highest)| base <= highest);
            bases.push(Base { offset: base.unwrap_or(0).into(), unrelated, recovered: false });
            // A unit without names may still have strings: even after it a base of 0 is not the
            // next one's.
            highest = highest.max(base.or(Some(0)));
            all.push(unit.used);
        }
        let mut names = Self { strings: strings.into(), units: bases };
        if names.units.iter().any(|base| base.unrelated) {
            names.recover(&all);
        }
        names
    }

    /// Returns the name of the inlined function to which a row refers by its name operand `name`;
    /// `unit` is the 0-based number of the row's line unit.
    pub fn get(&self, unit: usize, name: u64) -> CalleeName<'_> {
        self.at(self.find(unit, name))
    }

    /// Where the name is, for [`at`](Self::at).
    pub(super) fn find(&self, unit: usize, name: u64) -> CalleeSpan {
        let Base { offset: base, unrelated, recovered } = self.units.get(unit).copied().unwrap_or_default();
        let offset = base.saturating_add(name); // no section is that long
        // An offset of `.debug_str` may be anywhere in a string (DWARF 2.0.0 7.5.4), and linkers
        // that share the ends of strings make such. Where the base is in doubt, one that is inside
        // a string rather shows that the base is wrong.
        let is_base = usize::try_from(base).is_ok_and(|base| self.starts_string(base));
        let name = self.string(offset, unrelated || !is_base);
        let doubt = match name {
            None => Some(NameUncertainty::NoString),
            Some(_) => unrelated.then_some(NameUncertainty::UnrelatedBase),
        };
        CalleeSpan { offset, size: name.map_or(0, <[u8]>::len), doubt, recovered }
    }

    /// A name that was found here.
    #[inline]
    pub(super) fn at(&self, span: CalleeSpan) -> CalleeName<'_> {
        let CalleeSpan { offset, size, doubt, recovered } = span;
        let name = match doubt {
            Some(NameUncertainty::NoString) => None,
            _ => usize::try_from(offset)
                .ok()
                .and_then(|start| self.strings.get(start..start.checked_add(size)?)),
        };
        CalleeName { name, offset, uncertainty: doubt, recovered }
    }

    fn string(&self, offset: u64, whole: bool) -> Option<&[u8]> {
        let start = usize::try_from(offset).ok()?;
        let rest = self.strings.get(start..).filter(|_| !whole || self.starts_string(start))?;
        rest.get(..memchr::memchr(0, rest)?)
    }

    #[inline]
    fn starts_string(&self, at: usize) -> bool {
        at == 0 || self.strings.get(at - 1) == Some(&0)
    }

    /// Finds bases for the units whose own base is unrelated, from nvlink's known order: the
    /// inputs' strings follow one another, in the order of the units. So a base is after the last
    /// name that the unit before uses, and every name of the unit starts a string. Packing to the
    /// left and to the right gives the lowest and the highest base of each unit. If both are the
    /// same, no doubt is left.
    fn recover(&mut self, used: &[Vec<u64>]) {
        let mut tries = WorkBudget::of_input(self.strings.len() as u64, NAME_TRIES);
        let (Some(lowest), Some(highest)) =
            (self.packed(used, &mut tries, true), self.packed(used, &mut tries, false))
        else {
            return;
        };
        for (base, (low, high)) in self.units.iter_mut().zip(lowest.into_iter().zip(highest)) {
            let (true, Some(low)) = (base.unrelated, low) else { continue };
            *base = Base { offset: low as u64, unrelated: Some(low) != high, recovered: true };
        }
    }

    /// The bases of all units that use names, as far to the left or to the right as they can be;
    /// `None` where they do not fit, or it takes too long to find out.
    fn packed(&self, used: &[Vec<u64>], tries: &mut WorkBudget, left: bool) -> Option<Vec<Option<usize>>> {
        let mut bases = vec![None; used.len()];
        let (mut from, mut to) = (0, self.strings.len());
        let mut units: Vec<_> = self.units.iter().zip(used).zip(&mut bases).collect();
        if !left {
            units.reverse();
        }
        for ((base, used), found) in units {
            let (Some(_), Some(last)) = (used.first(), used.last()) else { continue };
            let own = usize::try_from(base.offset).ok()?;
            let at = match (base.unrelated, left) {
                (false, _) => own,
                (true, true) => self.first_base(from, to, used, tries)?,
                (true, false) => self.last_base(from, to, used, tries)?,
            };
            *found = Some(at);
            if left {
                let start = at.checked_add(usize::try_from(*last).ok()?)?;
                from = start + memchr::memchr(0, self.strings.get(start..)?)? + 1;
            } else {
                to = at;
            }
        }
        Some(bases)
    }

    /// The first base in a range from which all names start strings; `from` starts one.
    fn first_base(&self, from: usize, to: usize, used: &[u64], tries: &mut WorkBudget) -> Option<usize> {
        let mut at = from;
        while !self.fits(at, to, used, tries)? {
            at += memchr::memchr(0, self.strings.get(at..to)?)? + 1;
        }
        Some(at)
    }

    /// The last one.
    fn last_base(&self, from: usize, to: usize, used: &[u64], tries: &mut WorkBudget) -> Option<usize> {
        let mut at = to;
        while at > from {
            // The byte before `at` ends the string that comes next.
            at = memchr::memrchr(0, self.strings.get(from..at - 1)?).map_or(from, |nul| from + nul + 1);
            if self.fits(at, to, used, tries)? {
                return Some(at);
            }
        }
        None
    }

    /// Whether all names start strings that end before `to`; `None` once there were too many tries.
    fn fits(&self, base: usize, to: usize, used: &[u64], tries: &mut WorkBudget) -> Option<bool> {
        let last = used.last().and_then(|last| base.checked_add(usize::try_from(*last).ok()?));
        let Some(rest) = last.and_then(|last| self.strings.get(last..to)) else { return Some(false) };
        tries.take(1).then_some(())?;
        if memchr::memchr(0, rest).is_none() {
            return Some(false);
        }
        for name in used {
            tries.take(1).then_some(())?;
            let at = usize::try_from(*name).ok().and_then(|name| base.checked_add(name));
            if !at.is_some_and(|at| self.starts_string(at)) {
                return Some(false);
            }
        }
        Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(base: impl Into<Option<u32>>, used: &[u64]) -> UnitNames {
        UnitNames { base: base.into(), used: used.to_vec() }
    }

    #[test]
    fn an_offset_inside_a_string_names_its_end() {
        let names = CalleeNames::new(&b"ab\0c\0"[..], [unit(0, &[])]);
        let name = |offset| names.get(0, offset);
        let sure = CalleeName { name: Some(b"ab"), offset: 0, uncertainty: None, recovered: false };
        assert_eq!(name(0), sure);
        assert_eq!(name(3).name, Some(&b"c"[..]));
        assert_eq!(name(1), CalleeName { name: Some(b"b"), offset: 1, ..sure });
        let none = CalleeName {
            name: None,
            offset: 5,
            uncertainty: Some(NameUncertainty::NoString),
            recovered: false,
        };
        assert_eq!(name(5), none);
        // There is no string after the last NUL. In a unit whose base is in doubt a name is at the
        // start of a string only.
        assert_eq!(CalleeNames::new(&b"ab\0c"[..], [unit(0, &[])]).get(0, 3).name, None);
        let names = CalleeNames::new(&b"ab\0c\0"[..], [unit(3, &[]), unit(0, &[])]);
        assert_eq!((names.get(1, 0).name, names.get(1, 1).name), (Some(&b"ab"[..]), None));
        // A base is where the strings of an input start.
        let names = CalleeNames::new(&b"ab\0c\0"[..], [unit(1, &[])]);
        assert_eq!((names.get(0, 0).name, names.get(0, 2).name), (None, Some(&b"c"[..])));
        assert_eq!(name(u64::MAX).name, None);
    }

    // Bases of linked files: relocated ones grow (sm_75), others stay 0 (sm_90); fault 55
    // (docs/bugs.md).
    #[test]
    fn bases_that_do_not_grow_are_in_doubt() {
        let doubts = |bases: &[Option<u32>]| {
            let names = CalleeNames::new(&b"ab\0c\0"[..], bases.iter().map(|base| unit(*base, &[])));
            (0..bases.len()).map(|unit| names.get(unit, 0).uncertainty.is_some()).collect::<Vec<_>>()
        };
        assert_eq!(doubts(&[Some(0), None, Some(3)]), [false, false, false]);
        assert_eq!(doubts(&[Some(0), Some(0)]), [false, true]);
        assert_eq!(doubts(&[None, Some(0)]), [false, true]);
    }

    /// `(name, doubt, recovered)` of a unit's name.
    fn found<'n>(names: &'n CalleeNames<'_>, unit: usize, name: u64) -> (&'n str, bool, bool) {
        let callee = names.get(unit, name);
        let name = callee.name.map_or("?", |name| std::str::from_utf8(name).unwrap());
        (name, callee.uncertainty.is_some(), callee.recovered)
    }

    // What nvlink makes of three inputs: all bases 0, strings joined.
    #[test]
    fn bases_are_recovered_where_only_one_way_is_left() {
        let units = [unit(0, &[0, 5]), unit(0, &[0]), unit(0, &[0, 2])];
        let names = CalleeNames::new(&b"leaf\0root\0other\0x\0y\0"[..], units);
        assert_eq!(found(&names, 0, 5), ("root", false, false));
        assert_eq!(found(&names, 1, 0), ("other", false, true));
        assert_eq!(found(&names, 2, 2), ("y", false, true));
    }

    #[test]
    fn of_several_ways_the_lowest_is_taken_and_stays_in_doubt() {
        // `spare` may be the first unit's, without a row that uses it.
        let units = [unit(0, &[0]), unit(0, &[0])];
        let names = CalleeNames::new(&b"leaf\0spare\0other\0"[..], units);
        assert_eq!(found(&names, 1, 0), ("spare", true, true));
        // The second unit uses two names, so that only one place is left to it.
        let units = [unit(0, &[0]), unit(0, &[0, 6])];
        let names = CalleeNames::new(&b"leaf\0spare\0other\0"[..], units);
        assert_eq!(found(&names, 1, 0), ("spare", false, true));
    }

    #[test]
    fn what_fits_nowhere_is_as_it_was() {
        let units = [unit(0, &[0]), unit(0, &[0, 7])];
        let names = CalleeNames::new(&b"leaf\0other\0"[..], units);
        assert_eq!(found(&names, 1, 0), ("leaf", true, false));
        assert_eq!(
            found(&CalleeNames::new(&b""[..], [unit(0, &[0]), unit(0, &[0])]), 1, 0),
            ("?", true, false)
        );
    }

    #[test]
    fn names_past_the_end_of_numbers_fit_nowhere() {
        let names = CalleeNames::new(&b"leaf\0other\0"[..], [unit(5, &[u64::MAX - 4]), unit(0, &[0])]);
        assert_eq!(found(&names, 0, u64::MAX - 4), ("?", true, false));
        assert_eq!(found(&names, 1, 0), ("leaf", true, false));
    }

    #[test]
    fn hostile_tables_do_not_take_long() {
        let strings = vec![0; 1 << 20];
        let used: Vec<u64> = (0..100_000).chain([(1 << 20) - 1]).collect();
        let units = std::iter::once(unit(0, &[0])).chain((0..8).map(|_| unit(0, &used)));
        let names = CalleeNames::new(strings, units);
        assert!(!names.get(1, 0).recovered);
    }
}
