//! What was read is written again to the same bytes: sections of cubins, and random ones that `dwarf2-writer` wrote.
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]
#![allow(clippy::print_stdout, reason = "how much was compared, or that it was skipped")]
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

mod support;

#[allow(clippy::wildcard_imports, reason = "all of DW_FORM_*")]
use dwarf2_reader::constants::*;
use dwarf2_reader::info::{Attribute, Entry, Node, Units, Value as ReadValue};
use dwarf2_reader::{aranges, loc, macinfo, pubnames, strings};
use dwarf2_writer::aranges::ArangeTable;
use dwarf2_writer::info::{Block, DebugInfo, EntryId, Params, Value};
use dwarf2_writer::loc::{Location, LocationTable};
use dwarf2_writer::macinfo::{Macro, MacroTable};
use dwarf2_writer::pubnames::{NameSet, PubTable};
use dwarf2_writer::strings::StringTable;
use dwarf2_writer::{Address, Expression};
use proptest::prelude::*;
use std::collections::BTreeMap;
use support::files;

/// Why a section of a cubin is not one that the writer can write.
type Refused = &'static str;

/// `.debug_info` and `.debug_abbrev`, read and written again.
fn info(bytes: &[u8], abbrev: &[u8]) -> Result<(Vec<u8>, Vec<u8>), Refused> {
    let read = Units::read(bytes, abbrev).map_err(|_| "not readable")?;
    let mut written = DebugInfo::new(Params::default());
    let mut ids: BTreeMap<u64, EntryId> = BTreeMap::new();
    let mut entries: Vec<Vec<Entry<'_, '_>>> = Vec::new();
    for unit in read.all() {
        if (unit.version, unit.address_size, unit.abbrev_offset) != (2, 8, 0) {
            return Err("version, address size, several tables");
        }
        let root = written.reserve_unit();
        let mut of_unit = Vec::new();
        let (mut has_list, mut open) = (false, 0_u32);
        for node in read.nodes(unit, bytes) {
            let Node::Entry(entry) = node.map_err(|_| "not readable")? else {
                if has_list {
                    return Err("an empty list of children");
                }
                open = open.checked_sub(1).ok_or("zeros behind the entries")?;
                continue;
            };
            has_list = entry.abbreviation().has_children;
            open += u32::from(has_list);
            if (entry.depth() == 0) != of_unit.is_empty() {
                return Err("an entry beside that of the unit");
            }
            let id = if of_unit.is_empty() { root } else { written.reserve(root).unwrap() };
            ids.insert(entry.offset(), id);
            of_unit.push(entry);
        }
        if of_unit.is_empty() {
            return Err("a unit without entries");
        }
        entries.push(of_unit);
    }
    for of_unit in &entries {
        let mut parents: Vec<EntryId> = Vec::new();
        for entry in of_unit {
            let id = ids[&entry.offset()];
            parents.truncate(entry.depth() as usize);
            let attributes: Vec<_> = entry.attributes().collect();
            let targets: Vec<_> = attributes.iter().map(|attribute| target(entry, attribute, &ids)).collect();
            let values: Vec<_> = attributes
                .iter()
                .zip(&targets)
                .map(|(attribute, target)| Ok((attribute.name, value(attribute, *target)?)))
                .collect::<Result<_, Refused>>()?;
            // The inner value of an indirect one must live while it is written.
            let indirect: Vec<(u16, Value<'_>)> = values
                .iter()
                .zip(&attributes)
                .map(|((name, value), attribute)| {
                    (*name, if attribute.is_indirect { Value::Indirect(value) } else { *value })
                })
                .collect();
            match parents.last() {
                None => written.fill_unit(id, entry.tag(), &indirect),
                Some(parent) => written.fill(id, *parent, entry.tag(), &indirect),
            }
            .map_err(|_| "refused by the writer")?;
            parents.push(id);
        }
    }
    let sections = written.finish().map_err(|_| "refused by the writer")?;
    Ok((sections.info.bytes, sections.abbrev))
}

/// The entry that an attribute refers to.
fn target(entry: &Entry<'_, '_>, attribute: &Attribute<'_>, ids: &BTreeMap<u64, EntryId>) -> Option<EntryId> {
    let offset = match attribute.value {
        ReadValue::UnitReference(offset) => entry.in_unit(offset)?,
        ReadValue::InfoReference(offset) => offset,
        _ => return None,
    };
    ids.get(&offset).copied()
}

fn value<'v>(attribute: &Attribute<'v>, target: Option<EntryId>) -> Result<Value<'v>, Refused> {
    let no_entry = "a reference to no entry";
    Ok(match (attribute.form, attribute.value) {
        (DW_FORM_addr, ReadValue::Address(address)) => Value::Addr(Address::Constant(address)),
        (DW_FORM_block1, ReadValue::Block(bytes)) => Value::Block1(Block::from(bytes)),
        (DW_FORM_block2, ReadValue::Block(bytes)) => Value::Block2(Block::from(bytes)),
        (DW_FORM_block4, ReadValue::Block(bytes)) => Value::Block4(Block::from(bytes)),
        (DW_FORM_block, ReadValue::Block(bytes)) => Value::Block(Block::from(bytes)),
        (DW_FORM_data1, ReadValue::Data(number)) => Value::Data1(number as u8),
        (DW_FORM_data2, ReadValue::Data(number)) => Value::Data2(number as u16),
        (DW_FORM_data4, ReadValue::Data(number)) => Value::Data4(number as u32),
        (DW_FORM_data8, ReadValue::Data(number)) => Value::Data8(number),
        (DW_FORM_string, ReadValue::String(string)) => Value::String(string),
        (DW_FORM_flag, ReadValue::Flag(flag @ 0..=1)) => Value::Flag(flag == 1),
        (DW_FORM_sdata, ReadValue::Signed(number)) => Value::Sdata(number),
        (DW_FORM_udata, ReadValue::Unsigned(number)) => Value::Udata(number),
        (DW_FORM_strp, ReadValue::StringOffset(offset)) => Value::Strp(Address::Constant(offset)),
        (DW_FORM_ref_addr, ReadValue::InfoReference(offset)) => match target {
            Some(entry) => Value::RefAddr(entry),
            None => Value::RefAddrOffset(Address::Constant(offset)),
        },
        (DW_FORM_ref1, _) => Value::Ref1(target.ok_or(no_entry)?),
        (DW_FORM_ref2, _) => Value::Ref2(target.ok_or(no_entry)?),
        (DW_FORM_ref4, _) => Value::Ref4(target.ok_or(no_entry)?),
        (DW_FORM_ref8, _) => Value::Ref8(target.ok_or(no_entry)?),
        (DW_FORM_ref_udata, _) => Value::RefUdata(target.ok_or(no_entry)?),
        _ => return Err("a form of a later version"),
    })
}

