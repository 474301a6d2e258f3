//! Checks of `.debug_info`.

use super::lines::{LineFiles, TableFiles};
use super::{RuleId, Verifier, short};
use crate::entries::{Attribute, Entries, Entry, Unit, Value};
use dwarf2_reader::constants as dw;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::SectionIndex;
use std::ops::Range;

pub(super) mod addresses;
mod classes;
mod files;
mod references;

pub(super) fn check(check: &mut Verifier<'_, '_>, entries: &Entries<'_>, lines: Option<&LineFiles>) {
    let tables = lines.map(|lines| lines.tables.as_slice());
    for unit in entries.units() {
        header(check, entries, unit);
        let table = line_table(check, entries, unit, tables);
        if let (Some(table), Some(lines)) = (table, lines) {
            files::check(check, entries, unit, table, lines);
        }
        let siblings = references::Siblings::new(entries, unit);
        let mut attributes = Vec::new();
        for number in unit.entries.clone() {
            let Some(entry) = entries.get(number) else { continue };
            attributes.clear();
            attributes.extend(entry.attributes());
            for attribute in &attributes {
                value(check, entries, entry, attribute, table);
                references::check(check, entries, entry, attribute, &siblings);
            }
            range(check, entries, entry);
            for attribute in &attributes {
                width(check, entries, attribute);
            }
            for attribute in &attributes {
                addresses::check(check, entries, entry, attribute);
            }
        }
    }
}

/// An entry in words: tag and name.
fn words(entry: Entry<'_>) -> String {
    match entry.name() {
        Some(name) => format!("{} {}", entry.tag_text(), short(&name)),
        None => entry.tag_text().into_owned(),
    }
}

fn header(check: &mut Verifier<'_, '_>, entries: &Entries<'_>, unit: &Unit) {
    let name = entries.section_name();
    if unit.version != 2 {
        let found = format!("version {}", unit.version);
        check.find(RuleId::EntriesVersion, name, unit.offset, found, "version 2");
    }
    if unit.address_size != 8 {
        let found = format!("addresses of {} bytes", unit.address_size);
        check.find(RuleId::EntriesUnit, name, unit.offset, found, "8 bytes");
    }
    let mut all = entries.range(unit.entries.clone());
    let expected = "one DW_TAG_compile_unit with all others below it";
    match all.next() {
        None => check.find(RuleId::EntriesUnit, name, unit.offset, "a unit without entries", expected),
        Some(first) if first.tag() != dw::DW_TAG_compile_unit => {
            check.find(RuleId::EntriesUnit, name, first.offset(), first.tag_text(), expected);
        }
        Some(_) => {}
    }
    if let Some(second) = all.find(|entry| entry.parent().is_none()) {
        check.find(
            RuleId::EntriesUnit,
            name,
            second.offset(),
            format!("{} beside it", words(second)),
            expected,
        );
    }
}

/// An address, also one in an expression.
fn width(check: &mut Verifier<'_, '_>, entries: &Entries<'_>, attribute: &Attribute<'_>) {
    let Some(data) = entries.section() else { return };
    let at = match &attribute.value {
        Value::Address(_) => attribute.offset,
        Value::Block(range) if data.bytes.get(range.start as usize) == Some(&dw::DW_OP_addr) => {
            range.start.saturating_add(1)
        }
        _ => return,
    };
    check.width(entries.section_name(), data, at);
}

/// The line table of a unit; `None` if it has none, or none that is known.
fn line_table<'t>(
    check: &mut Verifier<'_, '_>,
    entries: &Entries<'_>,
    unit: &Unit,
    tables: Option<&'t [TableFiles]>,
) -> Option<&'t TableFiles> {
    let first = entries.get(unit.entries.start).filter(|_| !unit.entries.is_empty())?;
    let attribute = first.attribute(dw::DW_AT_stmt_list)?;
    let Value::Offset(SectionKind::DebugLine, offset) = attribute.value else { return None };
    let tables = tables?;
    let found = tables.binary_search_by_key(&offset, |table| table.offset).ok();
    let found = found.and_then(|at| tables.get(at));
    if found.is_none() {
        let found = format!("offset {offset:#x}");
        let expected = "the start of a table in .debug_line";
        check.find(RuleId::EntriesLineTable, entries.section_name(), attribute.offset, found, expected);
    }
    found
}

