//! `.debug_frame`: the rules for finding the caller's registers (DWARF 2.0.0 §6.4, DWARF 3 §6.4).
//!
//! The *form* of every instruction is the caller's choice and is kept: an `AdvanceLoc4` of 1 takes
//! five bytes.
//!
//! ```
//! use dwarf2_writer::frame::{CallFrameInstruction as Cfi, Cie, Fde, FrameTable, Params};
//! use dwarf2_writer::{Address, Format, SymbolId};
//!
//! let mut frames = FrameTable::new(Params { format: Format::Dwarf64, ..Params::default() })?;
//! let cie = frames.cie(&Cie {
//!     version: 3,
//!     code_alignment_factor: 4,
//!     data_alignment_factor: -4,
//!     return_address_register: 0xffff_ffff,
//!     instructions: vec![Cfi::DefCfa { register: 0x500_0001, offset: 0 }],
//!     ..Cie::default()
//! })?;
//! frames.fde(&Fde {
//!     cie,
//!     initial_location: Address::Symbol { symbol: SymbolId(3), addend: 0 },
//!     address_range: 0x180,
//!     range_symbol: None,
//!     instructions: vec![Cfi::AdvanceLoc4(8), Cfi::DefCfaOffset(16)],
//! })?;
//! let section = frames.finish();
//! assert_eq!(section.bytes.len() % 8, 0);
//! assert_eq!(section.relocs.len(), 1);
//! # Ok::<(), dwarf2_writer::Error>(())
//! ```

mod instruction;

use alloc::vec::Vec;

use leb128_nv::{sleb128, uleb128};

use crate::constants::DW_CFA_nop;
use crate::section::{check_length, put_string};
use crate::{Address, Error, Format, Referent, Reloc, Section, SymbolId};
pub use instruction::CallFrameInstruction;

/// The layout parameters that all entries of a `.debug_frame` section share: 32-bit or 64-bit
/// DWARF, alignment, and relocation of the pointers to CIEs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// The format of every entry, 32-bit or 64-bit DWARF.
    pub format: Format,
    /// Entries are padded with `DW_CFA_nop` to a multiple of this many bytes, their length field
    /// included; a power of two, 1 for no padding.
    pub alignment: u8,
    /// The symbol of `.debug_frame` itself, against which the CIE pointer of each FDE is relocated
    /// if a linker will join sections; `None` for no relocation. The addend is the offset of the
    /// CIE, and stands in the field as well.
    pub cie_pointer_symbol: Option<SymbolId>,
}

impl Default for Params {
    fn default() -> Self {
        Self { format: Format::Dwarf32, alignment: 8, cie_pointer_symbol: None }
    }
}

/// A common information entry (CIE): the initial rules that several functions share.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cie {
    /// 1 (DWARF 2), 3 or 4: decides the size of the return register's field.
    pub version: u8,
    /// Vendor string, without its NUL; mostly empty.
    pub augmentation: Vec<u8>,
    /// Bytes of code that one unit of an advance stands for.
    pub code_alignment_factor: u64,
    /// Bytes that one unit of a register offset stands for.
    pub data_alignment_factor: i64,
    /// Register (or a number that is none) that holds the return address.
    pub return_address_register: u64,
    /// The rules at the start of every function.
    pub instructions: Vec<CallFrameInstruction>,
}

/// The number of a CIE in a `.debug_frame` section: 0 for the one that was added first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CieId(pub u32);

/// A frame description entry (FDE): the rules of one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fde {
    /// The entry it starts from, written before it.
    pub cie: CieId,
    /// Start of the function.
    pub initial_location: Address,
    /// Size of the function in bytes.
    pub address_range: u64,
    /// A symbol that the range field is to be relocated against. The field keeps `address_range`,
    /// the relocation's addend is 0: such a relocation does not add, it lets a linker clear the
    /// field of a function that it drops.
    pub range_symbol: Option<SymbolId>,
    /// The rules, in address order.
    pub instructions: Vec<CallFrameInstruction>,
}

/// Writes a `.debug_frame` section, entry by entry.
#[derive(Debug, Clone)]
pub struct FrameTable {
    params: Params,
    section: Section,
    /// Section offset of each CIE.
    cies: Vec<u64>,
}

impl FrameTable {
    /// Creates a `.debug_frame` section without entries.
    ///
    /// # Errors
    ///
    /// [`Error::Alignment`].
    pub fn new(params: Params) -> Result<Self, Error> {
        if !params.alignment.is_power_of_two() {
            return Err(Error::Alignment { alignment: params.alignment });
        }
        Ok(Self { params, section: Section::default(), cies: Vec::new() })
    }

    /// Appends a CIE.
    ///
    /// # Errors
    ///
    /// [`Error::CieVersion`], [`Error::NulInString`], [`Error::Operand`],
    /// [`Error::ExpressionReloc`] and [`Error::TooLong`].
    pub fn cie(&mut self, cie: &Cie) -> Result<CieId, Error> {
        let offset = self.section.bytes.len() as u64;
        let format = self.params.format;
        self.entry(|section| {
            put_offset(section, format, u64::MAX); // the CIE id: no offset of a CIE
            section.bytes.push(cie.version);
            put_string(&mut section.bytes, &cie.augmentation, "augmentation")?;
            if cie.version >= 4 {
                section.bytes.extend_from_slice(&[8, 0]); // address size, segment selector size
            }
            section.bytes.extend_from_slice(&uleb128(cie.code_alignment_factor));
            section.bytes.extend_from_slice(&sleb128(cie.data_alignment_factor));
            match cie.version {
                1 => section.bytes.push(narrow("return_address_register", cie.return_address_register)?),
                3 | 4 => section.bytes.extend_from_slice(&uleb128(cie.return_address_register)),
                version => return Err(Error::CieVersion { version }),
            }
            cie.instructions.iter().try_for_each(|instruction| instruction.put(section))
        })?;
        self.cies.push(offset);
        Ok(CieId(self.cies.len() as u32 - 1))
    }

