//! Attribute values by their form (DWARF 2.0.0 §7.5.4, DWARF 4 §7.5.4).
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

#[allow(clippy::wildcard_imports, reason = "all of DW_FORM_*")]
use crate::constants::*;
use crate::cursor::offset_width;
use crate::info::Unit;
use crate::{Cursor, ErrorKind, Format, Result, line, loc, macinfo, ranges};

/// The value of an attribute as its form gives it, without regard to the attribute's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value<'d> {
    /// `DW_FORM_addr`: an address.
    Address(u64),
    /// `DW_FORM_block1`, `block2`, `block4`, `block` and `exprloc`: the bytes of the block, without
    /// its length.
    Block(&'d [u8]),
    /// `DW_FORM_data1` to `data8`: bits of a constant. The attribute decides whether it has a sign.
    Data(u64),
    /// `DW_FORM_sdata`: a signed constant.
    Signed(i64),
    /// `DW_FORM_udata`: an unsigned constant.
    Unsigned(u64),
    /// `DW_FORM_flag` and `flag_present`: a flag, which is set if the byte is not 0.
    Flag(u8),
    /// `DW_FORM_string`: a string in the entry itself, without its NUL.
    String(&'d [u8]),
    /// `DW_FORM_strp`: a byte offset in `.debug_str`.
    StringOffset(u64),
    /// `DW_FORM_ref1` to `ref8` and `ref_udata`: a byte offset from the start of the unit.
    UnitReference(u64),
    /// `DW_FORM_ref_addr`: a byte offset in `.debug_info`.
    InfoReference(u64),
    /// `DW_FORM_ref_sig8`: the signature of a type unit.
    Signature(u64),
    /// `DW_FORM_sec_offset`: a byte offset in another section, which depends on the attribute.
    SectionOffset(u64),
}

/// How the values of a form are encoded, which says how many bytes a value takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FormEncoding {
    /// The value takes this fixed number of bytes.
    Fixed(u8),
    /// The value takes the bytes of an address, whose size the unit header gives.
    Address,
    /// The value takes the bytes of a section offset: 4 in 32-bit DWARF, 8 in 64-bit DWARF.
    Offset,
    /// `DW_FORM_ref_addr`: the value has the size of an address in DWARF 2, and that of a section
    /// offset from DWARF 3 on.
    InfoReference,
    /// The value is a LEB128 number.
    Leb,
    /// The value is a string that a NUL ends.
    String,
    /// The value is a block: a length, which has this many bytes, and the bytes of the block.
    Block(u8),
    /// The value is a block: a ULEB128 length, and the bytes of the block.
    BlockLeb,
    /// The value is the number of another form, as ULEB128, and a value of that form
    /// (`DW_FORM_indirect`).
    Indirect,
}

impl FormEncoding {
    /// Returns the encoding of a `DW_FORM_*`; `None` for a number that no version up to 4 has.
    #[inline]
    #[must_use]
    pub const fn of(form: u16) -> Option<Self> {
        Some(match form {
            DW_FORM_addr => Self::Address,
            DW_FORM_flag_present => Self::Fixed(0),
            DW_FORM_data1 | DW_FORM_flag | DW_FORM_ref1 => Self::Fixed(1),
            DW_FORM_data2 | DW_FORM_ref2 => Self::Fixed(2),
            DW_FORM_data4 | DW_FORM_ref4 => Self::Fixed(4),
            DW_FORM_data8 | DW_FORM_ref8 | DW_FORM_ref_sig8 => Self::Fixed(8),
            DW_FORM_strp | DW_FORM_sec_offset => Self::Offset,
            DW_FORM_ref_addr => Self::InfoReference,
            DW_FORM_sdata | DW_FORM_udata | DW_FORM_ref_udata => Self::Leb,
            DW_FORM_string => Self::String,
            DW_FORM_block1 => Self::Block(1),
            DW_FORM_block2 => Self::Block(2),
            DW_FORM_block4 => Self::Block(4),
            DW_FORM_block | DW_FORM_exprloc => Self::BlockLeb,
            DW_FORM_indirect => Self::Indirect,
            _ => return None,
        })
    }

    /// Returns the encoding of a `DW_FORM_*` of DWARF 2; `None` for any other number, such as a
    /// form of a later version.
    #[inline]
    #[must_use]
    pub const fn of_version_2(form: u64) -> Option<Self> {
        if form <= DW_FORM_indirect as u64 { Self::of(form as u16) } else { None }
    }
}

