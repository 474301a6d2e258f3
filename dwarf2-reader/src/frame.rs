//! `.debug_frame`: the rules for finding a caller's frame (DWARF 2.0.0 §6.4 and §7.23; versions 3
//! and 4 too), with addresses of 8 bytes.
//!
//! ```
//! use dwarf2_reader::frame::{Entry, Instruction, entries, instructions};
//!
//! // A CIE with the rule CFA = register 7 + 8, and no FDE.
//! let section = [13, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 1, 0x78, 16, 0x0c, 7, 8, 0];
//! let (span, Entry::Cie(cie)) = entries(&section).next().unwrap()? else { panic!() };
//! assert_eq!((span, cie.version, cie.data_alignment_factor), (0..17, 3, -8));
//! let all: Vec<_> = instructions(&section, cie.instructions).collect::<Result<_, _>>()?;
//! assert_eq!(all[0], (13..16, Instruction::DefCfa { register: 7, offset: 8 }));
//! assert_eq!(all[1], (16..17, Instruction::Nop));
//! # Ok::<(), dwarf2_reader::Error>(())
//! ```
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

use dwarf2_writer::frame::CallFrameInstruction;

#[allow(clippy::wildcard_imports, reason = "all of DW_CFA_*")]
use crate::constants::*;
use crate::{Cursor, Error, ErrorKind, Format, Result, Span, cursor};

/// The name of the section, `.debug_frame`.
pub const SECTION: &str = ".debug_frame";

/// A call frame instruction of `.debug_frame`, with addresses before relocation and expressions as
/// undecoded bytes.
pub type Instruction<'d> = CallFrameInstruction<u64, &'d [u8]>;

/// One entry of `.debug_frame`, a CIE or an FDE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry<'d> {
    /// A CIE: the call frame rules with which its FDEs start.
    Cie(Cie<'d>),
    /// An FDE: the call frame rules of one function.
    Fde(Fde),
}

/// A common information entry (CIE) of `.debug_frame`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cie<'d> {
    /// The DWARF format of the CIE, 32-bit or 64-bit, which is the width of its length field.
    pub format: Format,
    /// Version of the CIE: 1 in DWARF 2, 3 in DWARF 3, 4 in DWARF 4.
    pub version: u8,
    /// The augmentation string, without its NUL.
    pub augmentation: &'d [u8],
    /// The factor that address advances in the instructions are multiplied by, in bytes.
    pub code_alignment_factor: u64,
    /// The factor that offsets of saved registers are multiplied by, in bytes.
    pub data_alignment_factor: i64,
    /// The number of the register column that holds the return address.
    pub return_address_register: u64,
    /// The byte range in `.debug_frame` of the CIE's instructions, padding included.
    pub instructions: Span,
}

/// A frame description entry (FDE) of `.debug_frame`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fde {
    /// The DWARF format of the FDE, 32-bit or 64-bit, which is the width of its length field and
    /// CIE pointer.
    pub format: Format,
    /// Byte offset in `.debug_frame` of the CIE that the FDE refers to.
    pub cie: u64,
    /// The byte range in `.debug_frame` of the field `CIE_pointer` of the FDE.
    pub cie_field: Span,
    /// First address of the function, without the relocation applied.
    pub initial_location: u64,
    /// The byte offset in `.debug_frame` of the field `initial_location`. The field `address_range`
    /// follows it.
    pub location_field: u64,
    /// The size of the function's code in bytes.
    pub address_range: u64,
    /// The byte range in `.debug_frame` of the FDE's instructions, padding included.
    pub instructions: Span,
}

/// Iterates over the CIEs and FDEs of `.debug_frame`, each with its byte range. An error is the
/// last item.
pub fn entries(section: &[u8]) -> impl Iterator<Item = Result<(Span, Entry<'_>)>> {
    cursor::items(Ok(Cursor::new(SECTION, section)), entry)
}

