//! `.debug_line`: headers, and programs instruction by instruction (DWARF 2.0.0 §6.2; versions 3
//! and 4 too), with addresses of 8 bytes. Running a program is left to the caller, who knows the
//! vendor's opcodes.
//!
//! ```
//! use dwarf2_reader::line::{Instruction, file, instruction, units};
//!
//! // A unit with one file, `k.cu`, and a program without rows.
//! let section = *b"\x29\0\0\0\x02\0\x18\0\0\0\x01\x01\xfb\x0e\x0a\0\x01\x01\x01\x01\0\0\0\x01\
//!     \0k.cu\0\0\0\0\0\0\x09\x02\0\0\0\0\0\0\0\0";
//! let (span, unit) = units(&section).next().unwrap()?;
//! assert_eq!((span, unit.params.version, unit.params.line_base), (0..45, 2, -5));
//! let mut tables = unit.tables.clone();
//! assert_eq!(tables.string("include_directories")?, b"");
//! assert_eq!(file(&mut tables)?.map(|file| file.name), Some(&b"k.cu"[..]));
//! assert_eq!(file(&mut tables)?, None);
//! let mut program = unit.program.clone();
//! assert_eq!(instruction(&mut program, unit.params.opcode_base)?, Instruction::SetAddress(0));
//! # Ok::<(), dwarf2_reader::Error>(())
//! ```
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

use alloc::vec::Vec;

pub use dwarf2_writer::line::{FileEntry, Params};

#[allow(clippy::wildcard_imports, reason = "all of DW_LNS_* and DW_LNE_*")]
use crate::constants::*;
use crate::{Cursor, ErrorKind, Format, Result, Span, cursor};

/// The name of the section, `.debug_line`.
pub const SECTION: &str = ".debug_line";

/// A unit of `.debug_line`: its header fields, its tables and its line program.
#[derive(Debug, Clone)]
pub struct Unit<'d> {
    /// The DWARF format of the unit, 32-bit or 64-bit, which is the width of its length fields.
    pub format: Format,
    /// The DWARF version, 2 to 4, and the header fields that decode the opcodes, such as
    /// `line_base`.
    pub params: Params,
    /// The header field of this name, which DWARF 4 added for VLIW machines; 1 in earlier versions.
    pub maximum_operations_per_instruction: u8,
    /// The header array of this name: the number of LEB128 operands of each opcode from 1 to
    /// `opcode_base` - 1.
    pub standard_opcode_lengths: &'d [u8],
    /// A cursor over the directory and file tables, up to the end of the header.
    pub tables: Cursor<'d>,
    /// A cursor over the line program, up to the end of the unit.
    pub program: Cursor<'d>,
}

/// Iterates over the units of `.debug_line`, each with its byte range. An error is the last item.
pub fn units(section: &[u8]) -> impl Iterator<Item = Result<(Span, Unit<'_>)>> {
    cursor::items(Ok(Cursor::new(SECTION, section)), unit)
}

/// The unit at the cursor.
fn unit<'d>(section: &mut Cursor<'d>) -> Result<Unit<'d>> {
    let (length, format) = section.unit_length()?;
    let mut program = section.split(length, "the unit (unit_length goes past the end)")?;
    let at = program.offset();
    let version = program.u16("version")?;
    if !(2..=4).contains(&version) {
        let kind = ErrorKind::Value { field: "version", found: version.into(), expected: "2 to 4" };
        return Err(program.error_at(at, kind));
    }
    let length = program.section_offset(format, "header_length")?;
    let mut tables = program.split(length, "the header (header_length goes past the unit)")?;
    let minimum_instruction_length = tables.u8("minimum_instruction_length")?;
    let maximum_operations_per_instruction = match version {
        4 => tables.u8("maximum_operations_per_instruction")?,
        _ => 1,
    };
    let default_is_stmt = tables.u8("default_is_stmt")? != 0;
    let line_base = tables.u8("line_base")?.cast_signed();
    let at = tables.offset();
    let line_range = tables.u8("line_range")?;
    if line_range == 0 {
        let kind = ErrorKind::Value { field: "line_range", found: 0, expected: "at least 1" };
        return Err(tables.error_at(at, kind));
    }
    let opcode_base = tables.u8("opcode_base")?;
    let lengths = tables.take(opcode_base.saturating_sub(1).into(), "standard_opcode_lengths")?;
    Ok(Unit {
        format,
        params: Params {
            version,
            minimum_instruction_length,
            default_is_stmt,
            line_base,
            line_range,
            opcode_base,
        },
        maximum_operations_per_instruction,
        standard_opcode_lengths: lengths,
        tables,
        program,
    })
}

/// Reads the directory table at the cursor of [`Unit::tables`], and moves the cursor after it. The
/// first directory is number 1.
///
/// # Errors
///
/// The header ends before the table does.
pub fn directories<'d>(tables: &mut Cursor<'d>) -> Result<Vec<&'d [u8]>> {
    let mut directories = Vec::new();
    loop {
        match tables.string("include_directories")? {
            [] => return Ok(directories),
            directory => directories.push(directory),
        }
    }
}

/// Reads the next entry of a line unit's file table, or the operands of `DW_LNE_define_file`;
/// `None` at the empty name that ends the file table.
///
/// # Errors
///
/// The header ends in it.
pub fn file<'d>(tables: &mut Cursor<'d>) -> Result<Option<FileEntry<'d>>> {
    match tables.string("file_names")? {
        [] => Ok(None),
        name => file_named(tables, name).map(Some),
    }
}

