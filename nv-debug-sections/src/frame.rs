//! `.debug_frame` as values: 64-bit DWARF, one CIE and one FDE for each function.
//!
//! FORMATS 5; observed: ptxas 13.0.88, sm_75-sm_121. Registers are numbered `class << 24 | n` as in
//! [`SassRegister`](crate::register::SassRegister).

use crate::bytes::Cursor;
use crate::catalog::SectionKind;
use crate::cubin::SymbolIndex;
use crate::reloc::{Action, DebugReloc, RelocKind};
use crate::relocated::{self, RelocatedSection};
use crate::{Error, ErrorKind, Result};
use dwarf2_writer::constants as dw;
use dwarf2_writer::frame::{CallFrameInstruction as Cfi, Cie, CieId, Fde, FrameTable, Params};
use dwarf2_writer::{Address, Expression, Format, Reloc, Section, SymbolId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// Name of the section.
pub const NAME: &str = SectionKind::DebugFrame.name();

/// Entries are padded to a multiple of this many bytes.
const ALIGNMENT: u8 = 8;

/// One entry of the section, in section order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// What following FDEs start from.
    Cie(Arc<Cie>),
    /// The rules of one function; [`Fde::cie`] counts the CIEs before it.
    Fde(Fde),
}

/// An entry, and where it stands. Offsets and sizes in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedEntry {
    /// What it says.
    pub entry: Entry,
    /// Of its length field, in the section.
    pub offset: u64,
    /// With the length field.
    pub size: u64,
    /// Offset of each instruction from the start of the entry, and last that of the padding, which is `size` where there is none.
    pub instructions: Arc<[u64]>,
}

/// What a relocated field stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldSymbol {
    /// The symbol, by its index in the symbol table of the section's relocations.
    pub symbol: SymbolId,
    /// Added to the symbol's value; wherever the file keeps it, in the entry or in the field.
    pub addend: i64,
    /// Width of the field in bytes.
    pub width: u8,
    /// What the relocation does to the field.
    pub action: Action,
}

/// The relocated fields of the section by byte offset.
pub type FieldSymbols = BTreeMap<u64, FieldSymbol>;

/// The fields of a section, from its relocated view.
pub fn field_symbols(section: &RelocatedSection<'_>) -> FieldSymbols {
    let symbol = |field: &relocated::Field| FieldSymbol {
        symbol: SymbolId(field.target.symbol.0),
        addend: field.target.addend,
        width: field.width,
        action: field.action,
    };
    section.fields().iter().map(|field| (field.offset, symbol(field))).collect()
}

/// Decodes the section. `symbols` says which fields are symbolic; the CIE pointers' relocations may be left out.
///
/// # Errors
///
/// Truncated fields, 32-bit entries, an FDE before any CIE, call frame instructions outside DWARF 3, relocations that do not fit
/// their field: an address is 8 bytes and added to, a range of 8 bytes is cleared.
pub fn decode(data: &[u8], symbols: &FieldSymbols) -> Result<Vec<Entry>> {
    Ok(decode_placed(data, symbols)?.into_iter().map(|placed| placed.entry).collect())
}

