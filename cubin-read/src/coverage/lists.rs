//! Which code the lists of `.debug_ranges` and `.debug_loc` cover.

use super::Budget;
use crate::entries::{Address, Entry, Value};
use crate::lists::{Item, item};
use nv_debug_sections::Result;
use nv_debug_sections::bytes::Cursor;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::relocated::{Relocated, RelocatedSection};
use nv_debug_sections::symbolize::Symbolizer;
use std::ops::Range;

/// Stretches of code: section and byte range, sorted, none overlapping, none empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Places(Vec<(SectionIndex, Range<u64>)>);

impl Places {
    fn new(mut all: Vec<(SectionIndex, Range<u64>)>) -> Self {
        all.retain(|(_, range)| range.start < range.end);
        all.sort_by_key(|(section, range)| (*section, range.start));
        let mut joined: Vec<(SectionIndex, Range<u64>)> = Vec::with_capacity(all.len());
        for (section, range) in all {
            match joined.last_mut().filter(|last| last.0 == section && range.start <= last.1.end) {
                Some((_, last)) => last.end = last.end.max(range.end),
                None => joined.push((section, range)),
            }
        }
        Self(joined)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> u64 {
        self.0.len() as u64
    }

    /// Where it starts.
    pub(super) fn first(&self) -> Option<(SectionIndex, u64)> {
        self.0.first().map(|(section, range)| (*section, range.start))
    }

    pub(super) fn bytes(&self) -> u64 {
        self.0.iter().fold(0, |sum, (_, range)| sum.saturating_add(range.end - range.start))
    }

    /// Bytes that are in both.
    pub(super) fn common_bytes(&self, other: &Self) -> u64 {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut sum = 0_u64;
        while let (Some((a_section, a)), Some((b_section, b))) = (left.peek(), right.peek()) {
            if a_section == b_section {
                sum = sum.saturating_add(a.end.min(b.end).saturating_sub(a.start.max(b.start)));
            }
            if (a_section, a.end) <= (b_section, b.end) {
                left.next();
            } else {
                right.next();
            }
        }
        sum
    }
}

/// Reads the lists that entries refer to.
#[derive(Debug)]
pub(super) struct Lists<'s> {
    symbolizer: &'s Symbolizer<'s>,
    ranges: Option<List<'s>>,
    locations: Option<List<'s>>,
}

/// A section of lists.
#[derive(Debug)]
struct List<'s> {
    section: RelocatedSection<'s>,
    budget: Budget,
    kind: SectionKind,
}

impl<'s> Lists<'s> {
    pub(super) fn new(cubin: &'s Cubin<'_>, symbolizer: &'s Symbolizer<'_>) -> Result<Self> {
        let relocated = Relocated::new(cubin);
        let list = |kind: SectionKind| {
            let index = cubin.section_by_name(kind.name());
            let section = index.map(|index| relocated.section(index)).transpose()?;
            Ok(section.map(|section| List {
                budget: Budget::new(kind.name(), section.bytes.len() as u64),
                kind,
                section,
            }))
        };
        Ok(Self {
            symbolizer,
            ranges: list(SectionKind::DebugRanges)?,
            locations: list(SectionKind::DebugLoc)?,
        })
    }

    /// The code of an entry: `DW_AT_low_pc` to `DW_AT_high_pc`, or `DW_AT_ranges`. `base` is the unit's `DW_AT_low_pc`.
    pub(super) fn code(&mut self, entry: &Entry, base: Option<Address>) -> Result<Places> {
        if let Some(Value::Offset(_, offset)) = entry.value(gimli::DW_AT_ranges) {
            return match &mut self.ranges {
                Some(list) => list.read(self.symbolizer, *offset, base),
                None => Ok(Places::default()),
            };
        }
        let Some(low) = entry.address(gimli::DW_AT_low_pc) else { return Ok(Places::default()) };
        let range = match entry.value(gimli::DW_AT_high_pc) {
            Some(Value::Address(high)) => between(self.symbolizer, low, *high),
            Some(Value::Unsigned(size)) => place(self.symbolizer, low)
                .map(|(section, start)| (section, start..start.saturating_add(*size))),
            _ => None,
        };
        Ok(Places::new(range.into_iter().collect()))
    }

    /// What the location list at `offset` covers.
    pub(super) fn locations(&mut self, offset: u64, base: Option<Address>) -> Result<Option<Places>> {
        let symbolizer = self.symbolizer;
        self.locations.as_mut().map(|list| list.read(symbolizer, offset, base)).transpose()
    }

    /// Counts work that is not reading.
    pub(super) fn spend(&mut self, steps: u64, offset: u64) -> Result<()> {
        self.locations.as_mut().map_or(Ok(()), |list| list.budget.spend(steps, offset))
    }
}

impl List<'_> {
    fn read(&mut self, symbolizer: &Symbolizer<'_>, offset: u64, base: Option<Address>) -> Result<Places> {
        let mut cursor = Cursor::new(self.budget.section, &self.section.bytes);
        cursor.take(offset, "a list")?;
        let mut base = base;
        let mut found = Vec::new();
        loop {
            self.budget.spend(1, offset)?;
            match item(self.kind, &self.section, &mut cursor)? {
                Item::End => break,
                Item::Base(address) => base = Some(address),
                Item::Pair(pair) => {
                    let (low, high) = (from_base(pair.start, base), from_base(pair.end, base));
                    found.extend(between(symbolizer, low, high));
                }
            }
        }
        Ok(Places::new(found))
    }
}

/// An address of a list: a place of its own, or a number that counts from the base.
fn from_base(address: Address, base: Option<Address>) -> Address {
    let Address::Constant(number) = address else { return address };
    match base {
        Some(Address::Constant(base)) => Address::Constant(base.wrapping_add(number)),
        Some(Address::Place { section, offset, symbol }) => {
            Address::Place { section, offset: offset.wrapping_add(number), symbol }
        }
        Some(Address::Undefined(_)) | None => address,
    }
}

/// Section and offset; in debug-only objects addresses are numbers.
fn place(symbolizer: &Symbolizer<'_>, address: Address) -> Option<(SectionIndex, u64)> {
    match address {
        Address::Constant(number) => symbolizer.at_address(number),
        _ => address.place(),
    }
}

/// The code from one address up to another.
fn between(symbolizer: &Symbolizer<'_>, low: Address, high: Address) -> Option<(SectionIndex, Range<u64>)> {
    let (section, start) = place(symbolizer, low)?;
    let end = match (low, high) {
        // The end may be behind the section.
        (Address::Constant(low), Address::Constant(high)) => start.checked_add(high.checked_sub(low)?)?,
        _ => place(symbolizer, high).filter(|(other, _)| *other == section)?.1,
    };
    Some((section, start..end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_joined_and_compared_by_section() {
        let places = |all: &[(u32, u64, u64)]| {
            Places::new(all.iter().map(|&(section, a, b)| (SectionIndex(section), a..b)).collect())
        };
        let all = places(&[(2, 0, 16), (1, 32, 48), (1, 0, 16), (1, 8, 32), (1, 64, 64), (1, 80, 96)]);
        assert_eq!(all, places(&[(1, 0, 48), (1, 80, 96), (2, 0, 16)]));
        assert_eq!((all.bytes(), all.len(), all.first()), (80, 3, Some((SectionIndex(1), 0))));
        let other = places(&[(1, 40, 90), (2, 8, 100), (3, 0, 10)]);
        assert_eq!((all.common_bytes(&other), other.common_bytes(&all)), (8 + 10 + 8, 26));
    }
}
