//! Entries, lists and expressions of cubins as gimli reads them, also where bytes are wrong.
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]
#![allow(clippy::print_stdout, reason = "how much was compared, or that it was skipped")]

mod support;

use dwarf2_reader::info::{Attribute, Node, Units, Value};
use dwarf2_reader::{Error, ErrorKind, constants, expression, loc};
use gimli::{AttributeValue, DebugAbbrev, EndianSlice, LittleEndian};
use support::files;

/// An entry: offset, depth, tag, and its attributes.
#[derive(Debug, PartialEq)]
struct Entry {
    offset: u64,
    depth: u32,
    tag: u16,
    attributes: Vec<(u16, u16, u64, String)>,
}

/// Whether a table has a form of DWARF 5: gimli reads these in units of any version, and we do not know how long they are.
fn has_dwarf_5_form(info: &[u8], abbrev: &[u8]) -> bool {
    let Ok(units) = Units::read(info, abbrev) else { return false };
    let mut forms = units.tables().iter().flat_map(|table| {
        table.all().iter().flat_map(|abbreviation| table.attributes(abbreviation)).map(|spec| spec.form)
    });
    let is_newer = |form: u64| matches!(form, 0x1a..=0x1f | 0x21..=0x2c);
    let mut faults = units.all().iter().filter_map(|unit| units.nodes(unit, info).find_map(Result::err));
    // One that stands before a value, behind `DW_FORM_indirect`.
    let is_indirect = |error: Error| matches!(error.kind, ErrorKind::UnknownForm { form } if is_newer(form));
    forms.any(|form| is_newer(form.into())) || faults.next().is_some_and(is_indirect)
}

/// Whether zeros stand between units or behind them: padding to us, a unit that is cut short to gimli.
fn has_padding(info: &[u8], abbrev: &[u8]) -> bool {
    let Ok(units) = Units::read(info, abbrev) else { return false };
    let starts = units.all().iter().map(|unit| unit.span.start).chain([info.len() as u64]);
    let ends = [0].into_iter().chain(units.all().iter().map(|unit| unit.span.end));
    ends.ne(starts)
}

/// All entries of a section and whether it could be read to its end.
type Reading = (Vec<Entry>, bool);

fn ours(info: &[u8], abbrev: &[u8]) -> Reading {
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
        Value::Data(number) if attribute.is_section_offset || is_macros(attribute) => {
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
fn theirs(info: &[u8], abbrev: &[u8]) -> Reading {
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

/// Expressions in lists: opcodes and how many bytes each operation has, by both readers.
fn expressions(bytes: &[u8]) -> [(Vec<(u8, u64)>, bool); 2] {
    let mut ours = (Vec::new(), true);
    for operation in expression::operations(bytes) {
        match operation {
            Ok(operation) => ours.0.push((operation.opcode, operation.span.end - operation.span.start)),
            Err(_) => ours.1 = false,
        }
    }
    let encoding = gimli::Encoding { address_size: 8, format: gimli::Format::Dwarf32, version: 2 };
    let mut theirs = (Vec::new(), true);
    let mut rest = EndianSlice::new(bytes, LittleEndian);
    while !rest.is_empty() {
        let before = rest;
        theirs.1 = gimli::Operation::parse(&mut rest, encoding).is_ok();
        if !theirs.1 {
            break;
        }
        theirs.0.push((before[0], (before.len() - rest.len()) as u64));
    }
    [ours, theirs]
}

#[test]
fn entries_of_cubins() {
    let mut count = 0;
    for file in files() {
        let (name, info, abbrev) = (&file.name, file.section(".debug_info"), file.section(".debug_abbrev"));
        let (ours, theirs) = (ours(info, abbrev), theirs(info, abbrev));
        assert!(ours == theirs, "{name}");
        assert!(ours.1, "{name}");
        count += ours.0.len();
    }
    println!("entries: {count}");
    assert!(count >= 200, "{count}"); // of the repository alone
}

#[test]
fn expressions_of_cubins() {
    let mut count = 0;
    for file in files() {
        let name = &file.name;
        for item in loc::items(file.section(".debug_loc"), 0, |_| false) {
            let (_, loc::Item::Location { expression, .. }) = item.unwrap() else { continue };
            let [ours, theirs] = expressions(expression);
            // gimli's registers end at 16 bits, and NVIDIA's do not.
            let has_register =
                |(opcode, _): &(u8, u64)| matches!(*opcode, constants::DW_OP_regx | constants::DW_OP_bregx);
            if theirs.1 || !ours.0.iter().any(has_register) {
                assert_eq!(ours, theirs, "{name}");
            }
            assert!(ours.1, "{name}");
            count += 1;
        }
    }
    println!("expressions: {count}");
}

/// Up to four bytes are changed or the section is cut, 10,000 times.
#[test]
fn changed_bytes() {
    let files = files();
    let mut random = fastrand::Rng::with_seed(20_130_088);
    let (mut sound, mut refused, mut newer, mut padded) = (0, 0, 0, 0);
    for round in 0..10_000 {
        let file = &files[round % files.len()];
        let (mut info, mut abbrev) =
            (file.section(".debug_info").to_vec(), file.section(".debug_abbrev").to_vec());
        if info.is_empty() || abbrev.is_empty() || info.len() > 20_000 {
            continue;
        }
        for _ in 0..random.usize(1..=4) {
            let section = if random.u8(..) < 160 { &mut info } else { &mut abbrev };
            let at = random.usize(..section.len());
            section[at] = if random.bool() { random.u8(..) } else { random.u8(0..0x20) };
        }
        if random.u8(..) < 10 {
            info.truncate(random.usize(..info.len()));
        }
        let (ours, theirs) = (ours(&info, &abbrev), theirs(&info, &abbrev));
        // Where both refuse, one may have read further.
        let both = ours.0.len().min(theirs.0.len());
        let is_equal = if ours.1 && theirs.1 { ours == theirs } else { ours.0[..both] == theirs.0[..both] };
        if ours.1 == theirs.1 && is_equal {
            *(if ours.1 { &mut sound } else { &mut refused }) += 1;
            continue;
        }
        if is_equal && ours.1 && has_padding(&info, &abbrev) {
            padded += 1;
            continue;
        }
        assert!(has_dwarf_5_form(&info, &abbrev), "round {round}: {} {} {}", file.name, ours.1, theirs.1);
        newer += 1;
    }
    println!(
        "changed: {sound} sound, {refused} refused by both, {newer} with a form of DWARF 5, {padded} padded"
    );
    assert!(sound > 500 && refused > 500, "{sound} {refused}");
}
