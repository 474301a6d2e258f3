//! `.debug_info` as a tree that can be edited: attributes are removed, added and moved, and
//! references to entries follow.
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

use super::error::{Error, Result};
use crate::code_facts::LabelAddress;
#[allow(clippy::wildcard_imports, reason = "all of DW_FORM_*")]
use dwarf2_reader::constants::*;
use dwarf2_reader::info::{self, Node, Units};
use dwarf2_reader::{Format, strings};
use dwarf2_writer::info::{Block, DebugInfo, EntryId, Params, Value};
use dwarf2_writer::{Address, Referent, Reloc, SymbolId};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// One unit, in section order.
#[derive(Debug)]
pub(super) struct Unit {
    /// The offset of the unit's header from the start of the section.
    offset: usize,
    /// The offset of its `debug_abbrev_offset` from the start of the section.
    abbrev_field: usize,
    pub(super) entries: Vec<Entry>,
}

/// One entry.
#[derive(Debug)]
pub(super) struct Entry {
    /// From the start of the section.
    pub(super) offset: usize,
    /// 0 for the unit's own.
    pub(super) depth: usize,
    pub(super) tag: u16,
    pub(super) attributes: Vec<Attribute>,
}

/// One attribute, as it stands in the section.
#[derive(Debug, Clone)]
pub(super) struct Attribute {
    pub(super) name: u16,
    pub(super) form: u16,
    /// A string without its NUL, a block without its length, any other value whole.
    pub(super) content: Range<usize>,
    /// For a reference to an entry: the entry's offset from the start of the section.
    pub(super) entry: Option<usize>,
}

/// Reads all units.
///
/// Each has one entry of depth 0, its first.
///
/// # Errors
///
/// What is not DWARF 2 that the writer could write again.
pub(super) fn read(info: &[u8], abbrev: &[u8]) -> Result<Vec<Unit>> {
    let headers = Units::read(info, abbrev)?;
    headers.all().iter().map(|header| unit(&headers, header, info)).collect()
}

fn unit(headers: &Units, header: &info::Unit, section: &[u8]) -> Result<Unit> {
    let info::Unit { version, address_size, format, .. } = *header;
    if (address_size, format, version) != (8, Format::Dwarf32, 2) {
        return Err(Error::Version { offset: header.span.start, version, address_size });
    }
    let mut entries = Vec::new();
    for node in headers.nodes(header, section) {
        let Node::Entry(entry) = node? else { continue };
        if (entry.depth() == 0) != entries.is_empty() {
            return Err(Error::Beside(entry.offset()));
        }
        let attributes = entry.attributes().map(|attribute| kept_attribute(&entry, &attribute));
        entries.push(Entry {
            offset: entry.offset() as usize,
            depth: entry.depth() as usize,
            tag: entry.tag(),
            attributes: attributes.collect::<Result<_>>()?,
        });
    }
    let abbrev_field = header.abbrev_field.start as usize;
    Ok(Unit { offset: header.span.start as usize, abbrev_field, entries })
}

fn kept_attribute(entry: &info::Entry<'_, '_>, attribute: &info::Attribute<'_>) -> Result<Attribute> {
    if attribute.is_indirect {
        return Err(Error::Indirect(attribute.span.start));
    }
    let referred = match attribute.value {
        info::Value::UnitReference(offset) => entry.in_unit(offset),
        info::Value::InfoReference(offset) => Some(offset),
        _ => None,
    };
    let content = attribute.content();
    Ok(Attribute {
        name: attribute.name,
        form: attribute.form,
        content: content.start as usize..content.end as usize,
        entry: referred.and_then(|offset| usize::try_from(offset).ok()),
    })
}