fn loc_lists(bytes: &[u8]) -> Result<Vec<u8>, Refused> {
    let mut table = LocationTable::new();
    let mut list = Vec::new();
    for item in loc::items(bytes, 0, |_| false) {
        list.push(match item.map_err(|_| "not readable")?.1 {
            loc::Item::Base(base) => Location::Base(Address::Constant(base)),
            loc::Item::Location { begin, end, expression } => Location::Range {
                begin: Address::Constant(begin),
                end: Address::Constant(end),
                location: Expression::from(expression.to_vec()),
            },
            loc::Item::End => {
                table.list(&std::mem::take(&mut list)).map_err(|_| "refused by the writer")?;
                continue;
            }
        });
    }
    if list.is_empty() { Ok(table.finish().bytes) } else { Err("a list without an end") }
}

fn names(name: &'static str, bytes: &[u8]) -> Result<Vec<u8>, Refused> {
    let mut table = PubTable::new();
    let mut set = None;
    let mut names = Vec::new();
    for item in pubnames::items(name, bytes) {
        match item.map_err(|_| "not readable")?.1 {
            pubnames::Item::Set(header) => set = Some(header),
            pubnames::Item::Name { entry, name } => names.push((entry as u32, name)),
            pubnames::Item::End => {
                let header = set.take().unwrap();
                let info = Address::Constant(header.info);
                let (info_length, names) = (header.info_length as u32, std::mem::take(&mut names));
                let set = NameSet { info, info_length, names: &names };
                table.unit(&set).map_err(|_| "refused by the writer")?;
            }
            pubnames::Item::Padding(_) => return Err("padding"),
        }
    }
    Ok(table.finish().bytes)
}

