//! Line sections to values: one pass over each unit.

use super::{
    DW_LNE_NVIDIA_ENTRY_ROW, DW_LNE_NVIDIA_INLINED_CALL, DW_LNE_NVIDIA_SET_FUNCTION_NAME, LineFile, LineOp,
    LineTable, MAX_ENTRY_ROW, PlacedSequence, PlacedTable, Sequence,
};
use crate::bytes::Cursor;
use crate::{Error, ErrorKind, Result};
use dwarf2_writer::constants as dw;
use dwarf2_writer::line::Params;
use std::borrow::Cow;

/// Decodes every unit of a line section.
///
/// `section` is the section's name, for errors. The bytes are taken as they stand: relocations apply to the `base_offset` fields.
///
/// # Errors
///
/// Truncated fields, a version other than 2, a header that is inconsistent, opcodes outside a sequence, a sequence left open.
pub fn decode<'d>(section: &'d str, data: &'d [u8]) -> Result<Vec<LineTable<'d>>> {
    units(section, data)
        .map(|unit| {
            let (_, mut table, mut program) = unit?;
            while !program.is_empty() {
                table.sequences.push(decode_sequence(&mut program, table.params, |_| ())?);
            }
            Ok(table)
        })
        .collect()
}

/// The headers of a line section: byte offset of each unit and its table without sequences. What programs hold is not looked at, nor
/// are relocations needed: they are of addresses and names only.
///
/// # Errors
///
/// A header is not that of a DWARF 2 line table, with its byte offset in `section`; none follows then.
pub fn headers<'d>(section: &'d str, data: &'d [u8]) -> impl Iterator<Item = Result<(u64, LineTable<'d>)>> {
    units(section, data).map(|unit| unit.map(|(offset, table, _)| (offset, table)))
}

/// [`decode`]s every unit, and says where everything stands.
///
/// # Errors
///
/// As [`decode`].
pub fn decode_placed<'d>(section: &'d str, data: &'d [u8]) -> Result<Vec<PlacedTable<'d>>> {
    units(section, data)
        .map(|unit| {
            let (offset, mut table, mut program) = unit?;
            let header_size = program.offset() - offset;
            let mut sequences = Vec::new();
            while !program.is_empty() {
                let offset = program.offset();
                let mut op_ends = Vec::new();
                let sequence = decode_sequence(&mut program, table.params, |end| op_ends.push(end))?;
                table.sequences.push(sequence);
                sequences.push(PlacedSequence { offset, size: program.offset() - offset, op_ends });
            }
            Ok(PlacedTable { table, offset, header_size, size: program.offset() - offset, sequences })
        })
        .collect()
}

/// The units of a line section: each with its byte offset, its header, without sequences, and a cursor at its program.
pub(crate) fn units<'d>(
    section: &'d str,
    data: &'d [u8],
) -> impl Iterator<Item = Result<(u64, LineTable<'d>, Cursor<'d>)>> {
    let mut cursor = Cursor::new(section, data);
    let mut failed = false;
    std::iter::from_fn(move || {
        let offset = cursor.offset();
        let unit = (!failed && !cursor.is_empty()).then(|| next_unit(&mut cursor))?;
        failed = unit.is_err();
        Some(unit.map(|(table, program)| (offset, table, program)))
    })
}

fn next_unit<'d>(cursor: &mut Cursor<'d>) -> Result<(LineTable<'d>, Cursor<'d>)> {
    let length = cursor.u32("unit_length")?;
    if length >= 0xffff_fff0 {
        let expected = "a 32-bit DWARF length";
        let kind = ErrorKind::Value { field: "unit_length", found: length.into(), expected };
        return Err(cursor.error_at(cursor.offset() - 4, kind));
    }
    let mut unit = cursor.split(length.into(), "the unit (unit_length goes past the end)")?;
    Ok((decode_header(&mut unit)?, unit))
}

fn decode_header<'d>(cursor: &mut Cursor<'d>) -> Result<LineTable<'d>> {
    let version = cursor.u16("version")?;
    if version != 2 {
        let kind = ErrorKind::Value { field: "version", found: version.into(), expected: "2" };
        return Err(cursor.error_at(cursor.offset() - 2, kind));
    }
    let header_length = cursor.u32("header_length")?;
    let mut header = cursor.split(header_length.into(), "the header (header_length goes past the unit)")?;
    let params = decode_params(&mut header)?;
    let mut directories = Vec::new();
    loop {
        match header.cstr("include_directories")? {
            [] => break,
            directory => directories.push(Cow::Borrowed(directory)),
        }
    }
    let mut files = Vec::new();
    let debug_str_base = loop {
        let name = header.cstr("file_names")?;
        // Other readers take the files to end at a name that is empty. Of ptxas it is a file's if what follows is more than a base.
        match (name, header.remaining()) {
            ([], 0) => break None,
            ([], 4) => break Some(header.u32("the .debug_str base")?),
            ([], found @ 1..4) => {
                let field = "header bytes behind the file table";
                return Err(header.error(ErrorKind::Value { field, found, expected: "0, 4 or a file's" }));
            }
            (name, _) => files.push(LineFile {
                name: Cow::Borrowed(name),
                directory: header.uleb("a file's directory index")?,
                mtime: header.uleb("a file's time")?,
                size: header.uleb("a file's size")?,
            }),
        }
    };
    Ok(LineTable { params, directories, files, debug_str_base, sequences: Vec::new() })
}