/// Reads the fields of a file table entry that follow its name: directory, time and size. The
/// caller has read the name.
///
/// # Errors
///
/// The header ends in it.
pub fn file_named<'d>(tables: &mut Cursor<'d>, name: &'d [u8]) -> Result<FileEntry<'d>> {
    Ok(FileEntry {
        name,
        directory: tables.uleb("a file's directory index")?,
        mtime: tables.uleb("a file's time")?,
        size: tables.uleb("a file's size")?,
    })
}

/// One instruction of a line program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "operands are named as in DWARF 2.0.0 §6.2.5")]
pub enum Instruction<'d> {
    /// A special opcode, given as the opcode less `opcode_base`: advances address and line, and
    /// makes a row.
    Special(u8),
    /// `DW_LNS_copy`: makes a row.
    Copy,
    /// `DW_LNS_advance_pc`: advances the address, in units of `minimum_instruction_length`.
    AdvancePc(u64),
    /// `DW_LNS_advance_line`: adds a signed number to the line.
    AdvanceLine(i64),
    /// `DW_LNS_set_file`: sets the file, by its 1-based number in the file table.
    SetFile(u64),
    /// `DW_LNS_set_column`: sets the column.
    SetColumn(u64),
    /// `DW_LNS_negate_stmt`: inverts the register `is_stmt`.
    NegateStmt,
    /// `DW_LNS_set_basic_block`: marks the start of a basic block.
    SetBasicBlock,
    /// `DW_LNS_const_add_pc`: advances the address by as much as special opcode 255 does.
    ConstAddPc,
    /// `DW_LNS_fixed_advance_pc`: advances the address by a number of bytes.
    FixedAdvancePc(u16),
    /// `DW_LNS_set_prologue_end` (DWARF 3).
    SetPrologueEnd,
    /// `DW_LNS_set_epilogue_begin` (DWARF 3).
    SetEpilogueBegin,
    /// `DW_LNS_set_isa` (DWARF 3).
    SetIsa(u64),
    /// `DW_LNE_end_sequence`: ends the sequence of rows.
    EndSequence,
    /// `DW_LNE_set_address`: sets the address, which has 8 bytes and ends where the instruction
    /// ends.
    SetAddress(u64),
    /// Any other extended opcode, `DW_LNE_define_file` or a vendor's, with a cursor at its
    /// operands.
    Extended { opcode: u8, operands: Cursor<'d> },
}

/// Reads the instruction at the cursor of [`Unit::program`], and moves the cursor after it.
///
/// # Errors
///
/// The program ends in it, or it is a standard opcode that DWARF 4 does not have.
#[inline]
pub fn instruction<'d>(program: &mut Cursor<'d>, opcode_base: u8) -> Result<Instruction<'d>> {
    let start = program.offset();
    let opcode = program.u8("the next opcode (sequence without DW_LNE_end_sequence)")?;
    if let Some(adjusted) = opcode.checked_sub(opcode_base) {
        return Ok(Instruction::Special(adjusted));
    }
    Ok(match opcode {
        0 => extended(program)?,
        DW_LNS_copy => Instruction::Copy,
        // ptxas writes SLEB128, 0x50 as `d0 00`; of numbers that are not negative it is ULEB128
        // too.
        DW_LNS_advance_pc => Instruction::AdvancePc(program.uleb("DW_LNS_advance_pc")?),
        DW_LNS_advance_line => Instruction::AdvanceLine(program.sleb("DW_LNS_advance_line")?),
        DW_LNS_set_file => Instruction::SetFile(program.uleb("DW_LNS_set_file")?),
        DW_LNS_set_column => Instruction::SetColumn(program.uleb("DW_LNS_set_column")?),
        DW_LNS_negate_stmt => Instruction::NegateStmt,
        DW_LNS_set_basic_block => Instruction::SetBasicBlock,
        DW_LNS_const_add_pc => Instruction::ConstAddPc,
        DW_LNS_fixed_advance_pc => Instruction::FixedAdvancePc(program.u16("DW_LNS_fixed_advance_pc")?),
        DW_LNS_set_prologue_end => Instruction::SetPrologueEnd,
        DW_LNS_set_epilogue_begin => Instruction::SetEpilogueBegin,
        DW_LNS_set_isa => Instruction::SetIsa(program.uleb("DW_LNS_set_isa")?),
        found => {
            let expected = "a line opcode of DWARF 2 to 4";
            let kind = ErrorKind::Value { field: "opcode", found: found.into(), expected };
            return Err(program.error_at(start, kind));
        }
    })
}

/// Reads the extended opcode at the cursor, after the 0 that begins it.
fn extended<'d>(program: &mut Cursor<'d>) -> Result<Instruction<'d>> {
    let length = program.uleb("the length of an extended opcode")?;
    let mut operands = program.split(length, "an extended opcode")?;
    match operands.u8("an extended opcode")? {
        DW_LNE_end_sequence => Ok(Instruction::EndSequence),
        DW_LNE_set_address => match operands.rest().len() {
            8 => Ok(Instruction::SetAddress(operands.number(8, "DW_LNE_set_address")?)),
            found => {
                let kind = ErrorKind::Value { field: "address size", found: found as u64, expected: "8" };
                Err(operands.error(kind))
            }
        },
        opcode => Ok(Instruction::Extended { opcode, operands }),
    }
}
