//! `.debug_pubnames`, `.debug_pubtypes`, `.debug_aranges`.

use super::{Check, RuleId, View};
use crate::entries::{Entries, Entry, Unit};
use nv_debug_sections::bytes::Cursor;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::{ErrorKind, Result};
use std::collections::HashMap;

pub(super) fn check(check: &mut Check<'_, '_>, entries: Option<&Entries<'_>>) {
    for kind in [SectionKind::DebugPubnames, SectionKind::DebugPubtypes, SectionKind::DebugAranges] {
        let Some(view) = check.view(kind) else { continue };
        let mut cursor = Cursor::new(view.name, &view.data.bytes);
        let read = match kind {
            SectionKind::DebugAranges => aranges(check, &view, &mut cursor, entries),
            _ => names(check, &view, &mut cursor, entries),
        };
        if let Err(error) = read {
            check.unreadable(RuleId::LookupUnreadable, &error);
        }
    }
}

/// The header of a set: where it is, its unit's offset, and what is left of it.
fn set<'d>(cursor: &mut Cursor<'d>) -> Result<(u64, u64, Cursor<'d>)> {
    let start = cursor.offset();
    let length = cursor.u32("unit_length")?;
    let mut set = cursor.split(length.into(), "a set (unit_length goes past the end)")?;
    let version = set.u16("version")?;
    if version != 2 {
        let kind = ErrorKind::Value { field: "version", found: version.into(), expected: "2" };
        return Err(set.error_at(start + 4, kind));
    }
    Ok((start, set.u32("debug_info_offset")?.into(), set))
}

fn unit<'e>(
    check: &mut Check<'_, '_>,
    view: &View<'_>,
    entries: Option<&'e Entries<'_>>,
    (start, offset, length): (u64, u64, Option<u64>),
) -> Option<&'e Unit> {
    let entries = entries?;
    let found = entries.units().binary_search_by_key(&offset, |unit| unit.offset).ok();
    let found = found.and_then(|at| Some((entries.units().get(at)?, entries.units().get(at + 1))));
    let Some((unit, next)) = found else {
        let text = format!("unit {offset:#x}");
        check.find(RuleId::LookupUnit, view.name, start, text, "the offset of a unit of .debug_info");
        return None;
    };
    let end = next.map_or(entries.bytes().len() as u64, |unit| unit.offset);
    if let Some(length) = length.filter(|length| offset.saturating_add(*length) != end) {
        let text = format!("{length:#x} as size of the unit {offset:#x}");
        check.find(RuleId::LookupUnit, view.name, start, text, format!("{:#x}", end - offset));
        return None;
    }
    Some(unit)
}

/// DWARF 2.0.0 §6.1.1.
fn names(
    check: &mut Check<'_, '_>,
    view: &View<'_>,
    cursor: &mut Cursor<'_>,
    entries: Option<&Entries<'_>>,
) -> Result<()> {
    while !cursor.is_empty() {
        let (start, info, mut set) = set(cursor)?;
        let length = set.u32("debug_info_length")?;
        let unit = unit(check, view, entries, (start, info, Some(length.into())));
        loop {
            let at = set.offset();
            let offset = set.u32("the offset of an entry")?;
            if offset == 0 {
                break;
            }
            let name = set.cstr("a name")?;
            let (Some(entries), Some(unit)) = (entries, unit) else { continue };
            let target = info.saturating_add(offset.into());
            let entry = entries.at(target).filter(|number| unit.entries.contains(number));
            let Some(entry) = entry.and_then(|number| entries.get(number)) else {
                let text = format!("{} at {target:#x}", String::from_utf8_lossy(name));
                check.find(RuleId::LookupEntry, view.name, at, text, "the offset of an entry of the unit");
                continue;
            };
            let named = [gimli::DW_AT_name, gimli::DW_AT_specification, gimli::DW_AT_abstract_origin];
            let real = std::iter::successors(Some(entry), |&entry| {
                let number = named.iter().skip(1).find_map(|name| entries.referred(entry, *name))?;
                entries.get(number)
            });
            // A chain of origins is short, but a file may have a ring.
            let real = real.take(4).find_map(Entry::name);
            let text = String::from_utf8_lossy(name);
            if real.as_ref().is_some_and(|real| !text.ends_with(&**real)) {
                // In quotes: either may be empty.
                let (found, expected) = (format!("`{text}`"), format!("`{}`", real.unwrap_or_default()));
                check.find(RuleId::LookupName, view.name, at, found, expected);
            }
        }
        if !set.is_empty() {
            let kind = ErrorKind::Other("bytes behind the end of a set".into());
            return Err(set.error(kind));
        }
    }
    Ok(())
}

/// DWARF 2.0.0 §6.1.2.
fn aranges(
    check: &mut Check<'_, '_>,
    view: &View<'_>,
    cursor: &mut Cursor<'_>,
    entries: Option<&Entries<'_>>,
) -> Result<()> {
    while !cursor.is_empty() {
        let (start, info, mut set) = set(cursor)?;
        unit(check, view, entries, (start, info, None));
        let sizes = (set.u8("address_size")?, set.u8("segment_size")?);
        if sizes != (8, 0) {
            let kind = ErrorKind::Value {
                field: "address_size",
                found: sizes.0.into(),
                expected: "8, without segments",
            };
            return Err(set.error_at(start + 10, kind));
        }
        // Pairs are aligned in the set to their own size.
        let header = set.offset() - start;
        set.take(header.next_multiple_of(16) - header, "padding")?;
        let mut sizes = HashMap::new();
        while !set.is_empty() {
            let at = set.offset();
            let (address, length) = (set.u64("an address")?, set.u64("a length")?);
            let target = view.data.target(at);
            if (address, length) == (0, 0) && target.is_none() {
                break;
            }
            let place = match target {
                Some(target) => target.section.map(|section| (section, target.offset)),
                None => check.code.at_address(address),
            };
            let fits = place.is_some_and(|(section, offset)| {
                let size = *sizes.entry(section).or_insert_with(|| check.code_size(section));
                size.is_some_and(|size| offset.checked_add(length).is_some_and(|end| end <= size))
            });
            if !fits {
                let text = place.map_or_else(|| format!("{address:#x}"), |place| check.place(place));
                let found = format!("{text}, {length:#x} bytes");
                check.find(RuleId::ArangesRange, view.name, at, found, "a range in a code section");
            }
        }
    }
    Ok(())
}
