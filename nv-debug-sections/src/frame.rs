//! `.debug_frame` as values: 64-bit DWARF, one CIE and one FDE for each function.
//!
//! FORMATS 5; observed: ptxas 13.0.88, sm_75-sm_121. Registers are numbered `class << 24 | n` as in
//! [`reg_sass::SassRegister`](crate::reg_sass::SassRegister).

use crate::bytes::Cursor;
use crate::cubin::{Relocation, SymbolIndex};
use crate::reloc::{DebugReloc, RelocKind};
use crate::{Error, ErrorKind, Result};
use dwarf2_writer::constants as dw;
use dwarf2_writer::frame::{CallFrameInstruction as Cfi, Cie, CieId, Fde, FrameTable, Params};
use dwarf2_writer::{Address, Expression, Format, Reloc, Section, SymbolId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// Name of the section.
pub const NAME: &str = ".debug_frame";

/// Entries are padded to a multiple of this many bytes.
const ALIGNMENT: u8 = 8;

/// One entry of the section, in section order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// What following FDEs start from.
    Cie(Cie),
    /// The rules of one function; [`Fde::cie`] counts the CIEs before it.
    Fde(Fde),
}

/// Symbols of the section's relocated fields by byte offset, with the addend (RELA) or without (REL: the field holds it).
pub type FieldSymbols = BTreeMap<u64, (SymbolId, Option<i64>)>;

/// Decodes the section. `symbols` says which fields are symbolic; the CIE pointers' relocations may be left out.
///
/// # Errors
///
/// Truncated fields, 32-bit entries, an FDE before any CIE, call frame instructions outside DWARF 3.
pub fn decode(data: &[u8], symbols: &FieldSymbols) -> Result<Vec<Entry>> {
    let mut cursor = Cursor::new(NAME, data);
    let mut entries = Vec::new();
    let mut cies = HashMap::new();
    let mut last_cie = None;
    while !cursor.is_empty() {
        let start = cursor.offset();
        let escape = cursor.u32("an entry's length")?;
        if escape != u32::MAX {
            let expected = "0xffffffff (64-bit DWARF)";
            let kind = ErrorKind::Value { field: "entry length", found: escape.into(), expected };
            return Err(cursor.error_at(start, kind));
        }
        let length = cursor.u64("an entry's length")?;
        let mut decoder =
            Decoder { cursor: cursor.split(length, "an entry (its length goes past the end)")?, symbols };
        let pointer_offset = decoder.cursor.offset();
        let pointer = decoder.cursor.u64("CIE_pointer")?;
        if pointer == u64::MAX {
            last_cie = Some(CieId(cies.len() as u32));
            cies.extend(last_cie.map(|cie| (start, cie)));
            entries.push(Entry::Cie(decoder.cie()?));
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
            entries.push(Entry::Fde(decoder.fde(cie)?));
        }
    }
    Ok(entries)
}

struct Decoder<'d, 's> {
    cursor: Cursor<'d>,
    symbols: &'s FieldSymbols,
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
        let initial_location = self.address("initial_location")?;
        let range_offset = self.cursor.offset();
        Ok(Fde {
            cie,
            initial_location,
            address_range: self.cursor.u64("address_range")?,
            range_symbol: self.symbols.get(&range_offset).map(|(symbol, _)| *symbol),
            instructions: self.instructions()?,
        })
    }

    fn address(&mut self, what: &'static str) -> Result<Address> {
        let offset = self.cursor.offset();
        let field = self.cursor.u64(what)?;
        Ok(match self.symbols.get(&offset) {
            None => Address::Constant(field),
            Some(&(symbol, addend)) => Address::Symbol { symbol, addend: addend.unwrap_or(field as i64) },
        })
    }

    /// Instructions to the end of the entry, without the `DW_CFA_nop` padding.
    fn instructions(&mut self) -> Result<Vec<Cfi>> {
        let mut instructions = Vec::new();
        while !self.cursor.is_empty() {
            instructions.push(self.instruction()?);
        }
        while instructions.last() == Some(&Cfi::Nop) {
            instructions.pop();
        }
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
        let bytes = self.cursor.take(length, "an expression")?.to_vec();
        let field = |offset: u64| {
            let at = usize::try_from(offset).ok()?;
            Some(i64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
        };
        let relocs = self
            .symbols
            .range(start..start + length)
            .filter_map(|(&at, &(symbol, addend))| {
                let offset = at - start;
                Some(Reloc { offset, width: 8, symbol, addend: addend.or_else(|| field(offset))? })
            })
            .collect();
        Ok(Expression { bytes, relocs })
    }
}