/// [`decode`]s the section, and says where everything stands.
///
/// # Errors
///
/// As [`decode`].
pub fn decode_placed(data: &[u8], symbols: &FieldSymbols) -> Result<Vec<PlacedEntry>> {
    let mut cursor = Cursor::new(NAME, data);
    let mut entries = Vec::new();
    let mut cies = HashMap::new();
    let mut last_cie = None;
    let mut shared: Option<SharedCie<'_>> = None;
    while !cursor.is_empty() {
        let start = cursor.offset();
        let escape = cursor.u32("an entry's length")?;
        if escape != u32::MAX {
            let expected = "0xffffffff (64-bit DWARF)";
            let kind = ErrorKind::Value { field: "entry length", found: escape.into(), expected };
            return Err(cursor.error_at(start, kind));
        }
        let length = cursor.u64("an entry's length")?;
        let own = cursor.split(length, "an entry (its length goes past the end)")?;
        let mut decoder = Decoder { cursor: own, symbols, start, instructions: Vec::new() };
        let pointer_offset = decoder.cursor.offset();
        let pointer = decoder.cursor.u64("CIE_pointer")?;
        let (entry, instructions) = if pointer == u64::MAX {
            last_cie = Some(CieId(cies.len() as u32));
            cies.extend(last_cie.map(|cie| (start, cie)));
            // Each function has one of its own, hundreds of instructions that are mostly the same.
            let bytes = decoder.cursor.rest();
            let (cie, places) = match shared.take() {
                Some((before, cie, places)) if before == bytes && !has_symbols(&cie) => (cie, places),
                before => {
                    let cie = decoder.cie()?;
                    let same = before.map(|(_, before, _)| before).filter(|before| **before == cie);
                    (same.unwrap_or_else(|| Arc::new(cie)), decoder.instructions.into())
                }
            };
            shared = Some((bytes, Arc::clone(&cie), Arc::clone(&places)));
            (Entry::Cie(cie), places)
        } else {
            // With -c ptxas 13.0.88 writes pointers that miss the CIE by a few bytes behind entries it has padded, and nvlink
            // keeps them; each function has a CIE of its own right before its FDE.
            let cie =
                cies.get(&pointer).copied().filter(|_| !symbols.contains_key(&pointer_offset)).or(last_cie);
            let cie = cie.ok_or_else(|| {
                let kind = ErrorKind::Value {
                    field: "CIE_pointer",
                    found: pointer,
                    expected: "the offset of an earlier CIE",
                };
                Error::new(NAME, pointer_offset, kind)
            })?;
            (Entry::Fde(decoder.fde(cie)?), decoder.instructions.into())
        };
        entries.push(PlacedEntry { entry, offset: start, size: cursor.offset() - start, instructions });
    }
    Ok(entries)
}

/// The CIE before: its bytes, what they say, and [`PlacedEntry::instructions`].
type SharedCie<'d> = (&'d [u8], Arc<Cie>, Arc<[u64]>);

/// Whether the bytes of a CIE alone do not say what is in it.
fn has_symbols(cie: &Cie) -> bool {
    cie.instructions.iter().any(|instruction| {
        matches!(
            instruction,
            Cfi::SetLoc(_) | Cfi::DefCfaExpression(_) | Cfi::Expression { .. } | Cfi::ValExpression { .. }
        )
    })
}

struct Decoder<'d, 's> {
    cursor: Cursor<'d>,
    symbols: &'s FieldSymbols,
    /// Offset of the entry in the section.
    start: u64,
    /// See [`PlacedEntry::instructions`].
    instructions: Vec<u64>,
}

impl Decoder<'_, '_> {
    fn cie(&mut self) -> Result<Cie> {
        let version_offset = self.cursor.offset();
        let version = self.cursor.u8("version")?;
        if version != 3 {
            let kind = ErrorKind::Value { field: "CIE version", found: version.into(), expected: "3" };
            return Err(self.cursor.error_at(version_offset, kind));
        }
        Ok(Cie {
            version,
            augmentation: self.cursor.cstr("augmentation")?.to_vec(),
            code_alignment_factor: self.cursor.uleb("code_alignment_factor")?,
            data_alignment_factor: self.cursor.sleb("data_alignment_factor")?,
            return_address_register: self.cursor.uleb("return_address_register")?,
            instructions: self.instructions()?,
        })
    }

    fn fde(&mut self, cie: CieId) -> Result<Fde> {
        Ok(Fde {
            cie,
            initial_location: self.address("initial_location")?,
            range_symbol: self.symbol("address_range", Action::Clear)?.map(|field| field.symbol),
            address_range: self.cursor.u64("address_range")?,
            instructions: self.instructions()?,
        })
    }

    fn address(&mut self, what: &'static str) -> Result<Address> {
        let symbol = self.symbol(what, Action::Add)?;
        let constant = Address::Constant(self.cursor.u64(what)?);
        Ok(symbol.map_or(constant, |FieldSymbol { symbol, addend, .. }| Address::Symbol { symbol, addend }))
    }