fn address_ranges(bytes: &[u8]) -> Result<Vec<u8>, Refused> {
    let mut table = ArangeTable::new();
    let (mut info, mut ranges) = (Address::Constant(0), Vec::new());
    for item in aranges::items(bytes, |_| false) {
        match item.map_err(|_| "not readable")?.1 {
            aranges::Item::Set(set) => info = Address::Constant(set.info),
            aranges::Item::Padding(_) => {}
            aranges::Item::Range { address, length } => ranges.push((Address::Constant(address), length)),
            aranges::Item::End => {
                table.unit(info, &std::mem::take(&mut ranges)).map_err(|_| "refused by the writer")?;
            }
        }
    }
    Ok(table.finish().bytes)
}

fn macros(bytes: &[u8]) -> Result<Vec<u8>, Refused> {
    let mut table = MacroTable::new();
    let mut list = Vec::new();
    for item in macinfo::items(bytes, 0) {
        match item.map_err(|_| "not readable")?.1 {
            Some(entry) => list.push(entry),
            None => _ = table.list(&std::mem::take(&mut list)).map_err(|_| "refused by the writer")?,
        }
    }
    if list.is_empty() { Ok(table.finish()) } else { Err("a list without an end") }
}

fn string_table(bytes: &[u8]) -> Result<Vec<u8>, Refused> {
    let mut table = StringTable::new();
    for string in strings::strings(bytes) {
        table.append(string.map_err(|_| "not readable")?.1).map_err(|_| "refused by the writer")?;
    }
    Ok(table.finish())
}

/// The section with 0 for each code of an abbreviation, where all codes are of one byte.
fn without_codes((info, abbrev): (&Vec<u8>, &[u8])) -> Vec<u8> {
    let mut bytes = info.clone();
    let read = Units::read(info, abbrev).unwrap();
    for unit in read.all() {
        for node in read.nodes(unit, info) {
            let Node::Entry(entry) = node.unwrap() else { continue };
            assert!(entry.abbreviation().code < 0x80);
            bytes[entry.offset() as usize] = 0;
        }
    }
    bytes
}

/// By section: how many came back, and why others did not.
type Counts = BTreeMap<(&'static str, Refused), usize>;

#[test]
fn sections_of_cubins() {
    let mut counts = Counts::new();
    let mut count = |section: &'static str, name: &str, bytes: &[u8], written: Result<Vec<u8>, Refused>| {
        if bytes.is_empty() {
            return;
        }
        let outcome = match written {
            Ok(written) => {
                assert!(written == bytes, "{name}: {section} differs");
                "same"
            }
            Err(refused) => refused,
        };
        *counts.entry((section, outcome)).or_default() += 1;
    };
    for file in files() {
        let section = |name| file.section(name);
        let (info_bytes, abbrev) = (section(".debug_info"), section(".debug_abbrev"));
        match info(info_bytes, abbrev) {
            Ok((written, written_abbrev)) if written_abbrev == abbrev => {
                count(".debug_info", &file.name, info_bytes, Ok(written));
                count(".debug_abbrev", &file.name, abbrev, Ok(written_abbrev));
            }
            Ok((written, written_abbrev)) => {
                // Another producer numbers abbreviations in another order, or has some that no entry uses.
                let [ours, theirs] =
                    [(&written, &written_abbrev[..]), (&info_bytes.to_vec(), abbrev)].map(without_codes);
                assert!(ours == theirs, "{}", file.name);
                count(".debug_info", &file.name, info_bytes, Err("same but for codes of abbreviations"));
            }
            Err(refused) => count(".debug_info", &file.name, info_bytes, Err(refused)),
        }
        for (name, written) in [
            (".debug_loc", loc_lists(section(".debug_loc"))),
            (".debug_pubnames", names(".debug_pubnames", section(".debug_pubnames"))),
            (".debug_pubtypes", names(".debug_pubtypes", section(".debug_pubtypes"))),
            (".debug_aranges", address_ranges(section(".debug_aranges"))),
            (".debug_macinfo", macros(section(".debug_macinfo"))),
            (".debug_str", string_table(section(".debug_str"))),
        ] {
            count(name, &file.name, section(name), written);
        }
    }
    println!("{counts:#?}");
    assert!(counts.contains_key(&(".debug_info", "same")), "{counts:?}");
    // Only entries may be written in ways that the writer does not have.
    assert!(
        counts.keys().all(|(section, outcome)| *section == ".debug_info" || *outcome == "same"),
        "{counts:?}"
    );
}

