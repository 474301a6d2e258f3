//! Entries of `.debug_info` by this crate and by gimli.
#![allow(unreachable_pub, reason = "a module of tests")]

use super::outcome::{Outcome, Reading, compare as compare_readings};
use dwarf2_reader::info::{Attribute, Node, Units, Value};
use dwarf2_reader::{Error, ErrorKind, constants};
use gimli::{AttributeValue, DebugAbbrev, EndianSlice, LittleEndian};

/// An entry: offset, depth, tag, and its attributes.
#[derive(Debug, PartialEq)]
pub struct Entry {
    offset: u64,
    depth: u32,
    tag: u16,
    attributes: Vec<(u16, u16, u64, String)>,
}

/// Compares both readings of `.debug_info`.
pub fn compare(info: &[u8], abbrev: &[u8]) -> Outcome {
    let (ours, theirs) = (ours(info, abbrev), theirs(info, abbrev));
    compare_readings(&ours, &theirs, || {
        if has_dwarf_5_form(info, abbrev) {
            return Some(("a form of DWARF 5", true));
        }
        // gimli reads no more than 3 bytes of a tag, a name or a form, also where they are padding.
        if abbrev.windows(3).any(|bytes| bytes.iter().all(|byte| byte & 0x80 != 0)) {
            return Some(("a long number in a table", false));
        }
        (ours.1 && has_padding(info, abbrev)).then_some(("padding", false))
    })
}

/// Whether a table has a form of DWARF 5: gimli reads these in units of any version, and we do not
/// know how long they are.
fn has_dwarf_5_form(info: &[u8], abbrev: &[u8]) -> bool {
    let Ok(units) = Units::read(info, abbrev) else { return false };
    let mut forms = units.tables().iter().flat_map(|table| {
        table.all().iter().flat_map(|abbreviation| table.attributes(abbreviation)).map(|spec| spec.form)
    });
    let is_newer = |form: u64| matches!(form, 0x1a..=0x1f | 0x21..=0x2c);
    let mut faults = units.all().iter().filter_map(|unit| units.nodes(unit, info).find_map(Result::err));
    // One that stands before a value, after `DW_FORM_indirect`.
    let is_indirect = |error: Error| matches!(error.kind, ErrorKind::UnknownForm { form } if is_newer(form));
    forms.any(|form| is_newer(form.into())) || faults.next().is_some_and(is_indirect)
}

/// Whether zeros stand between units or after them: padding to us, a unit that is cut short to
/// gimli.
fn has_padding(info: &[u8], abbrev: &[u8]) -> bool {
    let Ok(units) = Units::read(info, abbrev) else { return false };
    let starts = units.all().iter().map(|unit| unit.span.start).chain([info.len() as u64]);
    let ends = [0].into_iter().chain(units.all().iter().map(|unit| unit.span.end));
    ends.ne(starts)
}

pub fn ours(info: &[u8], abbrev: &[u8]) -> Reading<Entry> {
    let mut all = Vec::new();
    let Ok(units) = Units::read(info, abbrev) else { return (all, false) };
    for unit in units.all() {
        for node in units.nodes(unit, info) {
            match node {
                Err(_) => return (all, false),
                Ok(Node::End(_) | Node::Padding(_)) => {}
                Ok(Node::Entry(entry)) => all.push(Entry {
                    offset: entry.offset(),
                    depth: entry.depth(),
                    tag: entry.tag(),
                    attributes: entry.attributes().map(|attribute| in_words(&attribute)).collect(),
                }),
            }
        }
    }
    (all, true)
}