    /// What the field of 8 bytes here refers to, if it is relocated.
    fn symbol(&self, what: &'static str, action: Action) -> Result<Option<FieldSymbol>> {
        let field = self.symbols.get(&self.cursor.offset());
        match field {
            Some(field) if (field.width, field.action) != (8, action) => {
                Err(self.cursor.error(misfit(what, *field, action)))
            }
            field => Ok(field.copied()),
        }
    }

    /// Instructions to the end of the entry, without the `DW_CFA_nop` padding.
    fn instructions(&mut self) -> Result<Vec<Cfi>> {
        let mut instructions = Vec::new();
        while !self.cursor.is_empty() {
            self.instructions.push(self.cursor.offset() - self.start);
            instructions.push(self.instruction()?);
        }
        self.instructions.push(self.cursor.offset() - self.start);
        while instructions.last() == Some(&Cfi::Nop) {
            instructions.pop();
        }
        self.instructions.truncate(instructions.len() + 1);
        instructions.shrink_to_fit();
        Ok(instructions)
    }

    fn instruction(&mut self) -> Result<Cfi> {
        let offset = self.cursor.offset();
        let opcode = self.cursor.u8("a call frame instruction")?;
        let low = opcode & 0x3f;
        match opcode & 0xc0 {
            dw::DW_CFA_advance_loc => return Ok(Cfi::AdvanceLoc(low)),
            dw::DW_CFA_offset => return Ok(Cfi::Offset { register: low, factored_offset: self.uleb()? }),
            dw::DW_CFA_restore => return Ok(Cfi::Restore { register: low }),
            _ => {}
        }
        Ok(match opcode {
            dw::DW_CFA_nop => Cfi::Nop,
            dw::DW_CFA_set_loc => Cfi::SetLoc(self.address("DW_CFA_set_loc")?),
            dw::DW_CFA_advance_loc1 => Cfi::AdvanceLoc1(self.cursor.u8("DW_CFA_advance_loc1")?),
            dw::DW_CFA_advance_loc2 => Cfi::AdvanceLoc2(self.cursor.u16("DW_CFA_advance_loc2")?),
            dw::DW_CFA_advance_loc4 => Cfi::AdvanceLoc4(self.cursor.u32("DW_CFA_advance_loc4")?),
            dw::DW_CFA_offset_extended => {
                Cfi::OffsetExtended { register: self.uleb()?, factored_offset: self.uleb()? }
            }
            dw::DW_CFA_restore_extended => Cfi::RestoreExtended { register: self.uleb()? },
            dw::DW_CFA_undefined => Cfi::Undefined { register: self.uleb()? },
            dw::DW_CFA_same_value => Cfi::SameValue { register: self.uleb()? },
            dw::DW_CFA_register => Cfi::Register { register: self.uleb()?, source: self.uleb()? },
            dw::DW_CFA_remember_state => Cfi::RememberState,
            dw::DW_CFA_restore_state => Cfi::RestoreState,
            dw::DW_CFA_def_cfa => Cfi::DefCfa { register: self.uleb()?, offset: self.uleb()? },
            dw::DW_CFA_def_cfa_register => Cfi::DefCfaRegister { register: self.uleb()? },
            dw::DW_CFA_def_cfa_offset => Cfi::DefCfaOffset(self.uleb()?),
            dw::DW_CFA_def_cfa_expression => Cfi::DefCfaExpression(self.expression()?),
            dw::DW_CFA_expression => {
                Cfi::Expression { register: self.uleb()?, expression: self.expression()? }
            }
            dw::DW_CFA_val_expression => {
                Cfi::ValExpression { register: self.uleb()?, expression: self.expression()? }
            }
            dw::DW_CFA_offset_extended_sf => {
                Cfi::OffsetExtendedSf { register: self.uleb()?, factored_offset: self.sleb()? }
            }
            dw::DW_CFA_def_cfa_sf => Cfi::DefCfaSf { register: self.uleb()?, factored_offset: self.sleb()? },
            dw::DW_CFA_def_cfa_offset_sf => Cfi::DefCfaOffsetSf(self.sleb()?),
            dw::DW_CFA_val_offset => Cfi::ValOffset { register: self.uleb()?, factored_offset: self.uleb()? },
            dw::DW_CFA_val_offset_sf => {
                Cfi::ValOffsetSf { register: self.uleb()?, factored_offset: self.sleb()? }
            }
            _ => {
                let expected = "a DWARF 3 call frame instruction";
                let kind = ErrorKind::Value { field: "opcode", found: opcode.into(), expected };
                return Err(self.cursor.error_at(offset, kind));
            }
        })
    }

