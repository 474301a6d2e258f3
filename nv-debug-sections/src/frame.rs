//! `.debug_frame` as values: 64-bit DWARF, one CIE and one FDE for each function.
//!
//! docs/formats/frames.md; observed: ptxas 13.0.88, sm_75-sm_121. Registers are numbered `class <<
//! 24 | n` as in [`SassRegister`](crate::register::SassRegister).

use crate::catalog::SectionKind;
use crate::reloc::RelocAction;
use crate::relocated::{self, RelocatedSection};
use crate::{Error, ErrorKind, Result};
use dwarf2_reader::{Span, frame};
use dwarf2_writer::frame::{CallFrameInstruction as Cfi, Cie, CieId, Fde, FrameTable, Params};
use dwarf2_writer::{Address, Expression, Format, Referent, Reloc, Section, SymbolId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The name of the section, `.debug_frame`.
pub const NAME: &str = SectionKind::DebugFrame.name();

/// Entries are padded to a multiple of this many bytes.
const ALIGNMENT: u8 = 8;

/// One entry of `.debug_frame`, a CIE or an FDE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A CIE: the call frame rules with which its FDEs start.
    Cie(Arc<Cie>),
    /// An FDE: the call frame rules of one function. [`Fde::cie`] is the number of its CIE, counted
    /// among the CIEs before it.
    Fde(Fde),
}

/// A CIE or an FDE with the offsets of its instructions. Offsets and sizes are in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryWithOffsets {
    /// The decoded CIE or FDE.
    pub entry: Entry,
    /// The byte offset of the entry in `.debug_frame`, at its length field.
    pub offset: u64,
    /// The size of the entry in bytes, including its length field.
    pub size: u64,
    /// The offset of each instruction from the start of the entry. The last element is the offset
    /// of the padding, or `size` if there is no padding.
    pub instructions: Arc<[u64]>,
}

/// The symbol and addend of a relocated field of `.debug_frame`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldSymbol {
    /// The index of the symbol, in the symbol table of the section's relocations.
    pub symbol: SymbolId,
    /// The number to add to the symbol's value. The file has it in the relocation or in the field.
    pub addend: i64,
    /// Width of the field in bytes.
    pub width: u8,
    /// The effect of the relocation on the field.
    pub action: RelocAction,
}

/// The symbol and addend of each relocated field of `.debug_frame`, by byte offset.
pub type FieldSymbols = BTreeMap<u64, FieldSymbol>;

/// Collects the symbols of the relocated fields of a `.debug_frame` section.
pub fn field_symbols(section: &RelocatedSection<'_>) -> FieldSymbols {
    let symbol = |field: &relocated::RelocatedField| FieldSymbol {
        symbol: SymbolId(field.target.symbol.0),
        addend: field.target.addend,
        width: field.width,
        action: field.action,
    };
    section.fields().iter().map(|field| (field.offset, symbol(field))).collect()
}

/// Decodes `.debug_frame` to its CIEs and FDEs. `symbols` are the relocated fields of the section;
/// those of CIE pointers may be left out.
///
/// # Errors
///
/// Truncated fields, 32-bit entries, an FDE before any CIE, call frame instructions outside DWARF
/// 3, relocations that do not fit their field: an address is 8 bytes and added to, a range of 8
/// bytes is cleared.
pub fn decode(data: &[u8], symbols: &FieldSymbols) -> Result<Vec<Entry>> {
    Ok(decode_with_offsets(data, symbols)?.into_iter().map(|placed| placed.entry).collect())
}