/// A little-endian number of up to 8 bytes.
fn fixed(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

impl Entry {
    /// The attribute of that name.
    pub(super) fn attribute(&self, name: u16) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Whether it has that attribute.
    pub(super) fn has(&self, name: u16) -> bool {
        self.attribute(name).is_some()
    }
}

/// An attribute to be written.
#[derive(Debug)]
pub(super) enum NewAttribute<'t> {
    /// An attribute that is written as it was.
    Same(&'t Attribute),
    /// A string attribute that gets another string.
    Text(&'t Attribute, Vec<u8>),
    /// An attribute, given by its name, whose new value is a code address.
    Code(u16, LabelAddress),
    /// An attribute, given by its name, whose new value is an offset in a section, without a
    /// relocation.
    Offset(u16, u32),
}

/// The sections written anew.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) info: Vec<u8>,
    pub(super) abbrev: Vec<u8>,
    pub(super) relocs: Vec<Reloc>,
    /// Offsets of entries from the start of their unit by old offset in the section.
    pub(super) entries: HashMap<usize, u32>,
    /// Offset and size of each unit by its old offset.
    pub(super) units: HashMap<usize, (u32, u32)>,
}

/// Writes the units with the attributes that `attributes` gives for each entry.
///
/// `bytes` and `relocs` are those of the section that the tree was read from.
///
/// # Errors
///
/// References to no entry, values that the writer refuses.
pub(super) fn write<'t>(
    units: &'t [Unit],
    bytes: &[u8],
    relocs: &[Reloc],
    mut attributes: impl FnMut(&'t Entry) -> Vec<NewAttribute<'t>>,
) -> Result<Written> {
    let mut writer = Writer {
        bytes,
        at: relocs.iter().enumerate().map(|(index, reloc)| (reloc.offset as usize, index)).collect(),
        relocs: relocs.to_vec(),
        ids: HashMap::new(),
    };
    let abbrev = units.first().map_or(Address::Constant(0), |unit| writer.abbrev(unit));
    let mut info = DebugInfo::new(Params { abbrev, ..Params::default() });
    for unit in units {
        let root = info.reserve_unit();
        for (number, entry) in unit.entries.iter().enumerate() {
            let id = if number == 0 { root } else { info.reserve(root)? };
            writer.ids.insert(entry.offset, id);
        }
    }
    for unit in units {
        let mut parents: Vec<EntryId> = Vec::new();
        for entry in &unit.entries {
            let id = writer.id(entry.offset)?;
            parents.truncate(entry.depth);
            let mut new = attributes(entry);
            new.retain(|new| !writer.is_lost_sibling(new));
            let blocks: Vec<Vec<Reloc>> = new.iter().map(|new| writer.relocs_in(new)).collect();
            let values: Vec<(u16, Value<'_>)> = new
                .iter()
                .zip(&blocks)
                .map(|(new, relocs)| writer.value(new, relocs))
                .collect::<Result<_>>()?;
            match parents.last() {
                None => info.fill_unit(id, entry.tag, &values)?,
                Some(parent) => info.fill(id, *parent, entry.tag, &values)?,
            }
            parents.push(id);
        }
    }
    let sections = info.finish()?;
    let relocs = sections.info.relocs.iter().filter_map(|reloc| {
        let original = writer.relocs.get(reloc.symbol.0 as usize)?;
        Some(Reloc { offset: reloc.offset, ..*original })
    });
    let relocs = relocs.collect();
    let entries = writer.ids.iter().filter_map(|(&old, &id)| Some((old, sections.entry_offset(id)?)));
    let entries = entries.collect();
    let root =
        |unit: &Unit| Some((unit.offset, sections.unit(writer.id(unit.entries.first()?.offset).ok()?)?));
    let units = units.iter().filter_map(root).collect();
    Ok(Written { relocs, entries, units, info: sections.info.bytes, abbrev: sections.abbrev })
}

/// Turns attributes into values of [`dwarf2_writer`]. Its symbols are numbers of
/// [`relocs`](Self::relocs).
struct Writer<'w> {
    bytes: &'w [u8],
    /// Number of the relocation at an offset.
    at: BTreeMap<usize, usize>,
    relocs: Vec<Reloc>,
    ids: HashMap<usize, EntryId>,
}

impl<'w> Writer<'w> {
    fn id(&self, entry: usize) -> Result<EntryId> {
        self.ids.get(&entry).copied().ok_or(Error::NoEntry(entry))
    }

    fn content(&self, attribute: &Attribute) -> &'w [u8] {
        self.bytes.get(attribute.content.clone()).unwrap_or_default()
    }

    /// The number or relocated address of `width` bytes at `offset`.
    fn field(&self, offset: usize, width: usize) -> Address {
        if let Some(&number) = self.at.get(&offset) {
            return self.symbol(number);
        }
        let end = offset.saturating_add(width);
        Address::Constant(fixed(self.bytes.get(offset..end).unwrap_or_default()))
    }

    /// The start of `.debug_abbrev`, where the one table of all units is now, relocated if the
    /// field of `unit` is.
    fn abbrev(&mut self, unit: &Unit) -> Address {
        let Some(&number) = self.at.get(&unit.abbrev_field) else { return Address::Constant(0) };
        if let Some(reloc) = self.relocs.get_mut(number) {
            reloc.addend = 0;
            reloc.in_place = reloc.in_place.map(|_| 0);
        }
        self.symbol(number)
    }

    /// Whether this is a `DW_AT_sibling` that leads to the end of the children, which the writer
    /// has no name for; it may be left out.
    fn is_lost_sibling(&self, new: &NewAttribute<'_>) -> bool {
        let NewAttribute::Same(Attribute { name: DW_AT_sibling, entry: Some(entry), .. }) = new else {
            return false;
        };
        !self.ids.contains_key(entry)
    }

    /// The relocation of that number; what the writer puts in the field is replaced when
    /// relocations are filed.
    fn symbol(&self, number: usize) -> Address {
        let addend = self.relocs.get(number).map_or(0, |reloc| reloc.addend);
        Address::Symbol { symbol: SymbolId(number as u32), addend }
    }

    /// Relocations in a block, by offset there.
    fn relocs_in(&mut self, new: &NewAttribute<'_>) -> Vec<Reloc> {
        match new {
            NewAttribute::Same(attribute) => {
                let Range { start, end } = attribute.content;
                let inside = self.at.range(start..end.max(start));
                let reloc = |(&at, &number): (&usize, &usize)| {
                    let Reloc { width, addend, .. } = *self.relocs.get(number)?;
                    Some(Reloc::new((at - start) as u64, width, SymbolId(number as u32), addend))
                };
                inside.filter_map(reloc).collect()
            }
            NewAttribute::Code(_, LabelAddress { symbol, offset }) => {
                let addend = *offset as i64;
                let number = self.relocs.len();
                let reloc = Reloc::new(0, 8, SymbolId(symbol.0), addend);
                self.relocs.push(Reloc { referent: Referent::Code, ..reloc });
                vec![Reloc::new(0, 8, SymbolId(number as u32), addend)]
            }
            NewAttribute::Text(..) | NewAttribute::Offset(..) => Vec::new(),
        }
    }

    fn value<'v>(&self, new: &'v NewAttribute<'_>, relocs: &'v [Reloc]) -> Result<(u16, Value<'v>)>
    where
        'w: 'v,
    {
        let attribute = match new {
            NewAttribute::Same(attribute) => *attribute,
            NewAttribute::Text(attribute, text) => return Ok((attribute.name, Value::String(text))),
            NewAttribute::Offset(name, offset) => return Ok((*name, Value::Offset((*offset).into()))),
            NewAttribute::Code(name, _) => {
                let number = relocs.first().map_or(0, |reloc| reloc.symbol.0 as usize);
                return Ok((*name, Value::Addr(self.symbol(number))));
            }
        };
        let content = self.content(attribute);
        let block = Block { bytes: content, relocs };
        let number = fixed(content);
        let at = |width| self.field(attribute.content.start, width);
        let entry = || self.id(attribute.entry.unwrap_or_default());
        let value = match attribute.form {
            DW_FORM_addr => Value::Addr(at(8)),
            DW_FORM_block1 => Value::Block1(block),
            DW_FORM_block2 => Value::Block2(block),
            DW_FORM_block4 => Value::Block4(block),
            DW_FORM_block => Value::Block(block),
            DW_FORM_data1 => Value::Data1(number as u8),
            DW_FORM_data2 => Value::Data2(number as u16),
            DW_FORM_data4 if relocs.is_empty() => Value::Data4(number as u32),
            DW_FORM_data4 => Value::Offset(at(4)),
            DW_FORM_data8 if relocs.is_empty() => Value::Data8(number),
            DW_FORM_string => Value::String(content),
            DW_FORM_flag => Value::Flag(number != 0),
            DW_FORM_sdata => Value::Sdata(leb128_nv::read_sleb128(content)?.0),
            DW_FORM_udata => Value::Udata(leb128_nv::read_uleb128(content)?.0),
            DW_FORM_strp => Value::Strp(at(4)),
            DW_FORM_ref_addr if relocs.is_empty() => Value::RefAddr(entry()?),
            DW_FORM_ref_addr => Value::RefAddrOffset(at(8)),
            DW_FORM_ref1 => Value::Ref1(entry()?),
            DW_FORM_ref2 => Value::Ref2(entry()?),
            DW_FORM_ref4 => Value::Ref4(entry()?),
            DW_FORM_ref8 => Value::Ref8(entry()?),
            DW_FORM_ref_udata => Value::RefUdata(entry()?),
            form => {
                return Err(Error::Form { offset: attribute.content.start, form });
            }
        };
        Ok((attribute.name, value))
    }
}

