//! Values of attributes. The variant is the form; the writer does not choose a shorter one.

use alloc::vec::Vec;

use leb128_nv::{sleb128, uleb128};

#[allow(clippy::wildcard_imports, reason = "all of DW_FORM_*")]
use crate::constants::*;
use crate::info::EntryId;
use crate::section::{check_offset, put_string};
use crate::{Address, Error, Expression, Reloc, SymbolId};

/// The value of an attribute in one of DWARF 2's forms (DWARF 2.0.0 §7.5.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// `DW_FORM_addr`: an address of 8 bytes.
    Addr(Address),
    /// `DW_FORM_block1`: a block of at most 255 bytes, with a 1-byte length.
    Block1(Block<'a>),
    /// `DW_FORM_block2`: a block of at most 65535 bytes, with a 2-byte length.
    Block2(Block<'a>),
    /// `DW_FORM_block4`: a block with a 4-byte length.
    Block4(Block<'a>),
    /// `DW_FORM_block`: a block with a ULEB128 length.
    Block(Block<'a>),
    /// `DW_FORM_data1`: a number of 1 byte.
    Data1(u8),
    /// `DW_FORM_data2`: a number of 2 bytes.
    Data2(u16),
    /// `DW_FORM_data4`: a number of 4 bytes.
    Data4(u32),
    /// `DW_FORM_data4` as a byte offset in another section: `.debug_line`, `.debug_loc`,
    /// `.debug_macinfo`.
    Offset(Address),
    /// `DW_FORM_data8`: a number of 8 bytes.
    Data8(u64),
    /// `DW_FORM_string`: a string, here without the NUL that ends it.
    String(&'a [u8]),
    /// `DW_FORM_flag`: 0 or 1.
    Flag(bool),
    /// `DW_FORM_sdata`: a signed number, as SLEB128.
    Sdata(i64),
    /// `DW_FORM_strp`: a byte offset in `.debug_str`.
    Strp(Address),
    /// `DW_FORM_udata`: an unsigned number, as ULEB128.
    Udata(u64),
    /// `DW_FORM_ref_addr`: a reference to an entry of any unit of the same section, 8 bytes as an
    /// address (DWARF 2).
    RefAddr(EntryId),
    /// `DW_FORM_ref_addr`: a byte offset in a `.debug_info` that another writer makes, 8 bytes.
    RefAddrOffset(Address),
    /// `DW_FORM_ref1`: a reference to an entry of the same unit, at most 255 bytes from the unit's
    /// start.
    Ref1(EntryId),
    /// `DW_FORM_ref2`: a reference to an entry of the same unit, at most 65535 bytes from the
    /// unit's start.
    Ref2(EntryId),
    /// `DW_FORM_ref4`: a reference to an entry of the same unit, 4 bytes.
    Ref4(EntryId),
    /// `DW_FORM_ref8`: a reference to an entry of the same unit, 8 bytes.
    Ref8(EntryId),
    /// `DW_FORM_ref_udata`: a reference to an entry of the same unit, as ULEB128.
    RefUdata(EntryId),
    /// `DW_FORM_indirect`: the number of a form, and a value in that form.
    Indirect(&'a Value<'a>),
}

/// The bytes of a block, with the relocations in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    /// The contents of the block, without its length.
    pub bytes: &'a [u8],
    /// The fields of `bytes` that depend on symbols, ascending. Their offsets count from the start
    /// of the block.
    pub relocs: &'a [Reloc],
}

impl<'a> From<&'a [u8]> for Block<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self { bytes, relocs: &[] }
    }
}

impl<'a> From<&'a Expression> for Block<'a> {
    fn from(expression: &'a Expression) -> Self {
        Self { bytes: &expression.bytes, relocs: &expression.relocs }
    }
}

/// A place in [`Attributes::bytes`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Fixup {
    /// Byte offset there.
    pub(super) at: u32,
    pub(super) field: Field,
}

