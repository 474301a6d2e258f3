//! Lists of `.debug_loc` and `.debug_ranges`, and stretches of code.

use crate::entries::Address;
use crate::lists::{Item, Pair, item};
use nv_debug_sections::Result;
use nv_debug_sections::bytes::Cursor;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::relocated::{Relocated, RelocatedSection};
use nv_debug_sections::symbolize::Code;
use std::ops::Range;

/// A stretch of code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stretch {
    /// The code section.
    pub section: SectionIndex,
    /// Byte offsets in it.
    pub range: Range<u64>,
}

/// A section of lists.
#[derive(Debug, Clone)]
pub(super) struct Lists<'c> {
    kind: SectionKind,
    section: Option<RelocatedSection<'c>>,
}

impl<'c> Lists<'c> {
    pub(super) fn read(cubin: &'c Cubin<'_>, kind: SectionKind) -> Result<Self> {
        let index = cubin.section_by_name(kind.name());
        let section = index.map(|index| Relocated::new(cubin).section(index)).transpose()?;
        Ok(Self { kind, section })
    }

    /// Size of the section in bytes.
    pub(super) fn len(&self) -> u64 {
        self.section.as_ref().map_or(0, |section| section.bytes.len() as u64)
    }

    /// The section, for the fields of an expression.
    pub(super) fn section(&self) -> Option<&RelocatedSection<'c>> {
        self.section.as_ref()
    }

    /// The list at a byte offset, entry by entry: an error ends it. `base` is what numbers count from, the unit's `DW_AT_low_pc`.
    pub(super) fn at(&self, offset: u64, base: Option<Address>) -> impl Iterator<Item = Result<Pair>> {
        let bytes = self.section.as_ref().map_or(&[][..], |section| &section.bytes);
        let mut cursor = Cursor::new(self.kind.name(), bytes);
        let mut start = Some(offset);
        let mut base = base;
        std::iter::from_fn(move || {
            if let Some(offset) = start.take()
                && let Err(error) = cursor.take(offset, "a list")
            {
                cursor = Cursor::new(self.kind.name(), &[]);
                return Some(Err(error));
            }
            let next = self.next(&mut cursor, &mut base).transpose();
            if !matches!(next, Some(Ok(_))) {
                cursor = Cursor::new(self.kind.name(), &[]);
            }
            next
        })
    }

    fn next(&self, cursor: &mut Cursor<'_>, base: &mut Option<Address>) -> Result<Option<Pair>> {
        let Some(section) = self.section.as_ref().filter(|_| !cursor.is_empty()) else { return Ok(None) };
        loop {
            match item(self.kind, section, cursor)? {
                Item::End => return Ok(None),
                Item::Base(address) => *base = Some(address),
                Item::Pair(Pair { start, end, expression }) => {
                    let (start, end) = (from_base(start, *base), from_base(end, *base));
                    return Ok(Some(Pair { start, end, expression }));
                }
            }
        }
    }
}

/// A number that counts from a base; a place is one already, and 0 beside one is a label that ptxas gave no address.
fn from_base(address: Address, base: Option<Address>) -> Address {
    match (address, base) {
        (Address::Constant(number), Some(Address::Constant(base))) => {
            Address::Constant(base.wrapping_add(number))
        }
        _ => address,
    }
}

/// Section and offset of an address; in debug-only objects addresses are numbers.
pub(super) fn place(code: &Code<'_>, address: Address) -> Option<(SectionIndex, u64)> {
    match address {
        Address::Constant(number) => code.at_address(number),
        _ => address.place(),
    }
}

/// The code from one address up to another; `None` where one is open, or both are not in one section.
pub(super) fn stretch(code: &Code<'_>, start: Address, end: Address) -> Option<Stretch> {
    let (section, first) = place(code, start)?;
    let end = match (start, end) {
        // The end may be behind the section.
        (Address::Constant(start), Address::Constant(end)) => first.checked_add(end.checked_sub(start)?)?,
        _ => end.place().filter(|(other, _)| *other == section)?.1,
    };
    Some(Stretch { section, range: first..end })
}

/// Stretches sorted and joined where they touch; empty ones go.
pub(super) fn joined(mut all: Vec<Stretch>) -> Vec<Stretch> {
    all.retain(|stretch| stretch.range.start < stretch.range.end);
    all.sort_by_key(|stretch| (stretch.section, stretch.range.start));
    let mut joined: Vec<Stretch> = Vec::with_capacity(all.len());
    for Stretch { section, range } in all {
        match joined.last_mut().filter(|last| last.section == section && range.start <= last.range.end) {
            Some(last) => last.range.end = last.range.end.max(range.end),
            None => joined.push(Stretch { section, range }),
        }
    }
    joined
}

/// Bytes of stretches that do not overlap.
pub(super) fn bytes(all: &[Stretch]) -> u64 {
    all.iter().fold(0, |sum, stretch| sum.saturating_add(stretch.range.end - stretch.range.start))
}

/// What is in one of two [`joined`] lists and not in the other.
pub(super) fn without(all: &[Stretch], taken: &[Stretch]) -> Vec<Stretch> {
    let mut left = Vec::new();
    let mut taken = taken.iter().peekable();
    for stretch in all {
        let mut at = stretch.range.start;
        while let Some(next) = taken.peek() {
            if (next.section, next.range.end) <= (stretch.section, at) {
                taken.next();
                continue;
            }
            if (next.section, next.range.start) >= (stretch.section, stretch.range.end) {
                break;
            }
            if at < next.range.start {
                left.push(Stretch { section: stretch.section, range: at..next.range.start });
            }
            at = at.max(next.range.end);
            if at >= stretch.range.end {
                break;
            }
            taken.next();
        }
        if at < stretch.range.end {
            left.push(Stretch { section: stretch.section, range: at..stretch.range.end });
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stretches(all: &[(u32, u64, u64)]) -> Vec<Stretch> {
        joined(
            all.iter()
                .map(|&(section, a, b)| Stretch { section: SectionIndex(section), range: a..b })
                .collect(),
        )
    }

    fn stretch_list() -> impl Strategy<Value = Vec<(u32, u64, u64)>> {
        prop::collection::vec((0_u32..3, 0_u64..24, 0_u64..24), 0..8)
    }

    proptest! {
        #[test]
        fn differences_are_those_of_the_bytes(all in stretch_list(), taken in stretch_list()) {
            let (all, taken) = (stretches(&all), stretches(&taken));
            let left = without(&all, &taken);
            prop_assert_eq!(&joined(left.clone()), &left);
            let has = |list: &[Stretch], section: u32, at: u64| {
                list.iter().any(|s| s.section.0 == section && s.range.contains(&at))
            };
            for (section, at) in (0..3).flat_map(|section| (0..24).map(move |at| (section, at))) {
                prop_assert_eq!(has(&left, section, at), has(&all, section, at) && !has(&taken, section, at));
            }
        }
    }
}
