//! Ranges of code, and the entry attributes that define them.

use crate::entries::{Address, Entry, Value};
use dwarf2_reader::constants as dw;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::code::Code;
use nv_debug_sections::cubin::SectionIndex;
use std::ops::Range;

/// A range of bytes in a code section.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CodeRange {
    /// The code section that contains the range.
    pub section: SectionIndex,
    /// The first byte offset of the range in its section, and the first one after the range.
    pub range: Range<u64>,
}

/// The code ranges that an entry states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EntryCode {
    /// The entry has `DW_AT_ranges`: its code ranges are the list at this byte offset of
    /// `.debug_ranges`.
    Listed(u64),
    /// The entry has one code range, from `DW_AT_low_pc` to `DW_AT_high_pc`.
    One(CodeRange),
    /// The entry states no code range, or its addresses are in no code section.
    Nowhere,
}

/// Returns the code ranges of an entry.
pub(crate) fn code_of(code: &Code<'_>, entry: Entry<'_>) -> EntryCode {
    if let Some(Value::Offset(SectionKind::DebugRanges, offset) | Value::Unsigned(offset)) =
        entry.value(dw::DW_AT_ranges)
    {
        return EntryCode::Listed(offset);
    }
    let found = entry.address(dw::DW_AT_low_pc).and_then(|low| match entry.value(dw::DW_AT_high_pc)? {
        Value::Address(high) => code_range(code, low, high),
        Value::Unsigned(size) => {
            let (section, start) = offset_in_section(code, low)?;
            Some(CodeRange { section, range: start..start.saturating_add(size) })
        }
        _ => None,
    });
    found.map_or(EntryCode::Nowhere, EntryCode::One)
}

/// Section and offset of an address; in debug-only objects addresses are numbers.
pub(crate) fn offset_in_section(code: &Code<'_>, address: Address) -> Option<(SectionIndex, u64)> {
    match address {
        Address::Constant(number) => code.at_address(number),
        _ => address.section_offset(),
    }
}

/// The code from one address up to another; `None` where one is open, or both are not in one
/// section.
pub(crate) fn code_range(code: &Code<'_>, start: Address, end: Address) -> Option<CodeRange> {
    let (section, first) = offset_in_section(code, start)?;
    let end = match (start, end) {
        // The end may be after the section.
        (Address::Constant(start), Address::Constant(end)) => first.checked_add(end.checked_sub(start)?)?,
        _ => end.section_offset().filter(|(other, _)| *other == section)?.1,
    };
    Some(CodeRange { section, range: first..end })
}

/// The code that may be between two addresses that make no [`code_range`]: from or up to the one
/// that is known; none if no one is.
pub(crate) fn possible(code: &Code<'_>, start: Address, end: Address) -> Vec<CodeRange> {
    let start =
        offset_in_section(code, start).map(|(section, start)| CodeRange { section, range: start..u64::MAX });
    let end = offset_in_section(code, end).map(|(section, end)| CodeRange { section, range: 0..end });
    start.into_iter().chain(end).collect()
}

/// Stretches sorted and joined where they touch; empty ones go.
pub(crate) fn joined(mut all: Vec<CodeRange>) -> Vec<CodeRange> {
    all.retain(|stretch| stretch.range.start < stretch.range.end);
    all.sort_by_key(|stretch| (stretch.section, stretch.range.start));
    let mut joined: Vec<CodeRange> = Vec::with_capacity(all.len());
    for CodeRange { section, range } in all {
        match joined.last_mut().filter(|last| last.section == section && range.start <= last.range.end) {
            Some(last) => last.range.end = last.range.end.max(range.end),
            None => joined.push(CodeRange { section, range }),
        }
    }
    joined
}

/// Bytes of stretches that do not overlap.
pub(crate) fn bytes(all: &[CodeRange]) -> u64 {
    all.iter().fold(0, |sum, stretch| sum.saturating_add(stretch.range.end - stretch.range.start))
}

/// Bytes that are in both of two [`joined`] lists.
pub(crate) fn common_bytes(all: &[CodeRange], other: &[CodeRange]) -> u64 {
    bytes(all).saturating_sub(bytes(&without(all, other)))
}

/// Returns the ranges that are in the first of two [`joined`] lists and not in the second.
pub(crate) fn without(all: &[CodeRange], taken: &[CodeRange]) -> Vec<CodeRange> {
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
                left.push(CodeRange { section: stretch.section, range: at..next.range.start });
            }
            at = at.max(next.range.end);
            if at >= stretch.range.end {
                break;
            }
            taken.next();
        }
        if at < stretch.range.end {
            left.push(CodeRange { section: stretch.section, range: at..stretch.range.end });
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stretches(all: &[(u32, u64, u64)]) -> Vec<CodeRange> {
        joined(
            all.iter()
                .map(|&(section, a, b)| CodeRange { section: SectionIndex(section), range: a..b })
                .collect(),
        )
    }

    #[test]
    fn stretches_are_joined_and_compared_by_section() {
        let all = stretches(&[(2, 0, 16), (1, 32, 48), (1, 0, 16), (1, 8, 32), (1, 64, 64), (1, 80, 96)]);
        let own = |&(section, start, end): &(u32, u64, u64)| CodeRange {
            section: SectionIndex(section),
            range: start..end,
        };
        assert_eq!(all, [(1, 0, 48), (1, 80, 96), (2, 0, 16)].iter().map(own).collect::<Vec<_>>());
        let other = stretches(&[(1, 40, 90), (2, 8, 100), (3, 0, 10)]);
        assert_eq!((bytes(&all), common_bytes(&all, &other), common_bytes(&other, &all)), (80, 26, 26));
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
            let has = |list: &[CodeRange], section: u32, at: u64| {
                list.iter().any(|s| s.section.0 == section && s.range.contains(&at))
            };
            for (section, at) in (0..3).flat_map(|section| (0..24).map(move |at| (section, at))) {
                prop_assert_eq!(has(&left, section, at), has(&all, section, at) && !has(&taken, section, at));
            }
            let common = (0..3).flat_map(|section| (0..24).map(move |at| (section, at)));
            let common = common.filter(|(section, at)| has(&all, *section, *at) && has(&taken, *section, *at));
            prop_assert_eq!(common_bytes(&all, &taken), common.count() as u64);
        }
    }
}