/// The number that an attribute is; `None` for other forms.
pub(super) fn number(attribute: &Attribute, info: &[u8]) -> Option<u64> {
    let content = info.get(attribute.content.clone())?;
    match attribute.form {
        DW_FORM_data1 | DW_FORM_data2 | DW_FORM_data4 | DW_FORM_data8 => Some(fixed(content)),
        DW_FORM_udata => Some(leb128_nv::read_uleb128(content).ok()?.0),
        DW_FORM_sdata => u64::try_from(leb128_nv::read_sleb128(content).ok()?.0).ok(),
        _ => None,
    }
}

/// Returns the offset in `.debug_str` of an attribute's string; `None` for other forms. `addends`
/// are those of relocated fields.
pub(super) fn string_offset(
    attribute: &Attribute,
    info: &[u8],
    addends: &HashMap<usize, i64>,
) -> Option<usize> {
    if attribute.form != DW_FORM_strp {
        return None;
    }
    let addend = addends.get(&attribute.content.start).map(|addend| *addend as u64);
    let offset = addend.unwrap_or_else(|| fixed(info.get(attribute.content.clone()).unwrap_or_default()));
    usize::try_from(offset).ok()
}

/// Returns an attribute's string; `None` for other forms. `addends` are those of relocated fields.
pub(super) fn string<'s>(
    attribute: &Attribute,
    info: &'s [u8],
    debug_str: &'s [u8],
    addends: &HashMap<usize, i64>,
) -> Option<&'s [u8]> {
    if attribute.form == DW_FORM_string {
        return info.get(attribute.content.clone());
    }
    let offset = string_offset(attribute, info, addends)?;
    strings::string_at(debug_str, offset as u64)
}