    /// Appends an FDE to the section.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCie`], [`Error::Operand`], [`Error::ExpressionReloc`] and
    /// [`Error::TooLong`].
    pub fn fde(&mut self, fde: &Fde) -> Result<(), Error> {
        let CieId(index) = fde.cie;
        let unknown = Error::UnknownCie { index, count: self.cies.len() };
        let cie = *self.cies.get(index as usize).ok_or(unknown)?;
        let Params { format, cie_pointer_symbol, .. } = self.params;
        if format == Format::Dwarf32 && cie >= u64::from(u32::MAX) {
            return Err(Error::TooLong { field: "CIE pointer", len: cie, max: u64::from(u32::MAX) - 1 });
        }
        self.entry(|section| {
            if let Some(symbol) = cie_pointer_symbol {
                let width = if format == Format::Dwarf64 { 8 } else { 4 };
                let offset = section.bytes.len() as u64;
                section.relocs.push(Reloc::new(offset, width, symbol, cie as i64));
            }
            put_offset(section, format, cie);
            section.address(fde.initial_location);
            if let Some(symbol) = fde.range_symbol {
                let offset = section.bytes.len() as u64;
                let (in_place, referent) = (None, Referent::FunctionSize);
                section.relocs.push(Reloc { in_place, referent, ..Reloc::new(offset, 8, symbol, 0) });
            }
            section.bytes.extend_from_slice(&fde.address_range.to_le_bytes());
            fde.instructions.iter().try_for_each(|instruction| instruction.put(section))
        })
    }

    /// Returns the finished section.
    pub fn finish(self) -> Section {
        self.section
    }

    /// Writes one entry: its length, what `body` appends, the padding. On an error the section is
    /// as before.
    fn entry(&mut self, body: impl FnOnce(&mut Section) -> Result<(), Error>) -> Result<(), Error> {
        let end = self.section.end();
        let written = self.try_entry(body);
        if written.is_err() {
            self.section.truncate(end);
        }
        written
    }

    fn try_entry(&mut self, body: impl FnOnce(&mut Section) -> Result<(), Error>) -> Result<(), Error> {
        let Params { format, alignment, .. } = self.params;
        let section = &mut self.section;
        let start = section.bytes.len();
        if format == Format::Dwarf64 {
            section.bytes.extend_from_slice(&[0xff; 4]);
        }
        let length_field = section.bytes.len();
        put_offset(section, format, 0);
        let counted = section.bytes.len();
        body(section)?;
        let padded = (section.bytes.len() - start).next_multiple_of(usize::from(alignment));
        section.bytes.resize(start + padded, DW_CFA_nop);

        let len = (section.bytes.len() - counted) as u64;
        if format == Format::Dwarf32 {
            check_length("frame entry", len)?;
        }
        if let Some(field) = section.bytes.get_mut(length_field..counted) {
            field.iter_mut().zip(len.to_le_bytes()).for_each(|(byte, value)| *byte = value);
        }
        Ok(())
    }
}

/// A length or section offset: its low 4 bytes, or all 8.
fn put_offset(section: &mut Section, format: Format, value: u64) {
    match format {
        Format::Dwarf32 => section.bytes.extend_from_slice(&(value as u32).to_le_bytes()),
        Format::Dwarf64 => section.bytes.extend_from_slice(&value.to_le_bytes()),
    }
}

/// A value for a 1-byte field.
fn narrow(field: &'static str, value: u64) -> Result<u8, Error> {
    u8::try_from(value).map_err(|_| Error::Operand { field, value, max: u64::from(u8::MAX) })
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;
    use crate::section::tests::{LONG, too_long, untouched};

    #[test]
    fn entries_are_short_and_cies_near_unless_64_bit() {
        for (format, is_64_bit) in [(Format::Dwarf32, false), (Format::Dwarf64, true)] {
            let params = Params { format, alignment: 1, cie_pointer_symbol: None };
            let mut table = FrameTable::new(params).expect("valid");
            let counted = if is_64_bit { 12 } else { 4 };
            let refused = table.entry(|section| {
                section.bytes = untouched(counted + LONG);
                Ok(())
            });
            let expected = if is_64_bit { Ok(()) } else { Err(too_long("frame entry", LONG)) };
            assert_eq!(refused, expected);
            assert_eq!(table.section.bytes.is_empty(), !is_64_bit);

            let fde = |cie| Fde {
                cie,
                initial_location: Address::Constant(0),
                address_range: 0,
                range_symbol: None,
                instructions: Vec::new(),
            };
            let cie = Cie { version: 3, ..Cie::default() };
            // A pointer of all ones makes a CIE.
            table.section.bytes = untouched(u32::MAX as usize - 1);
            let last = table.cie(&cie).expect("valid");
            assert_eq!(table.fde(&fde(last)), Ok(()));
            table.section.bytes = untouched(u32::MAX as usize);
            let beyond = table.cie(&cie).expect("valid");
            let before = table.section.end();
            let len = u32::MAX.into();
            let error = Error::TooLong { field: "CIE pointer", len, max: len - 1 };
            assert_eq!(table.fde(&fde(beyond)), if is_64_bit { Ok(()) } else { Err(error) });
            assert_eq!(table.section.end() == before, !is_64_bit);
        }
    }
}