/// Class of the value, files, strings.
fn value(
    check: &mut Verifier<'_, '_>,
    entries: &Entries<'_>,
    entry: Entry<'_>,
    attribute: &Attribute<'_>,
    table: Option<&TableFiles>,
) {
    const FILES: [u16; 2] = [dw::DW_AT_decl_file, dw::DW_AT_call_file];
    let name = entries.section_name();
    let words = || format!("{} of {}", attribute.name_text(), words(entry));
    if let Some(expected) = classes::misfit(attribute) {
        let found = format!("{}: {}", words(), classes::class_of_value(&attribute.value));
        check.find(RuleId::EntriesForm, name, attribute.offset, found, expected);
        return;
    }
    match (&attribute.value, table) {
        (Value::String(None), _) => {
            check.find(RuleId::EntriesString, name, attribute.offset, words(), "the offset of a string");
        }
        (Value::Unsigned(file), Some(table)) if FILES.contains(&attribute.name) && *file > table.count() => {
            let found = format!("{}: file {file}", words());
            let expected = format!("one of the table's {} files, or 0", table.count());
            check.find(RuleId::EntriesFile, name, attribute.offset, found, expected);
        }
        _ => {}
    }
}

/// Entries whose code lies in that of another.
const INNER: [u16; 4] =
    [dw::DW_TAG_lexical_block, dw::DW_TAG_inlined_subroutine, dw::DW_TAG_try_block, dw::DW_TAG_catch_block];

/// An entry's code, and that of the entry it belongs to.
fn range(check: &mut Verifier<'_, '_>, entries: &Entries<'_>, entry: Entry<'_>) {
    let Some((section, code)) = entry.code() else { return };
    let low_pc = entry.attribute(dw::DW_AT_low_pc);
    let at = low_pc.map_or(entry.offset(), |attribute| attribute.offset);
    let found = |check: &Verifier<'_, '_>| {
        format!("{}: {} to {:#x}", words(entry), check.place(section, code.start), code.end)
    };
    let name = entries.section_name();
    if let Some(expected) = misplaced(check, entry.tag(), section, &code) {
        let (function, found) = (check.function_name(section, code.start), found(check));
        check.find_in(function, RuleId::EntriesRange.at(name, at), found, expected);
        return;
    }
    if !(check.is_instruction(code.start) && check.is_instruction(code.end)) {
        let (function, found) = (check.function_name(section, code.start), found(check));
        let expected = "the starts of instructions";
        check.find_in(function, RuleId::EntriesInside.at(name, at), found, expected);
    }
    if !INNER.contains(&entry.tag()) {
        return;
    }
    let parent = entry.parent().and_then(|parent| entries.get(parent));
    let Some((outer, around)) = parent.and_then(Entry::code) else { return };
    if outer != section || code.start < around.start || around.end < code.end {
        let expected = format!("a range in {} to {:#x}", check.place(outer, around.start), around.end);
        let (function, found) = (check.function_name(section, code.start), found(check));
        check.find_in(function, RuleId::EntriesParent.at(name, at), found, expected);
    }
}

/// What is expected of a range that is not where it may be.
fn misplaced(check: &Verifier<'_, '_>, tag: u16, section: SectionIndex, code: &Range<u64>) -> Option<String> {
    let Some(size) = check.code_size(section) else {
        return Some("a place in a code section".to_owned());
    };
    if code.start > code.end || code.end > size {
        return Some(format!("a range in the section's {size:#x} bytes"));
    }
    let (function, _) = check.function_from(section, code.start);
    (tag == dw::DW_TAG_subprogram && function.is_none() && !check.code.functions_of(section).is_empty())
        .then(|| "the start of a function".to_owned())
}