/// What is to be done there.
#[derive(Debug, Clone, Copy)]
pub(super) enum Field {
    /// A field with a relocation. Its bytes are written already.
    Symbol { width: u8, symbol: SymbolId, addend: i64 },
    /// A field for the offset of an entry. Its `width` bytes are not written yet.
    Entry { form: RefForm, width: u8, id: EntryId },
}

/// How the offset of an entry is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefForm {
    /// The offset of the entry counts from the start of the section.
    Addr,
    /// The offset of the entry counts from the start of its unit.
    Unit,
    /// The offset of the entry counts from the start of its unit, and is a ULEB128 number.
    Udata,
}

/// The encoded attributes of a unit's entries, one after another.
#[derive(Debug, Clone, Default)]
pub(super) struct Attributes {
    /// Without references between entries.
    pub(super) bytes: Vec<u8>,
    /// Ascending.
    pub(super) fixups: Vec<Fixup>,
    /// Sum of the widths that are missing in `bytes`.
    pub(super) missing: u64,
    /// Whether there are, or were, references in 7-bit groups.
    pub(super) udata: bool,
}

impl Value<'_> {
    /// Returns the number of the value's form, `DW_FORM_*`.
    pub const fn form(&self) -> u16 {
        match self {
            Self::Addr(_) => DW_FORM_addr,
            Self::Block1(_) => DW_FORM_block1,
            Self::Block2(_) => DW_FORM_block2,
            Self::Block4(_) => DW_FORM_block4,
            Self::Block(_) => DW_FORM_block,
            Self::Data1(_) => DW_FORM_data1,
            Self::Data2(_) => DW_FORM_data2,
            Self::Data4(_) | Self::Offset(_) => DW_FORM_data4,
            Self::Data8(_) => DW_FORM_data8,
            Self::String(_) => DW_FORM_string,
            Self::Flag(_) => DW_FORM_flag,
            Self::Sdata(_) => DW_FORM_sdata,
            Self::Strp(_) => DW_FORM_strp,
            Self::Udata(_) => DW_FORM_udata,
            Self::RefAddr(_) | Self::RefAddrOffset(_) => DW_FORM_ref_addr,
            Self::Ref1(_) => DW_FORM_ref1,
            Self::Ref2(_) => DW_FORM_ref2,
            Self::Ref4(_) => DW_FORM_ref4,
            Self::Ref8(_) => DW_FORM_ref8,
            Self::RefUdata(_) => DW_FORM_ref_udata,
            Self::Indirect(_) => DW_FORM_indirect,
        }
    }
}

impl Attributes {
    /// Appends a value of an entry of `unit`. After an error a part may be there: the caller drops
    /// it.
    #[inline]
    pub(super) fn put(&mut self, unit: u32, value: &Value<'_>) -> Result<(), Error> {
        let bytes = &mut self.bytes;
        match *value {
            Value::Addr(address) | Value::RefAddrOffset(address) => self.address(address),
            Value::Offset(offset) => self.offset(offset, "DW_FORM_data4")?,
            Value::Strp(offset) => self.offset(offset, "DW_FORM_strp")?,
            Value::Block1(block) => self.block(block, 1)?,
            Value::Block2(block) => self.block(block, 2)?,
            Value::Block4(block) => self.block(block, 4)?,
            Value::Block(block) => self.block(block, 0)?,
            Value::Data1(data) => bytes.push(data),
            Value::Data2(data) => bytes.extend_from_slice(&data.to_le_bytes()),
            Value::Data4(data) => bytes.extend_from_slice(&data.to_le_bytes()),
            Value::Data8(data) => bytes.extend_from_slice(&data.to_le_bytes()),
            Value::String(string) => put_string(bytes, string, "DW_FORM_string")?,
            Value::Flag(flag) => bytes.push(flag.into()),
            Value::Sdata(data) => bytes.extend_from_slice(&sleb128(data)),
            Value::Udata(data) => bytes.extend_from_slice(&uleb128(data)),
            Value::RefAddr(id) => self.entry(RefForm::Addr, 8, id),
            Value::Ref1(id) => self.entry_here(unit, "DW_FORM_ref1", 1, id)?,
            Value::Ref2(id) => self.entry_here(unit, "DW_FORM_ref2", 2, id)?,
            Value::Ref4(id) => self.entry_here(unit, "DW_FORM_ref4", 4, id)?,
            Value::Ref8(id) => self.entry_here(unit, "DW_FORM_ref8", 8, id)?,
            Value::RefUdata(id) => self.entry_here(unit, "DW_FORM_ref_udata", 0, id)?,
            Value::Indirect(inner) => self.indirect(unit, inner)?,
        }
        Ok(())
    }