    fn uleb(&mut self) -> Result<u64> {
        self.cursor.uleb("an operand of a call frame instruction")
    }

    fn sleb(&mut self) -> Result<i64> {
        self.cursor.sleb("an operand of a call frame instruction")
    }

    fn expression(&mut self) -> Result<Expression> {
        let length = self.uleb()?;
        let start = self.cursor.offset();
        let mut bytes = self.cursor.take(length, "an expression")?.to_vec();
        let mut relocs = Vec::new();
        for (&at, field) in self.symbols.range(start..self.cursor.offset()) {
            let FieldSymbol { symbol, addend, width, action } = *field;
            let rest = bytes.get_mut((at - start) as usize..).filter(|_| action == Action::Add);
            let Some(place) = rest.and_then(|rest| rest.get_mut(..width.into())) else {
                return Err(self.cursor.error_at(at, misfit("an expression", *field, Action::Add)));
            };
            // A symbolic field holds its addend, as the writer has it; in a file it may be relocated or stale.
            place.iter_mut().zip(addend.to_le_bytes()).for_each(|(byte, new)| *byte = new);
            relocs.push(Reloc { offset: at - start, width, symbol, addend });
        }
        Ok(Expression { bytes, relocs })
    }
}

/// A relocation that is not of the kind its field can have.
fn misfit(what: &'static str, found: FieldSymbol, expected: Action) -> ErrorKind {
    let verb = |action| match action {
        Action::Add => "adds to",
        Action::Clear => "clears",
    };
    let FieldSymbol { width, action, .. } = found;
    ErrorKind::Other(format!(
        "a relocation {} {width} bytes in {what}, expected one that {} 8 bytes",
        verb(action),
        verb(expected)
    ))
}

/// Relocations of an encoded section in ptxas' order: code sections last to first, in each the FDEs' fields before the CIEs', all by
/// descending offset (FORMATS 4).
///
/// A code section is known by the symbol of `initial_location`; entries without go with the next FDE that has one, the last with the one
/// before.
pub fn debug_relocs(section: &Section) -> Vec<DebugReloc> {
    let mut keyed: Vec<(usize, bool, DebugReloc)> = Vec::new();
    let mut group_of = HashMap::new();
    let mut pending = Vec::new();
    for entry in entry_relocs(section) {
        pending.extend(entry.relocs.iter().map(|reloc| (entry.is_cie, entry.debug_reloc(reloc))));
        if let Some(symbol) = entry.location_symbol() {
            let count = group_of.len();
            let group = *group_of.entry(symbol).or_insert(count);
            keyed.extend(pending.drain(..).map(|(is_cie, reloc)| (group, is_cie, reloc)));
        }
    }
    let last = keyed.last().map_or(0, |(group, ..)| *group);
    keyed.extend(pending.into_iter().map(|(is_cie, reloc)| (last, is_cie, reloc)));
    keyed.sort_by_key(|&(group, is_cie, reloc)| (Reverse(group), is_cie, Reverse(reloc.offset)));
    keyed.into_iter().map(|(_, _, reloc)| reloc).collect()
}

/// Offset in a 64-bit entry of the CIE id, or of `CIE_pointer`: behind escape and length.
const CIE_POINTER: u64 = 12;
/// Offset of `initial_location`.
const INITIAL_LOCATION: u64 = 20;
/// Offset of `address_range`.
const ADDRESS_RANGE: u64 = 28;
/// What stands at [`CIE_POINTER`] in a CIE.
const CIE_ID: [u8; 8] = [0xff; 8];