/// Decodes `.debug_frame` as [`decode`] does, with the byte offset of each entry and instruction.
///
/// # Errors
///
/// As [`decode`].
pub fn decode_with_offsets(data: &[u8], symbols: &FieldSymbols) -> Result<Vec<EntryWithOffsets>> {
    let fields = Fields { symbols };
    let mut entries = Vec::new();
    let mut cies = HashMap::new();
    let mut last_cie = None;
    let mut shared: Option<SharedCie<'_>> = None;
    for entry in frame::entries(data) {
        let (span, entry) = entry?;
        let place = &span;
        let (entry, instructions) = match entry {
            frame::Entry::Cie(cie) => {
                check_format(cie.format, place.start)?;
                if cie.version != 3 {
                    let found = cie.version.into();
                    let kind = ErrorKind::Value { field: "CIE version", found, expected: "3" };
                    return Err(Error::new(NAME, place.start + CIE_VERSION, kind));
                }
                last_cie = Some(CieId(cies.len() as u32));
                cies.extend(last_cie.map(|cie| (place.start, cie)));
                // Each function has one of its own, hundreds of instructions that are mostly the
                // same.
                let bytes = slice(data, place.start + CIE_VERSION..place.end);
                let (cie, places) = match shared.take() {
                    Some((before, cie, places)) if before == bytes && !has_symbols(&cie) => (cie, places),
                    before => {
                        let (cie, places) = fields.cie(data, place.start, cie)?;
                        let same = before.map(|(_, before, _)| before).filter(|before| **before == cie);
                        (same.unwrap_or_else(|| Arc::new(cie)), places.into())
                    }
                };
                shared = Some((bytes, Arc::clone(&cie), Arc::clone(&places)));
                (Entry::Cie(cie), places)
            }
            frame::Entry::Fde(fde) => {
                check_format(fde.format, place.start)?;
                // With -c ptxas 13.0.88 writes pointers that miss the CIE by a few bytes after
                // entries it has padded, and nvlink keeps them; each function has a CIE of its own
                // right before its FDE.
                let known = cies.get(&fde.cie).copied();
                let cie = known.filter(|_| !symbols.contains_key(&fde.cie_field.start)).or(last_cie);
                let cie = cie.ok_or_else(|| {
                    let expected = "the offset of an earlier CIE";
                    let kind = ErrorKind::Value { field: "CIE_pointer", found: fde.cie, expected };
                    Error::new(NAME, fde.cie_field.start, kind)
                })?;
                let (fde, places) = fields.fde(data, place.start, cie, &fde)?;
                (Entry::Fde(fde), places.into())
            }
        };
        entries.push(EntryWithOffsets {
            entry,
            offset: span.start,
            size: span.end - span.start,
            instructions,
        });
    }
    Ok(entries)
}

/// The offset of the version in a CIE of 64-bit DWARF, after its length and its id.
const CIE_VERSION: u64 = 20;

/// Refuses entries of 32-bit DWARF, which ptxas does not write.
fn check_format(format: Format, at: u64) -> Result<()> {
    if format == Format::Dwarf64 {
        return Ok(());
    }
    let kind = ErrorKind::Value {
        field: "entry length",
        found: 4,
        expected: "8 bytes after 0xffffffff (64-bit DWARF)",
    };
    Err(Error::new(NAME, at, kind))
}

fn slice(data: &[u8], span: Span) -> &[u8] {
    data.get(span.start as usize..span.end as usize).unwrap_or_default()
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

/// Puts symbols into the fields that have them.
struct Fields<'s> {
    symbols: &'s FieldSymbols,
}

impl Fields<'_> {
    /// A CIE at a byte offset of the section, and [`PlacedEntry::instructions`].
    fn cie(&self, data: &[u8], start: u64, cie: frame::Cie<'_>) -> Result<(Cie, Vec<u64>)> {
        let (instructions, places) = self.instructions(data, start, cie.instructions)?;
        let cie = Cie {
            version: cie.version,
            augmentation: cie.augmentation.to_vec(),
            code_alignment_factor: cie.code_alignment_factor,
            data_alignment_factor: cie.data_alignment_factor,
            return_address_register: cie.return_address_register,
            instructions,
        };
        Ok((cie, places))
    }

    fn fde(&self, data: &[u8], start: u64, cie: CieId, fde: &frame::Fde) -> Result<(Fde, Vec<u64>)> {
        let initial_location = self.address("initial_location", fde.location_field, fde.initial_location)?;
        let range_symbol = self.symbol("address_range", fde.location_field + 8, RelocAction::Clear)?;
        let (instructions, places) = self.instructions(data, start, fde.instructions.clone())?;
        let range_symbol = range_symbol.map(|field| field.symbol);
        let address_range = fde.address_range;
        Ok((Fde { cie, initial_location, range_symbol, address_range, instructions }, places))
    }

    fn address(&self, what: &'static str, at: u64, constant: u64) -> Result<Address> {
        let symbol = self.symbol(what, at, RelocAction::Add)?;
        Ok(symbol.map_or(Address::Constant(constant), |FieldSymbol { symbol, addend, .. }| Address::Symbol {
            symbol,
            addend,
        }))
    }

    /// Returns the symbol to which the 8-byte field at a byte offset refers, if it is relocated.
    fn symbol(&self, what: &'static str, at: u64, action: RelocAction) -> Result<Option<FieldSymbol>> {
        let field = self.symbols.get(&at);
        match field {
            Some(field) if (field.width, field.action) != (8, action) => {
                Err(Error::new(NAME, at, misfit(what, *field, action)))
            }
            field => Ok(field.copied()),
        }
    }

    /// Instructions to the end of the entry that begins at `start`, without the `DW_CFA_nop`
    /// padding, and where they stand.
    fn instructions(&self, data: &[u8], start: u64, span: Span) -> Result<(Vec<Cfi>, Vec<u64>)> {
        let (mut instructions, mut places) = (Vec::new(), Vec::new());
        let end = span.end;
        let address = |at: Span, number| self.address("DW_CFA_set_loc", at.start, number);
        let expression = |at: Span, operations: &[u8]| self.expression(at, operations);
        for read in frame::instructions_with(data, span, address, expression) {
            let (span, instruction) = read?;
            places.push(span.start - start);
            instructions.push(instruction);
        }
        places.push(end - start);
        while instructions.last() == Some(&Cfi::Nop) {
            instructions.pop();
        }
        places.truncate(instructions.len() + 1);
        instructions.shrink_to_fit();
        Ok((instructions, places))
    }

    fn expression(&self, span: Span, operations: &[u8]) -> Result<Expression> {
        let mut bytes = operations.to_vec();
        let mut relocs = Vec::new();
        for (&at, field) in self.symbols.range(span.clone()) {
            let FieldSymbol { symbol, addend, width, action } = *field;
            let rest = bytes.get_mut((at - span.start) as usize..).filter(|_| action == RelocAction::Add);
            let Some(place) = rest.and_then(|rest| rest.get_mut(..width.into())) else {
                return Err(Error::new(NAME, at, misfit("an expression", *field, RelocAction::Add)));
            };
            // A symbolic field holds its addend, as the writer has it; in a file it may be
            // relocated or stale.
            place.iter_mut().zip(addend.to_le_bytes()).for_each(|(byte, new)| *byte = new);
            relocs.push(Reloc::new(at - span.start, width, symbol, addend));
        }
        Ok(Expression { bytes, relocs })
    }
}