/// The position of a value in an entry, counted from the end of its code. It depends on the sizes
/// of addresses and offsets in the unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FixedPlace {
    /// Bytes of the values before it whose size does not depend on the unit.
    pub(crate) bytes: u8,
    /// Values before it that have the size of an address.
    pub(crate) addresses: u8,
    /// Values before it that have the size of an offset in a section.
    pub(crate) offsets: u8,
}

impl FixedPlace {
    /// The place after a value of this form; `None` where its size is not fixed, or too much is
    /// before.
    pub(crate) fn after(self, form: u16) -> Option<Self> {
        let Self { mut bytes, mut addresses, mut offsets } = self;
        match FormEncoding::of(form)? {
            FormEncoding::Fixed(size) => bytes = bytes.checked_add(size)?,
            FormEncoding::Address => addresses = addresses.checked_add(1)?,
            FormEncoding::Offset => offsets = offsets.checked_add(1)?,
            _ => return None,
        }
        Some(Self { bytes, addresses, offsets })
    }
}

/// The widths in bytes of a unit's addresses and offsets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Widths {
    address: u8,
    offset: u8,
    version: u16,
}

impl Widths {
    pub(super) fn of(unit: &Unit) -> Self {
        let Unit { address_size: address, version, format, .. } = *unit;
        Self { address, offset: offset_width(format), version }
    }

    /// Bytes of each value of a form; `None` where the values differ.
    #[inline]
    pub(super) fn fixed(self, form: u16) -> Option<u8> {
        Some(match FormEncoding::of(form)? {
            FormEncoding::Fixed(bytes) => bytes,
            FormEncoding::Address => self.address,
            FormEncoding::InfoReference if self.version == 2 => self.address,
            FormEncoding::Offset | FormEncoding::InfoReference => self.offset,
            _ => return None,
        })
    }

    /// The bytes of an entry's values before one of them.
    #[inline]
    pub(super) fn bytes_before(self, place: FixedPlace) -> u64 {
        u64::from(place.bytes)
            + u64::from(place.addresses) * u64::from(self.address)
            + u64::from(place.offsets) * u64::from(self.offset)
    }

    /// Moves after a value, with the errors of [`read`](Self::read).
    #[inline]
    pub(super) fn skip(self, form: u16, cursor: &mut Cursor<'_>) -> Result<()> {
        let what = "the value of an attribute";
        match FormEncoding::of(form) {
            Some(FormEncoding::Fixed(width)) => _ = cursor.take(width.into(), what)?,
            Some(FormEncoding::Address) => _ = cursor.take(self.address.into(), what)?,
            Some(FormEncoding::Offset) => _ = cursor.take(self.offset.into(), what)?,
            Some(FormEncoding::String) => _ = cursor.string("a string")?,
            Some(FormEncoding::Leb) if cursor.skip_leb() => {}
            Some(FormEncoding::BlockLeb) => {
                let length = cursor.uleb("the length of a block")?;
                cursor.take(length, "a block")?;
            }
            Some(FormEncoding::Block(width)) => {
                let length = cursor.number(width, "the length of a block")?;
                cursor.take(length, "a block")?;
            }
            _ => self.skip_rare(form, cursor)?,
        }
        Ok(())
    }

    /// Skips a value of a rare form. It is a function of its own so that the loop over common forms
    /// stays small.
    #[inline(never)]
    fn skip_rare(self, form: u16, cursor: &mut Cursor<'_>) -> Result<()> {
        self.read(form, cursor).map(|_| ())
    }

