//! What was read, written again by `dwarf2-writer`.
#![allow(unreachable_pub, reason = "a module of tests")]
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

#[allow(clippy::wildcard_imports, reason = "all of DW_FORM_*")]
use dwarf2_reader::constants::*;
use dwarf2_reader::info::{Attribute, Entry, Node, Units, Value as ReadValue};
use dwarf2_reader::{Error, Format, Span, aranges, frame, loc, macinfo, pubnames, strings};
use dwarf2_writer::aranges::ArangeTable;
use dwarf2_writer::frame::{CallFrameInstruction, Cie, Fde, FrameTable, Params as FrameParams};
use dwarf2_writer::info::{Block, DebugInfo, EntryId, Params, Value};
use dwarf2_writer::loc::{Location, LocationTable};
use dwarf2_writer::macinfo::MacroTable;
use dwarf2_writer::pubnames::{NameSet, PubTable};
use dwarf2_writer::strings::StringTable;
use dwarf2_writer::{Address, Expression};
use std::collections::BTreeMap;

/// Why a section of a cubin is not one that the writer can write.
pub type Refused = &'static str;

/// `.debug_info` and `.debug_abbrev`, read and written again.
pub fn info(bytes: &[u8], abbrev: &[u8]) -> Result<(Vec<u8>, Vec<u8>), Refused> {
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
                open = open.checked_sub(1).ok_or("zeros after the entries")?;
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
        if open != 0 {
            return Err("a list of children without an end");
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

pub fn loc_lists(bytes: &[u8]) -> Result<Vec<u8>, Refused> {
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

pub fn names(name: &'static str, bytes: &[u8]) -> Result<Vec<u8>, Refused> {
    let mut table = PubTable::new();
    let mut set = None;
    let mut names = Vec::new();
    for item in pubnames::items(name, bytes) {
        match item.map_err(|_| "not readable")?.1 {
            pubnames::Item::Set(set) if (set.format, set.version) != (Format::Dwarf32, 2) => {
                return Err("64 bits, or another version");
            }
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

pub fn address_ranges(bytes: &[u8]) -> Result<Vec<u8>, Refused> {
    let mut table = ArangeTable::new();
    let mut set = None;
    for item in aranges::items(bytes, |_| false) {
        match item.map_err(|_| "not readable")?.1 {
            aranges::Item::Set(header) if (header.format, header.version) != (Format::Dwarf32, 2) => {
                return Err("64 bits, or another version");
            }
            aranges::Item::Set(_) if set.is_some() => return Err("ranges without an end"),
            aranges::Item::Set(header) => set = Some((Address::Constant(header.info), Vec::new())),
            aranges::Item::Padding(padding) if padding != [0; 4] => return Err("padding"),
            aranges::Item::Padding(_) => {}
            aranges::Item::Range { address, length } => {
                let (_, ranges) = set.as_mut().ok_or("ranges after their end")?;
                ranges.push((Address::Constant(address), length));
            }
            aranges::Item::End => {
                let (info, ranges) = set.take().ok_or("ranges after their end")?;
                table.unit(info, &ranges).map_err(|_| "refused by the writer")?;
            }
        }
    }
    if set.is_none() { Ok(table.finish().bytes) } else { Err("ranges without an end") }
}

pub fn macros(bytes: &[u8]) -> Result<Vec<u8>, Refused> {
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

pub fn string_table(bytes: &[u8]) -> Result<Vec<u8>, Refused> {
    let mut table = StringTable::new();
    for string in strings::strings(bytes) {
        table.append(string.map_err(|_| "not readable")?.1).map_err(|_| "refused by the writer")?;
    }
    Ok(table.finish())
}

/// `.debug_frame`: the padding of an entry is instructions here.
pub fn frames(bytes: &[u8]) -> Result<Vec<u8>, Refused> {
    let all: Vec<_> = frame::entries(bytes).collect::<Result<_, _>>().map_err(|_| "not readable")?;
    let format = |entry: &frame::Entry<'_>| match entry {
        frame::Entry::Cie(cie) => cie.format,
        frame::Entry::Fde(fde) => fde.format,
    };
    let common = all.first().map_or(Format::Dwarf32, |(_, first)| format(first));
    let params = FrameParams { format: common, alignment: 1, cie_pointer_symbol: None };
    let mut table = FrameTable::new(params).unwrap();
    let mut cies = BTreeMap::new();
    for (span, entry) in &all {
        if format(entry) != common {
            return Err("entries of 32 and of 64 bits");
        }
        match entry {
            frame::Entry::Cie(cie) => {
                let cie = Cie {
                    version: cie.version,
                    augmentation: cie.augmentation.to_vec(),
                    code_alignment_factor: cie.code_alignment_factor,
                    data_alignment_factor: cie.data_alignment_factor,
                    return_address_register: cie.return_address_register,
                    instructions: instructions(bytes, cie.instructions.clone())?,
                };
                cies.insert(span.start, table.cie(&cie).map_err(|_| "refused by the writer")?);
            }
            frame::Entry::Fde(fde) => {
                let fde = Fde {
                    cie: *cies.get(&fde.cie).ok_or("an FDE that is not after its CIE")?,
                    initial_location: Address::Constant(fde.initial_location),
                    address_range: fde.address_range,
                    range_symbol: None,
                    instructions: instructions(bytes, fde.instructions.clone())?,
                };
                table.fde(&fde).map_err(|_| "refused by the writer")?;
            }
        }
    }
    Ok(table.finish().bytes)
}

/// Instructions of an entry as the writer takes them.
pub fn instructions(section: &[u8], span: Span) -> Result<Vec<CallFrameInstruction>, Refused> {
    let address = |_, address| Ok::<_, Error>(Address::Constant(address));
    let expression = |_, operations: &[u8]| Ok(Expression::from(operations.to_vec()));
    let all = frame::instructions_with(section, span, address, expression);
    all.map(|item| Ok(item.map_err(|_| "not readable")?.1)).collect()
}