/// A relocation that is not of the kind its field can have.
fn misfit(what: &'static str, found: FieldSymbol, expected: RelocAction) -> ErrorKind {
    let FieldSymbol { width, action: found, .. } = found;
    ErrorKind::RelocationAction { what, found, width, expected }
}

/// Returns the relocations of an encoded `.debug_frame` in ptxas' order: code sections from the
/// last to the first; for each section the fields of FDEs before those of CIEs, by descending
/// offset (docs/formats/frames.md, relocations).
///
/// A code section is known by the symbol of `initial_location`; entries without go with the next
/// FDE that has one, the last with the one before.
pub fn debug_relocs(section: &Section) -> Vec<Reloc> {
    let mut keyed: Vec<(usize, bool, Reloc)> = Vec::new();
    let mut group_of = HashMap::new();
    let mut pending = Vec::new();
    for entry in entry_relocs(section) {
        pending.extend(entry.relocs.iter().map(|reloc| (entry.is_cie, entry.as_of_ptxas(reloc))));
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

/// The offset in a 64-bit entry of the CIE id or `CIE_pointer`, after escape and length.
const CIE_POINTER: u64 = 12;
/// Offset of `initial_location`.
const INITIAL_LOCATION: u64 = 20;
/// Offset of `address_range`.
const ADDRESS_RANGE: u64 = 28;

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

    /// The same as ptxas has it: other addresses than those of CIEs are of code.
    fn as_of_ptxas(&self, reloc: &Reloc) -> Reloc {
        match reloc.offset - self.start {
            CIE_POINTER if !self.is_cie => Reloc { in_place: None, ..*reloc }, // 0 in the file when it is relocated
            ADDRESS_RANGE if !self.is_cie => *reloc,
            _ if reloc.width == 4 => *reloc,
            _ => Reloc { referent: Referent::Code, ..*reloc },
        }
    }
}

/// Splits a section's relocations by entry. The section is one of [`encode`]'s, so all can be read.
fn entry_relocs(section: &Section) -> Vec<EntryRelocs<'_>> {
    let mut relocs = section.relocs.as_slice();
    let entries = frame::entries(&section.bytes).map_while(Result::ok).map(|(span, entry)| {
        let (own, rest) = relocs.split_at(relocs.partition_point(|reloc| reloc.offset < span.end));
        relocs = rest;
        EntryRelocs { start: span.start, is_cie: matches!(entry, frame::Entry::Cie(_)), relocs: own }
    });
    entries.collect()
}

/// Returns the byte offset of each entry of `.debug_frame`, in section order. The section must be
/// one that [`decode`] accepts.
pub fn entry_offsets(data: &[u8]) -> Vec<u64> {
    frame::entries(data).map_while(Result::ok).map(|(span, _)| span.start).collect()
}

/// Encodes CIEs and FDEs as the contents of `.debug_frame`.
///
/// `section_symbol` is the symbol of `.debug_frame` itself, given for relocatable files: CIE
/// pointers are then relocated.
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

/// Returns the size of the largest frame that an FDE describes, in bytes: the greatest offset of
/// the CFA from its register.
pub fn frame_size(fde: &Fde) -> u64 {
    let offsets = fde.instructions.iter().filter_map(|instruction| match *instruction {
        Cfi::DefCfa { offset, .. } | Cfi::DefCfaOffset(offset) => Some(offset),
        _ => None,
    });
    offsets.max().unwrap_or(0)
}