    /// Reads a value, and returns its form with it. The cursor moves after it.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "the loop over values is half as long again without (benches: die_tree_read)"
    )]
    pub(super) fn read<'d>(self, form: u16, cursor: &mut Cursor<'d>) -> Result<(u16, Value<'d>)> {
        let at = cursor.offset();
        let what = "the value of an attribute";
        let form = if form == DW_FORM_indirect { indirect(cursor)? } else { form };
        // By the form alone, whose widths are those of its layout: one branch for each value.
        let value = match form {
            DW_FORM_addr => Value::Address(cursor.number(self.address, what)?),
            DW_FORM_flag => Value::Flag(cursor.u8(what)?),
            DW_FORM_flag_present => Value::Flag(1),
            DW_FORM_data1 => Value::Data(cursor.u8(what)?.into()),
            DW_FORM_data2 => Value::Data(cursor.number(2, what)?),
            DW_FORM_data4 => Value::Data(cursor.number(4, what)?),
            DW_FORM_data8 => Value::Data(cursor.number(8, what)?),
            DW_FORM_udata => Value::Unsigned(cursor.uleb(what)?),
            DW_FORM_sdata => Value::Signed(cursor.sleb(what)?),
            DW_FORM_string => Value::String(cursor.string("a string")?),
            DW_FORM_strp => Value::StringOffset(cursor.number(self.offset, what)?),
            DW_FORM_sec_offset => Value::SectionOffset(cursor.number(self.offset, what)?),
            DW_FORM_ref1 => Value::UnitReference(cursor.u8(what)?.into()),
            DW_FORM_ref2 => Value::UnitReference(cursor.number(2, what)?),
            DW_FORM_ref4 => Value::UnitReference(cursor.number(4, what)?),
            DW_FORM_ref8 => Value::UnitReference(cursor.number(8, what)?),
            DW_FORM_ref_udata => Value::UnitReference(cursor.uleb(what)?),
            DW_FORM_ref_sig8 => Value::Signature(cursor.number(8, what)?),
            _ => match FormEncoding::of(form) {
                Some(FormEncoding::InfoReference) => {
                    let width = self.fixed(form).unwrap_or(self.offset);
                    Value::InfoReference(cursor.number(width, what)?)
                }
                Some(FormEncoding::Block(width)) => {
                    block(cursor, |cursor| cursor.number(width, "the length of a block"))?
                }
                Some(FormEncoding::BlockLeb) => block(cursor, |cursor| cursor.uleb("the length of a block"))?,
                _ => return Err(cursor.error_at(at, ErrorKind::UnknownForm { form: form.into() })),
            },
        };
        Ok((form, value))
    }
}

/// The form that stands before a value.
fn indirect(cursor: &mut Cursor<'_>) -> Result<u16> {
    let at = cursor.offset();
    let form = cursor.uleb("the form of an attribute")?;
    match u16::try_from(form) {
        // DWARF does not forbid it to say so twice, but no producer does, and a value could be all
        // of them.
        Ok(narrow) if narrow != DW_FORM_indirect => Ok(narrow),
        _ => Err(cursor.error_at(at, ErrorKind::UnknownForm { form })),
    }
}

#[inline]
fn block<'d>(
    cursor: &mut Cursor<'d>,
    length: impl FnOnce(&mut Cursor<'d>) -> Result<u64>,
) -> Result<Value<'d>> {
    let length = length(cursor)?;
    Ok(Value::Block(cursor.take(length, "a block")?))
}

/// Name of the section that an attribute of class `loclistptr`, `lineptr`, `macptr` or
/// `rangelistptr` is about (DWARF 3 §7.5.4, figure 20).
pub(super) fn pointed_section(name: u16) -> Option<&'static str> {
    Some(match name {
        DW_AT_stmt_list => line::SECTION,
        DW_AT_macro_info => macinfo::SECTION,
        DW_AT_ranges | DW_AT_start_scope => ranges::SECTION,
        DW_AT_location
        | DW_AT_string_length
        | DW_AT_return_addr
        | DW_AT_data_member_location
        | DW_AT_frame_base
        | DW_AT_segment
        | DW_AT_static_link
        | DW_AT_use_location
        | DW_AT_vtable_elem_location => loc::SECTION,
        _ => return None,
    })
}

/// Whether such an attribute may be a plain number of this form: before version 4 has
/// `DW_FORM_sec_offset`.
pub(super) fn is_section_offset(name: u16, form: u16, format: Format, version: u16) -> bool {
    let fits = match form {
        DW_FORM_data4 => format == Format::Dwarf32,
        DW_FORM_data8 => format == Format::Dwarf64,
        _ => false,
    };
    let is_constant = name == DW_AT_data_member_location && version > 3;
    fits && !is_constant && pointed_section(name).is_some()
}

/// Whether the block of an attribute is an expression: class `exprloc` of DWARF 4 (§7.5.4, figure
/// 20), whose attributes have blocks in earlier versions.
pub(super) fn is_expression(name: u16, form: u16) -> bool {
    form == DW_FORM_exprloc
        || matches!(
            name,
            DW_AT_location
                | DW_AT_byte_size
                | DW_AT_bit_offset
                | DW_AT_bit_size
                | DW_AT_string_length
                | DW_AT_lower_bound
                | DW_AT_return_addr
                | DW_AT_bit_stride
                | DW_AT_upper_bound
                | DW_AT_count
                | DW_AT_data_member_location
                | DW_AT_frame_base
                | DW_AT_segment
                | DW_AT_static_link
                | DW_AT_use_location
                | DW_AT_vtable_elem_location
                | DW_AT_allocated
                | DW_AT_associated
                | DW_AT_data_location
                | DW_AT_byte_stride
        )
}