/// Operand counts of standard opcodes 1-12, as DWARF 2 (1-9) and DWARF 3 (10-12) fix them.
const OPERAND_COUNTS: [u8; 12] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];

fn decode_params(header: &mut Cursor<'_>) -> Result<Params> {
    let params = Params {
        minimum_instruction_length: header.u8("minimum_instruction_length")?,
        default_is_stmt: header.u8("default_is_stmt")? != 0,
        line_base: header.u8("line_base")? as i8,
        line_range: header.u8("line_range")?,
        opcode_base: header.u8("opcode_base")?,
    };
    if params.line_range == 0 {
        let kind = ErrorKind::Value { field: "line_range", found: 0, expected: "at least 1" };
        return Err(header.error_at(header.offset() - 2, kind));
    }
    let count = params.opcode_base.saturating_sub(1);
    let lengths = header.take(count.into(), "standard_opcode_lengths")?;
    for (index, (&found, &want)) in lengths.iter().zip(&OPERAND_COUNTS).enumerate() {
        if found != want {
            let expected = "the operand count DWARF gives this opcode";
            let kind = ErrorKind::Value { field: "standard_opcode_lengths", found: found.into(), expected };
            return Err(header.error_at(header.offset() - u64::from(count) + index as u64, kind));
        }
    }
    if lengths.len() > OPERAND_COUNTS.len() {
        let kind = ErrorKind::Value {
            field: "opcode_base",
            found: params.opcode_base.into(),
            expected: "at most 13",
        };
        return Err(header.error_at(header.offset() - u64::from(count) - 1, kind));
    }
    Ok(params)
}

/// The address and line registers while a program is run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Registers {
    /// Relative to the sequence's base.
    pub(crate) address: u64,
    pub(crate) line: u32,
}

impl Registers {
    /// As every sequence starts.
    pub(crate) const START: Self = Self { address: 0, line: 1 };
}

/// What one opcode does besides changing [`Registers`].
pub(crate) enum Step<'d> {
    /// `DW_LNS_copy`: a row.
    Copy,
    /// A special opcode: a row, with address and line advanced before.
    Special,
    /// An advance of the address alone.
    Advance,
    /// An advance of the line alone.
    Line,
    /// Another register or the like.
    State(LineOp),
    /// An extended opcode that is not known.
    Extended(u8, &'d [u8]),
    /// `DW_LNE_end_sequence`.
    End,
}

/// Runs one opcode.
#[inline]
pub(crate) fn step<'d>(
    cursor: &mut Cursor<'d>,
    params: Params,
    registers: &mut Registers,
) -> Result<Step<'d>> {
    let unit = u64::from(params.minimum_instruction_length);
    let special_advance = |adjusted: u8| u64::from(adjusted / params.line_range).wrapping_mul(unit);
    let advance = |registers: &mut Registers, by: u64| {
        registers.address = registers.address.wrapping_add(by);
        Step::Advance
    };
    let opcode = cursor.u8("the next opcode (sequence without DW_LNE_end_sequence)")?;
    if opcode >= params.opcode_base {
        let adjusted = opcode - params.opcode_base;
        let line_delta = i32::from(params.line_base) + i32::from(adjusted % params.line_range);
        registers.address = registers.address.wrapping_add(special_advance(adjusted));
        registers.line = registers.line.wrapping_add_signed(line_delta);
        return Ok(Step::Special);
    }
    Ok(match opcode {
        0 => extended(cursor)?,
        dw::DW_LNS_copy => Step::Copy,
        // ptxas writes SLEB128, 0x50 as `d0 00` (FORMATS 1.4); of numbers that are not negative it is ULEB128 too.
        dw::DW_LNS_advance_pc => {
            let by = cursor.uleb("DW_LNS_advance_pc")?;
            advance(registers, by.wrapping_mul(unit))
        }
        dw::DW_LNS_advance_line => {
            let by = cursor.sleb("DW_LNS_advance_line")?;
            registers.line = registers.line.wrapping_add(by as u32);
            Step::Line
        }
        dw::DW_LNS_set_file => Step::State(LineOp::SetFile(cursor.uleb("DW_LNS_set_file")?)),
        dw::DW_LNS_set_column => Step::State(LineOp::SetColumn(cursor.uleb("DW_LNS_set_column")?)),
        dw::DW_LNS_negate_stmt => Step::State(LineOp::NegateStmt),
        dw::DW_LNS_set_basic_block => Step::State(LineOp::SetBasicBlock),
        dw::DW_LNS_const_add_pc => advance(registers, special_advance(255 - params.opcode_base)),
        dw::DW_LNS_fixed_advance_pc => {
            let by = cursor.u16("DW_LNS_fixed_advance_pc")?;
            advance(registers, by.into())
        }
        dw::DW_LNS_set_prologue_end => Step::State(LineOp::SetPrologueEnd),
        dw::DW_LNS_set_epilogue_begin => Step::State(LineOp::SetEpilogueBegin),
        dw::DW_LNS_set_isa => Step::State(LineOp::SetIsa(cursor.uleb("DW_LNS_set_isa")?)),
        _ => {
            let kind = ErrorKind::Value {
                field: "opcode",
                found: opcode.into(),
                expected: "a DWARF 2 or DWARF 3 line opcode",
            };
            return Err(cursor.error_at(cursor.offset() - 1, kind));
        }
    })
}