/// A value by its form; references by a number that is taken modulo the entries that there are.
#[derive(Debug, Clone)]
struct Model {
    form: usize,
    number: u64,
    bytes: Vec<u8>,
    is_indirect: bool,
}

const FORMS: usize = 21;

impl Model {
    fn value<'v>(&'v self, ids: &[EntryId], root: EntryId) -> Value<'v> {
        let Self { form, number, bytes, .. } = self;
        let (number, block) = (*number, Block::from(&bytes[..]));
        let entry = ids[number as usize % ids.len()];
        let address = Address::Constant(number);
        let offset = Address::Constant(u64::from(number as u32));
        match form {
            0 => Value::Addr(address),
            1 => Value::Block1(block),
            2 => Value::Block2(block),
            3 => Value::Block4(block),
            4 => Value::Block(block),
            5 => Value::Data1(number as u8),
            6 => Value::Data2(number as u16),
            7 => Value::Data4(number as u32),
            8 => Value::Data8(number),
            9 => Value::String(bytes),
            10 => Value::Flag(number & 1 == 1),
            11 => Value::Sdata(number.cast_signed() >> (number & 63)),
            12 => Value::Strp(offset),
            13 => Value::Udata(number >> (number & 63)),
            14 => Value::RefAddr(entry),
            // Too far for an entry of these sections.
            15 => Value::RefAddrOffset(Address::Constant(number | 1 << 40)),
            16 => Value::Ref1(root), // always near enough
            17 => Value::Ref2(entry),
            18 => Value::Ref4(entry),
            19 => Value::Ref8(entry),
            _ => Value::RefUdata(entry),
        }
    }
}

fn model() -> impl Strategy<Value = Model> {
    let bytes = prop::collection::vec(1..=u8::MAX, 0..200);
    (0..FORMS, any::<u64>(), bytes, any::<bool>()).prop_map(|(form, number, bytes, is_indirect)| Model {
        form,
        number,
        bytes,
        is_indirect,
    })
}

/// Parent, tag and attributes of each entry but the first.
type Tree = Vec<(usize, u16, BTreeMap<u16, Model>)>;

fn tree() -> impl Strategy<Value = Tree> {
    let attributes = prop::collection::btree_map(1..0x3000_u16, model(), 0..6);
    prop::collection::vec((any::<usize>(), 1..0x5000_u16, attributes), 1..40)
}

fn random_info(trees: &[Tree]) -> (Vec<u8>, Vec<u8>) {
    let mut info = DebugInfo::new(Params::default());
    for tree in trees {
        let root = info.reserve_unit();
        let mut ids = vec![root];
        ids.extend(tree.iter().skip(1).map(|_| info.reserve(root).unwrap()));
        for (number, (parent, tag, attributes)) in tree.iter().enumerate() {
            let plain: Vec<_> =
                attributes.iter().map(|(name, model)| (*name, model, model.value(&ids, root))).collect();
            let values: Vec<_> = plain
                .iter()
                .map(|(name, model, value)| {
                    (*name, if model.is_indirect { Value::Indirect(value) } else { *value })
                })
                .collect();
            match number {
                0 => info.fill_unit(root, *tag, &values).unwrap(),
                _ => info.fill(ids[number], ids[parent % number], *tag, &values).unwrap(),
            }
        }
    }
    let sections = info.finish().unwrap();
    (sections.info.bytes, sections.abbrev)
}

