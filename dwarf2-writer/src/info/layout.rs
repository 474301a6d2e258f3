//! The layout of `.debug_info`: the offsets of entries, then the bytes.

use alloc::vec::Vec;

use leb128_nv::{uleb128, uleb128_len, uleb128_padded};

use super::form::{Attributes, Field, Fixup, RefForm};
use super::tree::{NONE, Node, Step, Unit, Walk};
use super::{DebugInfo, EntryId, Params};
use crate::abbrev::{self, AbbrevTable, Shapes};
use crate::constants::{DW_AT_sibling, DW_FORM_ref4};
use crate::section::{MAX_OFFSET, check_length};
use crate::{Error, Reloc, Section};

/// Length, version, abbreviation offset and address size (DWARF 2.0.0 §7.5.1).
const HEADER: u32 = 4 + 2 + 4 + 1;
const VERSION: u16 = 2;
const ADDRESS_SIZE: u8 = 8;

/// The size in bytes of the `DW_FORM_ref4` that [`Params::siblings`] adds.
const SIBLING: u64 = 4;

/// How often 7-bit references may move each other before all get [`WIDEST`].
const ROUNDS: usize = 8;
/// Enough for any offset, with padding.
const WIDEST: u8 = 5;

/// The finished `.debug_info` and `.debug_abbrev`, with the offsets of the entries.
#[derive(Debug, Clone)]
pub struct InfoSections {
    /// The finished `.debug_info` section.
    pub info: Section,
    /// The contents of `.debug_abbrev`: one table of abbreviations.
    pub abbrev: Vec<u8>,
    units: Vec<Unit>,
}

impl InfoSections {
    /// Returns the byte offset of an entry from the start of its unit, as `.debug_pubnames` has it;
    /// `None` if the entry was left out.
    pub fn entry_offset(&self, id: EntryId) -> Option<u32> {
        let node = self.units.get(id.unit as usize)?.nodes.get(id.index as usize)?;
        (node.shape != NONE).then_some(node.offset)
    }

    /// Returns the byte offset in `.debug_info`, and the size in bytes with its header, of the unit
    /// that has the entry `any`.
    pub fn unit(&self, any: EntryId) -> Option<(u32, u32)> {
        self.units.get(any.unit as usize).map(|unit| (unit.offset, unit.size))
    }
}

/// Whether a `.debug_info` section has exactly one unit, judged by its first length field (32-bit
/// DWARF).
pub fn is_one_unit(debug_info: &[u8]) -> bool {
    let split = debug_info.split_first_chunk();
    split.is_some_and(|(length, unit)| u32::from_le_bytes(*length) as usize == unit.len())
}

pub(super) fn write(info: DebugInfo) -> Result<InfoSections, Error> {
    let DebugInfo { params, shapes, mut units, .. } = info;
    let mut abbrevs = Abbrevs { siblings: params.siblings, codes: Vec::new(), table: AbbrevTable::new() };
    abbrevs.codes.resize(shapes.len(), [0; 3]);
    let mut len = 0;
    for (number, unit) in (0..).zip(&mut units) {
        if unit.nodes.first().is_none_or(|root| root.shape == NONE) {
            return Err(Error::EmptyEntry(EntryId { unit: number, index: 0 }));
        }
        lay_out(unit, params.siblings, |node| abbrevs.assign(node, &shapes))?;
        // Offsets within the section are 4 bytes in other sections.
        unit.offset =
            u32::try_from(len).map_err(|_| Error::TooLong { field: ".debug_info", len, max: MAX_OFFSET })?;
        len += u64::from(unit.size);
    }
    let mut out = Section::default();
    out.bytes.reserve_exact(usize::try_from(len).unwrap_or(0));
    for (number, unit) in (0..).zip(&units) {
        Writer { params: &params, units: &units, unit, number }.unit(&mut out)?;
    }
    for unit in &mut units {
        unit.attributes = Attributes::default();
    }
    Ok(InfoSections { info: out, abbrev: abbrevs.table.finish(), units })
}