/// Decodes the sequence at `cursor`. `ends` is told the offset behind each of its [`LineOp`]s.
pub(crate) fn decode_sequence(
    cursor: &mut Cursor<'_>,
    params: Params,
    mut ends: impl FnMut(u64),
) -> Result<Sequence> {
    let (base, base_offset) = set_address(cursor)?;
    let mut registers = Registers::START;
    let mut ops = Vec::new();
    // An advance has been read. It belongs to the row or sequence end only if that comes next; else it stands alone.
    let mut advanced = false;
    loop {
        let (before, start) = (registers.address, cursor.offset());
        let step = step(cursor, params, &mut registers)?;
        let was_advanced = std::mem::replace(&mut advanced, matches!(step, Step::Advance));
        if was_advanced && !matches!(step, Step::Copy | Step::End) {
            ops.push(LineOp::Advance(before));
            ends(start);
        }
        ops.push(match step {
            Step::Copy | Step::Special => LineOp::Row { address: registers.address, line: registers.line },
            Step::Advance | Step::Line => continue,
            Step::State(op) => op,
            Step::Extended(opcode, operands) => LineOp::Extended { opcode, operands: operands.to_vec() },
            Step::End => return Ok(Sequence { base, base_offset, ops, end: registers.address }),
        });
        ends(cursor.offset());
    }
}

/// The start of a sequence: operand of its `DW_LNE_set_address`, and that one's offset in the section.
pub(crate) fn set_address(cursor: &mut Cursor<'_>) -> Result<(u64, u64)> {
    let start = cursor.offset();
    let intro = cursor.take(3, "DW_LNE_set_address")?;
    if intro != [0, 9, 2] {
        let found = intro.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
        let kind = ErrorKind::Value {
            field: "start of a sequence",
            found,
            expected: "0x000902, DW_LNE_set_address of 8 bytes",
        };
        return Err(cursor.error_at(start, kind));
    }
    let base_offset = cursor.offset();
    Ok((cursor.u64("DW_LNE_set_address")?, base_offset))
}

/// Decodes one extended opcode.
fn extended<'d>(cursor: &mut Cursor<'d>) -> Result<Step<'d>> {
    let length = cursor.uleb("the length of an extended opcode")?;
    let mut op = cursor.split(length, "an extended opcode")?;
    let opcode = op.u8("an extended opcode")?;
    let known = match opcode {
        dw::DW_LNE_end_sequence => return Ok(Step::End),
        DW_LNE_NVIDIA_INLINED_CALL => {
            let context = op.uleb("the context of an inlined call")?;
            let name = op.uleb("the name of an inlined call")?;
            LineOp::InlinedCall { context, name }
        }
        DW_LNE_NVIDIA_SET_FUNCTION_NAME => LineOp::SetFunctionName(op.uleb("a function name offset")?),
        DW_LNE_NVIDIA_ENTRY_ROW => {
            let operands = op.rest();
            match op.u8("the entry row flag")? {
                flag @ ..=MAX_ENTRY_ROW => LineOp::EntryRow(flag),
                _ if op.is_empty() => return Ok(Step::Extended(opcode, operands)),
                _ => return Err(surplus(&op, length)),
            }
        }
        dw::DW_LNE_set_address => {
            let expected = "one DW_LNE_set_address for each sequence";
            return Err(op.error(ErrorKind::Value { field: "extended opcode", found: 2, expected }));
        }
        _ => return Ok(Step::Extended(opcode, op.rest())),
    };
    if op.is_empty() { Ok(Step::State(known)) } else { Err(surplus(&op, length)) }
}

fn surplus(op: &Cursor<'_>, length: u64) -> Error {
    let expected = "the opcode's operands and nothing else";
    op.error(ErrorKind::Value { field: "extended opcode length", found: length, expected })
}