fn entry<'d>(section: &mut Cursor<'d>) -> Result<Entry<'d>> {
    let (length, format) = section.unit_length()?;
    let mut cursor = section.split(length, "an entry (its length goes past the end)")?;
    let start = cursor.offset();
    let pointer = cursor.section_offset(format, "CIE_pointer")?;
    let end = section.offset();
    if pointer == cie_id(format) {
        return Ok(Entry::Cie(cie(format, &mut cursor, end)?));
    }
    let cie_field = start..cursor.offset();
    let location_field = cursor.offset();
    let initial_location = cursor.number(8, "initial_location")?;
    let address_range = cursor.number(8, "address_range")?;
    let instructions = cursor.offset()..end;
    let cie = pointer;
    Ok(Entry::Fde(Fde {
        format,
        cie,
        cie_field,
        initial_location,
        location_field,
        address_range,
        instructions,
    }))
}

/// The value that a CIE has in place of a pointer.
const fn cie_id(format: Format) -> u64 {
    match format {
        Format::Dwarf32 => u32::MAX as u64,
        Format::Dwarf64 => u64::MAX,
    }
}

fn cie<'d>(format: Format, cursor: &mut Cursor<'d>, end: u64) -> Result<Cie<'d>> {
    let at = cursor.offset();
    let version = cursor.u8("version")?;
    if !matches!(version, 1 | 3 | 4) {
        let kind = ErrorKind::Value { field: "CIE version", found: version.into(), expected: "1, 3 or 4" };
        return Err(cursor.error_at(at, kind));
    }
    let augmentation = cursor.string("augmentation")?;
    if version == 4 {
        for (field, expected, word) in [("address_size", 8, "8"), ("segment_size", 0, "0, no segments")] {
            let at = cursor.offset();
            let found = cursor.u8(field)?.into();
            if found != expected {
                return Err(cursor.error_at(at, ErrorKind::Value { field, found, expected: word }));
            }
        }
    }
    Ok(Cie {
        format,
        version,
        augmentation,
        code_alignment_factor: cursor.uleb("code_alignment_factor")?,
        data_alignment_factor: cursor.sleb("data_alignment_factor")?,
        return_address_register: match version {
            1 => cursor.u8("return_address_register")?.into(),
            _ => cursor.uleb("return_address_register")?,
        },
        instructions: cursor.offset()..end,
    })
}

/// Iterates over the call frame instructions in the byte range `span` of `.debug_frame`, padding
/// included, each with its own byte range. An error is the last item.
pub fn instructions(section: &[u8], span: Span) -> impl Iterator<Item = Result<(Span, Instruction<'_>)>> {
    instructions_with(section, span, |_, address| Ok(address), |_, operations| Ok(operations))
}

/// Iterates over call frame instructions as [`instructions`] does, and converts the operands that
/// may be relocated: `address` converts an address and `expression` the operations of an
/// expression, each given with its byte range.
pub fn instructions_with<'d, A, E, X: From<Error>>(
    section: &'d [u8],
    span: Span,
    address: impl Fn(Span, u64) -> Result<A, X>,
    expression: impl Fn(Span, &'d [u8]) -> Result<E, X>,
) -> impl Iterator<Item = Result<(Span, CallFrameInstruction<A, E>), X>> {
    let section = usize::try_from(span.end).ok().and_then(|end| section.get(..end)).unwrap_or(section);
    let mut next = Some(Cursor::at(SECTION, section, span.start, "an instruction"));
    core::iter::from_fn(move || {
        let mut cursor = match next.take()? {
            Ok(cursor) if cursor.is_empty() => return None,
            Ok(cursor) => cursor,
            Err(error) => return Some(Err(error.into())),
        };
        let start = cursor.offset();
        let read = instruction(&mut cursor, &address, &expression);
        let span = start..cursor.offset();
        next = read.is_ok().then_some(Ok(cursor));
        Some(read.map(|read| (span, read)))
    })
}