/// Abbreviation codes, in the order of first use.
struct Abbrevs {
    siblings: bool,
    /// By shape: without children, with children, with children and `DW_AT_sibling`; 0 is not yet
    /// used.
    codes: Vec<[u32; 3]>,
    table: AbbrevTable,
}

impl Abbrevs {
    /// Gives an entry its code.
    #[inline]
    fn assign(&mut self, node: &mut Node, shapes: &Shapes) -> Result<(), Error> {
        let sibling = added_sibling(self.siblings, node).is_some();
        let kind = usize::from(node.has_children()) + usize::from(sibling);
        let code = self.codes.get_mut(node.shape as usize).and_then(|codes| codes.get_mut(kind));
        let Some(code) = code else { return Ok(()) };
        if *code == 0 {
            *code = add(&mut self.table, shapes.get(node.shape), kind)?;
        }
        node.code = *code;
        Ok(())
    }
}

/// Adds the abbreviation of a shape, see [`Abbrevs::codes`].
fn add(table: &mut AbbrevTable, shape: &[u32], kind: usize) -> Result<u32, Error> {
    let Some((tag, attributes)) = shape.split_first() else { return Ok(0) };
    let tag = *tag as u16;
    if kind < 2 {
        return table.add_shape(tag, kind == 1, attributes);
    }
    let sibling = abbrev::attribute(DW_AT_sibling, DW_FORM_ref4);
    let attributes: Vec<_> = core::iter::once(sibling).chain(attributes.iter().copied()).collect();
    table.add_shape(tag, true, &attributes)
}

/// The entry that `DW_AT_sibling` names, if that is to be added.
#[inline]
fn added_sibling(siblings: bool, node: &Node) -> Option<u32> {
    node.sibling().filter(|_| siblings && node.has_children())
}

/// Gives each entry its code and offset, and 7-bit references their widths.
fn lay_out(
    unit: &mut Unit,
    siblings: bool,
    assign: impl FnMut(&mut Node) -> Result<(), Error>,
) -> Result<(), Error> {
    measure(unit, siblings, assign)?;
    if !unit.attributes.udata {
        return Ok(());
    }
    for round in 0..=ROUNDS {
        if !widen(unit, round == ROUNDS)? {
            break;
        }
        measure(unit, siblings, |_| Ok(()))?;
    }
    Ok(())
}

/// Gives each entry its offset, after `assign`.
fn measure(
    unit: &mut Unit,
    siblings: bool,
    mut assign: impl FnMut(&mut Node) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut walk = Walk::new();
    let mut offset = u64::from(HEADER);
    while let Some(step) = walk.step(&unit.nodes) {
        let Step::Entry(index) = step else {
            offset += 1;
            continue;
        };
        let Some(node) = unit.nodes.get_mut(index as usize) else { continue };
        assign(node)?;
        node.offset = offset as u32; // in range if the unit's size is
        let sibling = if added_sibling(siblings, node).is_some() { SIBLING } else { 0 };
        offset += uleb128_len(node.code.into()) as u64 + sibling + u64::from(node.size);
    }
    check_length("unit", offset - 4)?; // the length does not count itself
    unit.size = offset as u32;
    Ok(())
}

/// Widens the 7-bit references that do not fit, or all; whether there were some.
///
/// They only ever grow, and with them the offsets, so in the end each is as short as can be; unless
/// that takes too long: each can move just one entry out of the reach of one other, which then
/// moves the next.
fn widen(unit: &mut Unit, all: bool) -> Result<bool, Error> {
    let mut changed = false;
    for index in 0..unit.nodes.len() {
        let Some(node) = unit.nodes.get(index) else { continue };
        let mut grown = 0;
        for at in node.fixups() {
            let Some(Fixup { field: Field::Entry { form: RefForm::Udata, width, id }, .. }) =
                unit.attributes.fixups.get_mut(at)
            else {
                continue;
            };
            let needed = if all { WIDEST } else { uleb128_len(offset_of(&unit.nodes, *id)?.into()) as u8 };
            grown += u32::from(needed.saturating_sub(*width));
            *width = needed.max(*width);
        }
        changed |= grown > 0;
        if let Some(node) = unit.nodes.get_mut(index) {
            node.size = node.size.saturating_add(grown);
        }
    }
    Ok(changed)
}