/// Marks the ids of symbols whose relocation clears a range rather than adding to the field.
const CLEARED: u32 = 1 << 31;

/// The symbols of the section's fields, from its relocations.
pub fn field_symbols<'r>(relocs: impl IntoIterator<Item = &'r Relocation>) -> FieldSymbols {
    let is_cleared = |reloc: &Relocation| reloc.r_type == RelocKind::UnusedClear64 as u32;
    let id = |reloc: &Relocation| SymbolId(reloc.symbol.0 | if is_cleared(reloc) { CLEARED } else { 0 });
    relocs.into_iter().map(|reloc| (reloc.offset, (id(reloc), reloc.addend))).collect()
}

/// Relocations of an encoded section in ptxas' order: code sections last to first, in each the FDEs' fields before the CIEs', all by
/// descending offset.
pub fn debug_relocs(section: &Section) -> Vec<DebugReloc> {
    // Code section of each relocation: the symbol of the entry's FDE, which for a CIE is the next one.
    let mut keyed = Vec::new();
    let mut group_of = HashMap::new();
    let mut pending = Vec::new();
    for entry in entry_relocs(section) {
        let Some(location) = entry.relocs.iter().find(|reloc| reloc.offset == entry.start + INITIAL_LOCATION)
        else {
            pending.extend(entry.relocs.iter().map(|reloc| (true, debug_reloc(reloc, entry.start))));
            continue;
        };
        let count = group_of.len();
        let group = *group_of.entry(location.symbol).or_insert(count);
        let relocs = pending
            .drain(..)
            .chain(entry.relocs.iter().map(|reloc| (false, debug_reloc(reloc, entry.start))));
        keyed.extend(relocs.map(|(is_cie, reloc)| (group, is_cie, reloc)));
    }
    keyed.sort_by_key(|&(group, is_cie, reloc)| (Reverse(group), is_cie, Reverse(reloc.offset)));
    keyed.into_iter().map(|(_, _, reloc)| reloc).collect()
}

/// Offset of `CIE_pointer` in a 64-bit FDE: behind escape and length.
const CIE_POINTER: u64 = 12;
/// Offset of `initial_location`.
const INITIAL_LOCATION: u64 = 20;

struct EntryRelocs<'s> {
    start: u64,
    relocs: &'s [Reloc],
}

/// Splits a section's relocations by entry. The section is one of [`encode`]'s, so every length holds.
fn entry_relocs(section: &Section) -> Vec<EntryRelocs<'_>> {
    let mut entries = Vec::new();
    let mut relocs = section.relocs.as_slice();
    let mut start = 0;
    while let Some(length) = section.bytes.get(start + 4..).and_then(|rest| rest.first_chunk()) {
        let end = start + 12 + u64::from_le_bytes(*length) as usize;
        let (own, rest) = relocs.split_at(relocs.partition_point(|reloc| reloc.offset < end as u64));
        entries.push(EntryRelocs { start: start as u64, relocs: own });
        (start, relocs) = (end, rest);
    }
    entries
}

fn debug_reloc(reloc: &Reloc, entry_start: u64) -> DebugReloc {
    let SymbolId(id) = reloc.symbol;
    let kind = if id & CLEARED == 0 { RelocKind::Absolute64 } else { RelocKind::UnusedClear64 };
    // CIE pointers are 0 in the file when they are relocated.
    let in_place = (reloc.offset != entry_start + CIE_POINTER).then_some(reloc.addend);
    DebugReloc {
        offset: reloc.offset,
        kind,
        symbol: SymbolIndex(id & !CLEARED),
        addend: reloc.addend,
        in_place,
    }
}

/// Encodes the section.
///
/// `section_symbol` is the symbol of `.debug_frame` itself, given for relocatable files: CIE pointers are then relocated.
///
/// # Errors
///
/// Whatever [`dwarf2_writer`] refuses.
pub fn encode(entries: &[Entry], section_symbol: Option<SymbolId>) -> Result<Section> {
    let fail = |error: dwarf2_writer::Error| Error::new(NAME, 0, ErrorKind::Other(error.to_string()));
    let params = Params { format: Format::Dwarf64, alignment: ALIGNMENT, cie_pointer_symbol: section_symbol };
    let mut table = FrameTable::new(params).map_err(fail)?;
    for entry in entries {
        match entry {
            Entry::Cie(cie) => table.cie(cie).map(drop).map_err(fail)?,
            Entry::Fde(fde) => table.fde(fde).map_err(fail)?,
        }
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