/// The instruction at the cursor (DWARF 3 §7.23, figure 40).
fn instruction<'d, A, E, X: From<Error>>(
    cursor: &mut Cursor<'d>,
    address: &impl Fn(Span, u64) -> Result<A, X>,
    expression: &impl Fn(Span, &'d [u8]) -> Result<E, X>,
) -> Result<CallFrameInstruction<A, E>, X> {
    use CallFrameInstruction as Cfi;
    let start = cursor.offset();
    let opcode = cursor.u8("a call frame instruction")?;
    let what = "an operand of a call frame instruction";
    let low = opcode & 0x3f;
    let uleb = |cursor: &mut Cursor<'d>| cursor.uleb(what);
    match opcode & 0xc0 {
        DW_CFA_advance_loc => return Ok(Cfi::AdvanceLoc(low)),
        DW_CFA_offset => return Ok(Cfi::Offset { register: low, factored_offset: uleb(cursor)? }),
        DW_CFA_restore => return Ok(Cfi::Restore { register: low }),
        _ => {}
    }
    let block = |cursor: &mut Cursor<'d>| {
        let length = cursor.uleb(what)?;
        let at = cursor.offset();
        let operations = cursor.take(length, "an expression")?;
        expression(at..cursor.offset(), operations)
    };
    Ok(match opcode {
        DW_CFA_nop => Cfi::Nop,
        DW_CFA_set_loc => {
            let at = cursor.offset();
            let number = cursor.number(8, what)?;
            Cfi::SetLoc(address(at..cursor.offset(), number)?)
        }
        DW_CFA_advance_loc1 => Cfi::AdvanceLoc1(cursor.u8(what)?),
        DW_CFA_advance_loc2 => Cfi::AdvanceLoc2(cursor.u16(what)?),
        DW_CFA_advance_loc4 => Cfi::AdvanceLoc4(cursor.u32(what)?),
        DW_CFA_offset_extended => {
            Cfi::OffsetExtended { register: uleb(cursor)?, factored_offset: uleb(cursor)? }
        }
        DW_CFA_restore_extended => Cfi::RestoreExtended { register: uleb(cursor)? },
        DW_CFA_undefined => Cfi::Undefined { register: uleb(cursor)? },
        DW_CFA_same_value => Cfi::SameValue { register: uleb(cursor)? },
        DW_CFA_register => Cfi::Register { register: uleb(cursor)?, source: uleb(cursor)? },
        DW_CFA_remember_state => Cfi::RememberState,
        DW_CFA_restore_state => Cfi::RestoreState,
        DW_CFA_def_cfa => Cfi::DefCfa { register: uleb(cursor)?, offset: uleb(cursor)? },
        DW_CFA_def_cfa_register => Cfi::DefCfaRegister { register: uleb(cursor)? },
        DW_CFA_def_cfa_offset => Cfi::DefCfaOffset(uleb(cursor)?),
        DW_CFA_def_cfa_expression => Cfi::DefCfaExpression(block(cursor)?),
        DW_CFA_expression => Cfi::Expression { register: uleb(cursor)?, expression: block(cursor)? },
        DW_CFA_val_expression => Cfi::ValExpression { register: uleb(cursor)?, expression: block(cursor)? },
        DW_CFA_offset_extended_sf => {
            Cfi::OffsetExtendedSf { register: uleb(cursor)?, factored_offset: cursor.sleb(what)? }
        }
        DW_CFA_def_cfa_sf => Cfi::DefCfaSf { register: uleb(cursor)?, factored_offset: cursor.sleb(what)? },
        DW_CFA_def_cfa_offset_sf => Cfi::DefCfaOffsetSf(cursor.sleb(what)?),
        DW_CFA_val_offset => Cfi::ValOffset { register: uleb(cursor)?, factored_offset: uleb(cursor)? },
        DW_CFA_val_offset_sf => {
            Cfi::ValOffsetSf { register: uleb(cursor)?, factored_offset: cursor.sleb(what)? }
        }
        _ => {
            let expected = "a DWARF 3 call frame instruction";
            let kind = ErrorKind::Value { field: "opcode", found: opcode.into(), expected };
            return Err(cursor.error_at(start, kind).into());
        }
    })
}