fn in_words(attribute: &Attribute<'_>) -> (u16, u16, u64, String) {
    let value = match attribute.value {
        Value::Address(address) => format!("address {address:#x}"),
        Value::Block(bytes) => format!("block {bytes:x?}"),
        // `DW_AT_macros` of DWARF 5 is an offset to gimli in units of any version.
        Value::Data(number) if attribute.section_offset().is_some() || is_macros(attribute) => {
            format!("offset {number:#x}")
        }
        Value::Data(number) | Value::Unsigned(number) => format!("number {number}"),
        Value::Signed(number) => format!("signed {number}"),
        Value::Flag(flag) => format!("flag {}", flag != 0),
        Value::String(string) => format!("string {string:x?}"),
        Value::StringOffset(offset) => format!("strp {offset:#x}"),
        Value::UnitReference(offset) => format!("unit {offset:#x}"),
        Value::InfoReference(offset) => format!("info {offset:#x}"),
        Value::Signature(signature) => format!("signature {signature:#x}"),
        Value::SectionOffset(offset) => format!("offset {offset:#x}"),
    };
    let form = if attribute.is_indirect { constants::DW_FORM_indirect } else { attribute.form };
    (attribute.name, form, attribute.span.start, value)
}

fn is_macros(attribute: &Attribute<'_>) -> bool {
    (attribute.name, attribute.form) == (0x79, constants::DW_FORM_data4)
}

/// The same by gimli.
fn theirs(info: &[u8], abbrev: &[u8]) -> Reading<Entry> {
    let abbrev = DebugAbbrev::new(abbrev, LittleEndian);
    let mut headers = gimli::DebugInfo::new(info, LittleEndian).units();
    let mut all = Vec::new();
    let mut units = Vec::new();
    loop {
        match headers.next() {
            Err(_) => return (all, false),
            Ok(None) => break,
            Ok(Some(header)) => units.push(header),
        }
    }
    // Its tables are read before its entries are, as ours are.
    let Ok(tables) = units.iter().map(|unit| unit.abbreviations(&abbrev)).collect::<Result<Vec<_>, _>>()
    else {
        return (all, false);
    };
    for (unit, table) in units.iter().zip(&tables) {
        let start = unit.offset().0;
        let Ok(mut raw) = unit.entries_raw(table, None) else { return (all, false) };
        while !raw.is_empty() {
            let offset = (start + raw.next_offset().0) as u64;
            let depth = u32::try_from(raw.next_depth()).unwrap_or(0);
            let Ok(abbreviation) = raw.read_abbreviation() else { return (all, false) };
            let Some(abbreviation) = abbreviation else { continue };
            let mut attributes = Vec::new();
            for spec in abbreviation.attributes() {
                let field = (start + raw.next_offset().0) as u64;
                let Ok(attribute) = raw.read_attribute(*spec) else { return (all, false) };
                let value = gimli_words(attribute.raw_value());
                attributes.push((spec.name().0, spec.form().0, field, value));
            }
            all.push(Entry { offset, depth, tag: abbreviation.tag().0, attributes });
        }
    }
    (all, true)
}

fn gimli_words(value: AttributeValue<EndianSlice<'_, LittleEndian>>) -> String {
    match value {
        AttributeValue::Addr(address) => format!("address {address:#x}"),
        AttributeValue::Block(bytes) => format!("block {:x?}", bytes.slice()),
        AttributeValue::Exprloc(expression) => format!("block {:x?}", expression.0.slice()),
        AttributeValue::Data1(number) => format!("number {number}"),
        AttributeValue::Data2(number) => format!("number {number}"),
        AttributeValue::Data4(number) => format!("number {number}"),
        AttributeValue::Data8(number) | AttributeValue::Udata(number) => format!("number {number}"),
        AttributeValue::Sdata(number) => format!("signed {number}"),
        AttributeValue::Flag(flag) => format!("flag {flag}"),
        AttributeValue::String(string) => format!("string {:x?}", string.slice()),
        AttributeValue::DebugStrRef(offset) => format!("strp {:#x}", offset.0),
        AttributeValue::UnitRef(offset) => format!("unit {:#x}", offset.0),
        AttributeValue::DebugInfoRef(offset) => format!("info {:#x}", offset.0),
        AttributeValue::DebugTypesRef(signature) => format!("signature {:#x}", signature.0),
        AttributeValue::SecOffset(offset) => format!("offset {offset:#x}"),
        other => format!("{other:?}"),
    }
}
