//! Names of inlined functions: offsets in `.debug_str`, from a base that each unit's header has.

use std::borrow::Cow;

/// What is known of an inlined function's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalleeName<'s> {
    /// The (mangled) name at the offset; `None` where no string starts there.
    pub name: Option<&'s [u8]>,
    /// Byte offset in `.debug_str`: the unit's base plus the row's name operand.
    pub offset: u64,
    /// Why the name may be wrong.
    pub doubt: Option<Doubt>,
}

/// A reason to distrust a callee's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// The offset is outside `.debug_str` or inside a string.
    NoStringStart,
    /// A later unit's base that does not come after an earlier one's. nvlink 13.0.88 joins `.debug_str` sections, but for
    /// sm_90 and later leaves every base at 0: the offset then lands among the first unit's names.
    UnrelatedBase,
}

/// The callees' names of a `.debug_line` section and its `.debug_str`.
#[derive(Debug, Clone)]
pub struct CalleeNames<'d> {
    strings: Cow<'d, [u8]>,
    /// Base and whether it is in doubt, for each unit.
    units: Vec<(u64, bool)>,
}

impl<'d> CalleeNames<'d> {
    /// `strings` are the relocated bytes of `.debug_str`, `bases` the units' `debug_str_base`, in section order.
    pub fn new(strings: impl Into<Cow<'d, [u8]>>, bases: impl IntoIterator<Item = Option<u32>>) -> Self {
        let mut highest: Option<u32> = None;
        let mut units = Vec::new();
        for base in bases {
            let unrelated = base.zip(highest).is_some_and(|(base, highest)| base <= highest);
            units.push((base.unwrap_or(0).into(), unrelated));
            // A unit without names may still have strings: even behind it a base of 0 is not the next one's.
            highest = highest.max(base.or(Some(0)));
        }
        Self { strings: strings.into(), units }
    }

    /// What the name operand `name` of a row of unit `unit` (0-based) names.
    pub fn get(&self, unit: usize, name: u64) -> CalleeName<'_> {
        let (base, unrelated) = self.units.get(unit).copied().unwrap_or_default();
        let offset = base.wrapping_add(name);
        let name = self.string(offset);
        let doubt = match name {
            None => Some(Doubt::NoStringStart),
            Some(_) => unrelated.then_some(Doubt::UnrelatedBase),
        };
        CalleeName { name, offset, doubt }
    }

    fn string(&self, offset: u64) -> Option<&[u8]> {
        let start = usize::try_from(offset).ok()?;
        let starts = start == 0 || self.strings.get(start - 1) == Some(&0);
        let rest = self.strings.get(start..).filter(|_| starts)?;
        rest.get(..memchr::memchr(0, rest)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_start_where_strings_start() {
        let names = CalleeNames::new(&b"ab\0c\0"[..], [Some(0)]);
        let name = |offset| names.get(0, offset);
        assert_eq!(name(0), CalleeName { name: Some(b"ab"), offset: 0, doubt: None });
        assert_eq!(name(3).name, Some(&b"c"[..]));
        assert_eq!(name(1), CalleeName { name: None, offset: 1, doubt: Some(Doubt::NoStringStart) });
        assert_eq!(name(5).name, None);
        assert_eq!(name(u64::MAX).name, None);
    }

    // Bases of linked files: relocated ones grow (sm_75), others stay 0 (sm_90); `../shared/bugs/55-*`.
    #[test]
    fn bases_that_do_not_grow_are_in_doubt() {
        let doubts = |bases: &[Option<u32>]| {
            let names = CalleeNames::new(&b"ab\0c\0"[..], bases.to_vec());
            (0..bases.len()).map(|unit| names.get(unit, 0).doubt.is_some()).collect::<Vec<_>>()
        };
        assert_eq!(doubts(&[Some(0), None, Some(3)]), [false, false, false]);
        assert_eq!(doubts(&[Some(0), Some(0)]), [false, true]);
        assert_eq!(doubts(&[None, Some(0)]), [false, true]);
    }
}
