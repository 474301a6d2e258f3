//! Checks of references between entries.

use super::super::{RuleId, Verifier};
use super::words;
use crate::entries::{Attribute, Entries, Entry, Unit, Value};
use dwarf2_reader::constants as dw;

/// The next sibling of each entry of a unit.
pub(super) struct Siblings {
    /// Number of the unit's first entry.
    first: usize,
    /// By entry: number of its next sibling, 0 where there is none.
    next: Vec<usize>,
}

impl Siblings {
    pub(super) fn new(entries: &Entries<'_>, unit: &Unit) -> Self {
        let first = unit.entries.start;
        let mut next = vec![0; unit.entries.len()];
        // The last entry at each depth, of those that are around the current one or before it
        // beside these.
        let mut last: Vec<usize> = Vec::new();
        for number in unit.entries.clone() {
            let depth = entries.depth(number);
            last.truncate(depth + 1);
            match last.get_mut(depth) {
                Some(before) => {
                    if let Some(next) = next.get_mut(*before - first) {
                        *next = number;
                    }
                    *before = number;
                }
                None => last.push(number),
            }
        }
        Self { first, next }
    }

    fn of(&self, number: usize) -> Option<usize> {
        let next = self.next.get(number.checked_sub(self.first)?).copied()?;
        (next != 0).then_some(next)
    }
}

/// The reference of one attribute of an entry, if it is one.
pub(super) fn check(
    check: &mut Verifier<'_, '_>,
    entries: &Entries<'_>,
    entry: Entry<'_>,
    attribute: &Attribute<'_>,
    siblings: &Siblings,
) {
    let Value::Entry(offset) = &attribute.value else { return };
    let name = entries.section_name();
    let found = || format!("{} of {}: {offset:#x}", attribute.name_text(), words(entry));
    if attribute.name == dw::DW_AT_sibling {
        let next = siblings.of(entry.number()).and_then(|next| entries.get(next));
        // The last one's may be what ends the siblings, which is not an entry.
        let is_next = match next {
            Some(next) => next.offset() == *offset,
            None => entries.at(*offset).is_none() && *offset > entry.offset(),
        };
        if !is_next {
            let expected =
                next.map_or("none after the last".to_owned(), |next| format!("{:#x}", next.offset()));
            check.find(RuleId::EntriesSibling, name, attribute.offset, found(), expected);
        }
        return;
    }
    let Some(target) = entries.at(*offset).and_then(|number| entries.get(number)) else {
        check.find(RuleId::EntriesReference, name, attribute.offset, found(), "the offset of an entry");
        return;
    };
    if let Some(expected) = misfit(attribute.name, entry, target) {
        let found = format!("{}, {}", found(), words(target));
        check.find(RuleId::EntriesTag, name, attribute.offset, found, expected);
    }
}

/// Entries that are types (DWARF 2.0.0 §5, DWARF 4 §5).
const TYPES: [u16; 19] = [
    dw::DW_TAG_base_type,
    dw::DW_TAG_pointer_type,
    dw::DW_TAG_reference_type,
    dw::DW_TAG_rvalue_reference_type,
    dw::DW_TAG_ptr_to_member_type,
    dw::DW_TAG_const_type,
    dw::DW_TAG_volatile_type,
    dw::DW_TAG_restrict_type,
    dw::DW_TAG_typedef,
    dw::DW_TAG_array_type,
    dw::DW_TAG_structure_type,
    dw::DW_TAG_class_type,
    dw::DW_TAG_union_type,
    dw::DW_TAG_enumeration_type,
    dw::DW_TAG_subroutine_type,
    dw::DW_TAG_subrange_type,
    dw::DW_TAG_string_type,
    dw::DW_TAG_unspecified_type,
    dw::DW_TAG_atomic_type,
];

/// Which entries may have which origin, where that is not one of the same tag.
const ORIGINS: [(u16, u16); 3] = [
    (dw::DW_TAG_inlined_subroutine, dw::DW_TAG_subprogram),
    (dw::DW_TAG_variable, dw::DW_TAG_member),
    (dw::DW_TAG_GNU_call_site, dw::DW_TAG_subprogram),
];

fn misfit(name: u16, entry: Entry<'_>, target: Entry<'_>) -> Option<String> {
    match name {
        dw::DW_AT_type => (!TYPES.contains(&target.tag())).then(|| "a type".to_owned()),
        dw::DW_AT_abstract_origin | dw::DW_AT_specification => {
            let other = ORIGINS.iter().find(|(tag, _)| *tag == entry.tag()).map(|(_, origin)| *origin);
            let fits = target.tag() == entry.tag() || other == Some(target.tag());
            (!fits).then(|| format!("a {}", dw::DW_TAG.name_or_number(other.unwrap_or(entry.tag()))))
        }
        _ => None,
    }
}