struct EntryRelocs<'s> {
    start: u64,
    is_cie: bool,
    relocs: &'s [Reloc],
}

impl EntryRelocs<'_> {
    /// Symbol of an FDE's `initial_location`.
    fn location_symbol(&self) -> Option<SymbolId> {
        let at = self.start + INITIAL_LOCATION;
        let location = self.relocs.iter().find(|reloc| reloc.offset == at).filter(|_| !self.is_cie);
        location.map(|reloc| reloc.symbol)
    }

    fn debug_reloc(&self, reloc: &Reloc) -> DebugReloc {
        let Reloc { offset, symbol: SymbolId(symbol), addend, .. } = *reloc;
        let (kind, in_place) = match offset - self.start {
            CIE_POINTER if !self.is_cie => (RelocKind::Absolute64, None), // 0 in the file when it is relocated
            ADDRESS_RANGE if !self.is_cie => (RelocKind::UnusedClear64, None),
            _ if reloc.width == 4 => (RelocKind::Absolute32, Some(addend)),
            _ => (RelocKind::Code64, Some(addend)),
        };
        DebugReloc { offset, kind, symbol: SymbolIndex(symbol), addend, in_place }
    }
}

/// Splits a section's relocations by entry. The section is one of [`encode`]'s, so every length holds.
fn entry_relocs(section: &Section) -> Vec<EntryRelocs<'_>> {
    let mut entries = Vec::new();
    let mut relocs = section.relocs.as_slice();
    let mut start = 0;
    while let Some(length) = section.bytes.get(start + 4..).and_then(|rest| rest.first_chunk()) {
        let body = start + CIE_POINTER as usize;
        let end = body + u64::from_le_bytes(*length) as usize;
        let (own, rest) = relocs.split_at(relocs.partition_point(|reloc| reloc.offset < end as u64));
        let is_cie = section.bytes.get(body..).is_some_and(|body| body.starts_with(&CIE_ID));
        entries.push(EntryRelocs { start: start as u64, is_cie, relocs: own });
        (start, relocs) = (end, rest);
    }
    entries
}

/// Byte offset of each entry, in section order, of a section that [`decode`] takes.
pub fn entry_offsets(data: &[u8]) -> Vec<u64> {
    let mut cursor = Cursor::new(NAME, data);
    let mut offsets = Vec::new();
    while !cursor.is_empty() {
        let start = cursor.offset();
        let length = cursor.take(4, "").and_then(|_| cursor.u64(""));
        if length.and_then(|length| cursor.take(length, "")).is_err() {
            break;
        }
        offsets.push(start);
    }
    offsets
}

/// Encodes the section.
///
/// `section_symbol` is the symbol of `.debug_frame` itself, given for relocatable files: CIE pointers are then relocated.
///
/// # Errors
///
/// [`ErrorKind::Unwritable`] with the entry that [`dwarf2_writer`] refuses.
pub fn encode(entries: &[Entry], section_symbol: Option<SymbolId>) -> Result<Section> {
    let params = Params { format: Format::Dwarf64, alignment: ALIGNMENT, cie_pointer_symbol: section_symbol };
    let fail = |index, error| Error::unwritable(NAME, "entry", index, error);
    let mut table = FrameTable::new(params).map_err(|error| fail(0, error))?;
    for (index, entry) in entries.iter().enumerate() {
        let written = match entry {
            Entry::Cie(cie) => table.cie(cie).map(drop),
            Entry::Fde(fde) => table.fde(fde),
        };
        written.map_err(|error| fail(index, error))?;
    }
    Ok(table.finish())
}

/// The largest frame an FDE describes: the highest offset of a CFA from its register, in bytes.
pub fn frame_size(fde: &Fde) -> u64 {
    let offsets = fde.instructions.iter().filter_map(|instruction| match *instruction {
        Cfi::DefCfa { offset, .. } | Cfi::DefCfaOffset(offset) => Some(offset),
        _ => None,
    });
    offsets.max().unwrap_or(0)
}