/// Byte offset of an entry in its unit, whose nodes these are.
#[inline]
fn offset_of(nodes: &[Node], id: EntryId) -> Result<u32, Error> {
    match nodes.get(id.index as usize) {
        None => Err(Error::UnknownEntry(id)),
        Some(node) if node.shape == NONE => Err(Error::EmptyEntry(id)),
        Some(node) => Ok(node.offset),
    }
}

/// Writes one unit that is laid out.
struct Writer<'a> {
    params: &'a Params,
    units: &'a [Unit],
    unit: &'a Unit,
    /// 0-based, of `unit`.
    number: u32,
}

impl Writer<'_> {
    fn unit(&self, out: &mut Section) -> Result<(), Error> {
        out.bytes.extend_from_slice(&(self.unit.size - 4).to_le_bytes());
        out.bytes.extend_from_slice(&VERSION.to_le_bytes());
        out.offset4(self.params.abbrev, "debug_abbrev_offset")?;
        out.bytes.push(ADDRESS_SIZE);
        let mut walk = Walk::new();
        while let Some(step) = walk.step(&self.unit.nodes) {
            match step {
                Step::Entry(index) => self.entry(index, out)?,
                Step::End => out.bytes.push(0),
            }
        }
        Ok(())
    }

    fn entry(&self, index: u32, out: &mut Section) -> Result<(), Error> {
        let nodes = &self.unit.nodes;
        let Some(node) = nodes.get(index as usize) else { return Ok(()) };
        match u8::try_from(node.code) {
            Ok(code @ ..0x80) => out.bytes.push(code),
            _ => out.bytes.extend_from_slice(&uleb128(node.code.into())),
        }
        if let Some(next) = added_sibling(self.params.siblings, node) {
            let offset = offset_of(nodes, EntryId { unit: self.number, index: next })?;
            out.bytes.extend_from_slice(&offset.to_le_bytes());
        }
        let bytes = self.unit.attributes.bytes.get(..node.bytes().end).unwrap_or_default();
        let mut at = node.bytes().start;
        for fixup in self.unit.attributes.fixups.get(node.fixups()).unwrap_or_default() {
            let next = fixup.at as usize;
            out.bytes.extend_from_slice(bytes.get(at..next).unwrap_or_default());
            at = next;
            match fixup.field {
                Field::Symbol { width, symbol, addend } => {
                    let offset = out.bytes.len() as u64;
                    out.relocs.push(Reloc::new(offset, width, symbol, addend));
                }
                Field::Entry { form, width, id } => {
                    let from = EntryId { unit: self.number, index };
                    self.reference(from, id, form, width, out)?;
                }
            }
        }
        out.bytes.extend_from_slice(bytes.get(at..).unwrap_or_default());
        Ok(())
    }

    /// The offset of the entry `to`, in a field of `from`.
    #[inline]
    fn reference(
        &self,
        from: EntryId,
        to: EntryId,
        form: RefForm,
        width: u8,
        out: &mut Section,
    ) -> Result<(), Error> {
        let unit = self.units.get(to.unit as usize).ok_or(Error::UnknownEntry(to))?;
        let mut offset = u64::from(offset_of(&unit.nodes, to)?);
        match form {
            RefForm::Unit if width == 4 => out.bytes.extend_from_slice(&(offset as u32).to_le_bytes()),
            RefForm::Unit => {
                if width < 4 && offset >> (8 * width) != 0 {
                    return Err(Error::FarReference { from, to, offset, width });
                }
                out.bytes.extend(offset.to_le_bytes().into_iter().take(width.into()));
            }
            RefForm::Udata => {
                let field = uleb128_padded(offset, width.into()).unwrap_or_else(|_| uleb128(offset));
                out.bytes.extend_from_slice(&field);
            }
            RefForm::Addr => {
                offset += u64::from(unit.offset);
                if let Some(symbol) = self.params.info_symbol {
                    let at = out.bytes.len() as u64;
                    out.relocs.push(Reloc::new(at, 8, symbol, offset as i64));
                }
                out.bytes.extend_from_slice(&offset.to_le_bytes());
            }
        }
        Ok(())
    }
}