proptest! {
    #[test]
    fn random_entries(trees in prop::collection::vec(tree(), 1..4)) {
        let (bytes, abbrev) = random_info(&trees);
        prop_assert_eq!(info(&bytes, &abbrev), Ok((bytes, abbrev)));
    }

    #[test]
    fn random_lists(lists in prop::collection::vec(
        prop::collection::vec((any::<bool>(), 1..1_u64 << 40, 0..1_u64 << 20, prop::collection::vec(any::<u8>(), 0..30)), 0..6), 0..6)
    ) {
        let mut table = LocationTable::new();
        for list in &lists {
            let list: Vec<_> = list.iter().map(|(is_base, begin, size, bytes)| match is_base {
                true => Location::Base(Address::Constant(*begin)),
                false => Location::Range {
                    begin: Address::Constant(*begin),
                    end: Address::Constant(begin + size),
                    location: Expression::from(bytes.clone()),
                },
            }).collect();
            table.list(&list).unwrap();
        }
        let bytes = table.finish().bytes;
        prop_assert_eq!(loc_lists(&bytes), Ok(bytes));
    }

    #[test]
    fn random_names(sets in prop::collection::vec(
        (any::<u32>(), any::<u32>(), prop::collection::vec((1..=u32::MAX, prop::collection::vec(1..=u8::MAX, 0..20)), 0..6)), 0..6)
    ) {
        let mut table = PubTable::new();
        for (info, info_length, names) in &sets {
            let names: Vec<_> = names.iter().map(|(offset, name)| (*offset, &name[..])).collect();
            table.unit(&NameSet { info: (*info).into(), info_length: *info_length, names: &names }).unwrap();
        }
        let bytes = table.finish().bytes;
        prop_assert_eq!(names(".debug_pubnames", &bytes), Ok(bytes));
    }

    #[test]
    fn random_addresses(sets in prop::collection::vec(
        (any::<u32>(), prop::collection::vec((0..1_u64 << 60, 1..1_u64 << 60), 0..6)), 0..6)
    ) {
        let mut table = ArangeTable::new();
        for (info, ranges) in &sets {
            let ranges: Vec<_> =
                ranges.iter().map(|(begin, length)| (Address::Constant(*begin), *length)).collect();
            table.unit((*info).into(), &ranges).unwrap();
        }
        let bytes = table.finish().bytes;
        prop_assert_eq!(address_ranges(&bytes), Ok(bytes));
    }

    #[test]
    fn random_macros(lists in prop::collection::vec(
        prop::collection::vec((0..4_u8, any::<u64>(), prop::collection::vec(1..=u8::MAX, 0..20)), 0..8), 0..4)
    ) {
        let mut table = MacroTable::new();
        for list in &lists {
            let mut macros = Vec::new();
            for (kind, number, text) in list {
                let (line, text) = (*number, &text[..]);
                macros.push(match kind {
                    0 => Macro::Define { line, text },
                    1 => Macro::Undef { line, text },
                    2 => Macro::Vendor { constant: line, text },
                    _ => Macro::StartFile { line, file: line >> 7 },
                });
            }
            let open = macros.iter().filter(|entry| matches!(entry, Macro::StartFile { .. })).count();
            macros.extend(std::iter::repeat_n(Macro::EndFile, open));
            table.list(&macros).unwrap();
        }
        let bytes = table.finish();
        prop_assert_eq!(macros(&bytes), Ok(bytes));
    }

    #[test]
    fn random_strings(all in prop::collection::vec(prop::collection::vec(1..=u8::MAX, 0..20), 0..20)) {
        let mut table = StringTable::new();
        for string in &all {
            table.append(string).unwrap();
        }
        let bytes = table.finish();
        prop_assert_eq!(string_table(&bytes), Ok(bytes));
    }
}