    /// The form, and the value in it; a loop, as `inner` may be indirect too.
    #[cold]
    fn indirect(&mut self, unit: u32, mut inner: &Value<'_>) -> Result<(), Error> {
        loop {
            self.bytes.extend_from_slice(&uleb128(inner.form().into()));
            match inner {
                Value::Indirect(further) => inner = further,
                direct => return self.put(unit, direct),
            }
        }
    }

    #[inline]
    fn address(&mut self, address: Address) {
        self.symbol(address, 8);
        self.bytes.extend_from_slice(&address.in_place().to_le_bytes());
    }

    #[inline]
    fn offset(&mut self, offset: Address, field: &'static str) -> Result<(), Error> {
        check_offset(offset, field)?;
        self.symbol(offset, 4);
        self.bytes.extend_from_slice(&(offset.in_place() as u32).to_le_bytes());
        Ok(())
    }

    /// A block with a length of `width` bytes, 0 for ULEB128.
    fn block(&mut self, Block { bytes, relocs }: Block<'_>, width: u8) -> Result<(), Error> {
        crate::expression::check_relocs(bytes, relocs)?;
        let len = bytes.len() as u64;
        let (field, max) = match width {
            1 => ("DW_FORM_block1", u64::from(u8::MAX)),
            2 => ("DW_FORM_block2", u64::from(u16::MAX)),
            4 => ("DW_FORM_block4", u64::from(u32::MAX)),
            _ => ("DW_FORM_block", u64::from(u32::MAX)),
        };
        if len > max {
            return Err(Error::TooLong { field, len, max });
        }
        match len.to_le_bytes().get(..usize::from(width)) {
            Some(length) if width > 0 => self.bytes.extend_from_slice(length),
            _ => self.bytes.extend_from_slice(&uleb128(len)),
        }
        let start = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        self.fixups.extend(relocs.iter().map(|&Reloc { offset, width, symbol, addend, .. }| Fixup {
            at: (start + offset) as u32,
            field: Field::Symbol { width, symbol, addend },
        }));
        Ok(())
    }

    /// Notes that the next `width` bytes have a relocation, if so.
    #[inline]
    fn symbol(&mut self, address: Address, width: u8) {
        if let Address::Symbol { symbol, addend } = address {
            let field = Field::Symbol { width, symbol, addend };
            self.fixups.push(Fixup { at: self.bytes.len() as u32, field });
        }
    }

    #[inline]
    fn entry_here(&mut self, unit: u32, form: &'static str, width: u8, id: EntryId) -> Result<(), Error> {
        if id.unit != unit {
            return Err(Error::ForeignEntry { form, id, unit });
        }
        // One byte is the least that 7-bit groups take; layout finds out.
        let (form, width) = if width == 0 { (RefForm::Udata, 1) } else { (RefForm::Unit, width) };
        self.udata |= form == RefForm::Udata;
        self.entry(form, width, id);
        Ok(())
    }

    #[inline]
    fn entry(&mut self, form: RefForm, width: u8, id: EntryId) {
        self.missing += u64::from(width);
        self.fixups.push(Fixup { at: self.bytes.len() as u32, field: Field::Entry { form, width, id } });
    }
}
