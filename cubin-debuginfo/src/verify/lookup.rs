//! Checks of `.debug_pubnames`, `.debug_pubtypes` and `.debug_aranges`.

use super::{RuleId, SectionView, Verifier};
use crate::entries::{Entries, Unit};
use dwarf2_reader::constants as dw;
use dwarf2_reader::{aranges, pubnames};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::collections::HashMap;

pub(super) fn check(check: &mut Verifier<'_, '_>, entries: Option<&Entries<'_>>) {
    for kind in [SectionKind::DebugPubnames, SectionKind::DebugPubtypes, SectionKind::DebugAranges] {
        let Some(view) = check.view(kind) else { continue };
        let read = match kind {
            SectionKind::DebugAranges => code_ranges(check, &view, entries),
            _ => names(check, &view, entries, kind.name()),
        };
        if let Err(error) = read {
            check.unreadable(RuleId::LookupUnreadable, &error);
        }
    }
}

/// Refuses the set that begins at `start` if it is of another version.
fn version(view: &SectionView<'_>, start: u64, version: u16) -> Result<()> {
    if version == 2 {
        return Ok(());
    }
    let kind = ErrorKind::Value { field: "version", found: version.into(), expected: "2" };
    Err(Error::new(view.name, start, kind))
}

fn unit<'e>(
    check: &mut Verifier<'_, '_>,
    view: &SectionView<'_>,
    entries: Option<&'e Entries<'_>>,
    start: u64,
    offset: u64,
    length: Option<u64>,
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
    check: &mut Verifier<'_, '_>,
    view: &SectionView<'_>,
    entries: Option<&Entries<'_>>,
    section: &'static str,
) -> Result<()> {
    let mut set = None;
    for item in pubnames::items(section, &view.data.bytes) {
        let (span, item) = item?;
        match item {
            pubnames::Item::Set(header) => {
                version(view, span.start, header.version)?;
                let length = Some(header.info_length);
                set = Some((header.info, unit(check, view, entries, span.start, header.info, length)));
            }
            pubnames::Item::Name { entry, name } => {
                let (Some(entries), Some((info, Some(unit)))) = (entries, set) else { continue };
                let target = info.saturating_add(entry);
                let number = entries.at(target).filter(|number| unit.entries.contains(number));
                let text = String::from_utf8_lossy(name);
                let Some(number) = number else {
                    let (found, expected) =
                        (format!("{text} at {target:#x}"), "the offset of an entry of the unit");
                    check.find(RuleId::LookupEntry, view.name, span.start, found, expected);
                    continue;
                };
                let real = entries.inherited(number, dw::DW_AT_name).and_then(|(_, name)| name.text());
                if let Some(real) = real.filter(|real| !text.ends_with(&**real)) {
                    // In quotes: either may be empty.
                    let (found, expected) = (format!("`{text}`"), format!("`{real}`"));
                    check.find(RuleId::LookupName, view.name, span.start, found, expected);
                }
            }
            pubnames::Item::End | pubnames::Item::Padding(_) => {}
        }
    }
    Ok(())
}

/// DWARF 2.0.0 §6.1.2.
fn code_ranges(
    check: &mut Verifier<'_, '_>,
    view: &SectionView<'_>,
    entries: Option<&Entries<'_>>,
) -> Result<()> {
    let mut sizes = HashMap::new();
    for item in aranges::items(&view.data.bytes, |at| view.data.target(at).is_some()) {
        let (span, item) = item?;
        let (address, length) = match item {
            aranges::Item::Set(set) => {
                version(view, span.start, set.version)?;
                unit(check, view, entries, span.start, set.info, None);
                continue;
            }
            aranges::Item::Range { address, length } => (address, length),
            aranges::Item::End | aranges::Item::Padding(_) => continue,
        };
        let place = match view.data.target(span.start) {
            Some(target) => target.section.map(|section| (section, target.offset)),
            None => check.code.at_address(address),
        };
        let fits = place.is_some_and(|(section, offset)| {
            let size = *sizes.entry(section).or_insert_with(|| check.code_size(section));
            size.is_some_and(|size| offset.checked_add(length).is_some_and(|end| end <= size))
        });
        if !fits {
            let text = place
                .map_or_else(|| format!("{address:#x}"), |(section, offset)| check.place(section, offset));
            let found = format!("{text}, {length:#x} bytes");
            check.find(RuleId::ArangesRange, view.name, span.start, found, "a range in a code section");
        }
    }
    Ok(())
}
