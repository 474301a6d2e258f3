//! Line sections to values: one pass over each unit.

use super::program::Steps;
use super::{
    DW_LNE_NVIDIA_ENTRY_ROW, DW_LNE_NVIDIA_INLINED_CALL, DW_LNE_NVIDIA_SET_FUNCTION_NAME, LineFile, LineOp,
    LineTable, MAX_ENTRY_ROW, PlacedSequence, PlacedTable, Sequence,
};
use crate::{Error, ErrorKind, Result};
use dwarf2_reader::constants as dw;
use dwarf2_reader::line::{self as dwarf2, FileEntry, Instruction, Params};
use dwarf2_reader::{Cursor, Format};
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
                let sequence = decode_sequence(&mut program, table.params, |_| ());
                table.sequences.push(sequence.map_err(|error| in_section(section, error))?);
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
                let sequence = decode_sequence(&mut program, table.params, |end| op_ends.push(end));
                table.sequences.push(sequence.map_err(|error| in_section(section, error))?);
                sequences.push(PlacedSequence { offset, size: program.offset() - offset, op_ends });
            }
            Ok(PlacedTable { table, offset, header_size, size: program.offset() - offset, sequences })
        })
        .collect()
}

/// The units of a line section: each with its byte offset, its header, without sequences, and a cursor at its program.
pub(super) fn units<'d>(
    section: &'d str,
    data: &'d [u8],
) -> impl Iterator<Item = Result<(u64, LineTable<'d>, Cursor<'d>)>> {
    dwarf2::units(data).map(move |unit| {
        let (span, unit) = unit.map_err(|error| match error.kind {
            // The reader knows versions that no cubin has.
            dwarf2_reader::ErrorKind::Value { field: "version", found, .. } => {
                let kind = ErrorKind::Value { field: "version", found, expected: "2" };
                Error::new(section, error.offset, kind)
            }
            _ => in_section(section, error),
        })?;
        let table = header(&unit, span.start).map_err(|error| error.moved(section, 0))?;
        Ok((span.start, table, unit.program))
    })
}

/// The error of a reader that has one name for all line sections.
pub(super) fn in_section(section: &str, error: dwarf2_reader::Error) -> Error {
    Error::from(error).moved(section, 0)
}

/// Operand counts of standard opcodes 1-12, as DWARF 2 (1-9) and DWARF 3 (10-12) fix them.
const OPERAND_COUNTS: [u8; 12] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];

fn header<'d>(unit: &dwarf2::Unit<'d>, start: u64) -> Result<LineTable<'d>> {
    let mut tables = unit.tables.clone();
    let fault = |offset, field, found, expected| {
        Error::new(dwarf2::SECTION, offset, ErrorKind::Value { field, found, expected })
    };
    if unit.format != Format::Dwarf32 {
        return Err(fault(start, "unit_length", u32::MAX.into(), "a 32-bit DWARF length"));
    }
    if unit.version != 2 {
        return Err(fault(start + 4, "version", unit.version.into(), "2"));
    }
    let lengths = unit.standard_opcode_lengths;
    let first = tables.offset() - lengths.len() as u64;
    let odd = (first..).zip(lengths.iter().zip(&OPERAND_COUNTS)).find(|(_, (found, want))| found != want);
    if let Some((offset, (found, _))) = odd {
        let expected = "the operand count DWARF gives this opcode";
        return Err(fault(offset, "standard_opcode_lengths", (*found).into(), expected));
    }
    if lengths.len() > OPERAND_COUNTS.len() {
        return Err(fault(first - 1, "opcode_base", unit.params.opcode_base.into(), "at most 13"));
    }
    let directories = dwarf2::directories(&mut tables)?.into_iter().map(Cow::Borrowed).collect();
    let mut files = Vec::new();
    let debug_str_base = loop {
        // Other readers take the files to end at a name that is empty. Of ptxas it is a file's if what follows is more than a base.
        let file = match (dwarf2::file(&mut tables)?, tables.rest().len()) {
            (Some(file), _) => file,
            (None, 0) => break None,
            (None, 4) => break Some(tables.u32("the .debug_str base")?),
            (None, found @ 1..4) => {
                let field = "header bytes behind the file table";
                return Err(fault(tables.offset(), field, found as u64, "0, 4 or a file's"));
            }
            (None, _) => dwarf2::file_named(&mut tables, &[])?,
        };
        let FileEntry { name, directory, mtime, size } = file;
        files.push(LineFile { name: Cow::Borrowed(name), directory, mtime, size });
    };
    Ok(LineTable { params: unit.params, directories, files, debug_str_base, sequences: Vec::new() })
}

/// The address and line registers while a line program is run (DWARF 2.0.0 §6.2.2).
#[derive(Debug, Clone, Copy)]
pub struct Registers {
    /// Byte offset from the address at which the sequence starts.
    pub address: u64,
    /// 1-based line of the source.
    pub line: u32,
}

impl Registers {
    /// As every sequence starts.
    pub const START: Self = Self { address: 0, line: 1 };
}

/// What one opcode of a line program does besides changing [`Registers`].
#[derive(Debug)]
pub enum Step<'d> {
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

/// Runs the opcode at the cursor, which stands in a line program whose header has these numbers.
///
/// # Errors
///
/// The opcode or an operand is cut short, is one that [`LineOp`] cannot say, or is a second `DW_LNE_set_address`.
#[inline]
pub fn step<'d>(
    cursor: &mut Cursor<'d>,
    params: Params,
    registers: &mut Registers,
) -> dwarf2_reader::Result<Step<'d>> {
    let unit = u64::from(params.minimum_instruction_length);
    let special_advance = |adjusted: u8| u64::from(adjusted / params.line_range).wrapping_mul(unit);
    let mut advance = |by: u64| {
        registers.address = registers.address.wrapping_add(by);
        Step::Advance
    };
    Ok(match dwarf2::instruction(cursor, params.opcode_base)? {
        Instruction::Special(adjusted) => {
            advance(special_advance(adjusted));
            let delta = i32::from(params.line_base) + i32::from(adjusted % params.line_range);
            registers.line = registers.line.wrapping_add_signed(delta);
            Step::Special
        }
        Instruction::Copy => Step::Copy,
        Instruction::AdvancePc(by) => advance(by.wrapping_mul(unit)),
        Instruction::ConstAddPc => advance(special_advance(255 - params.opcode_base)),
        Instruction::FixedAdvancePc(by) => advance(by.into()),
        Instruction::AdvanceLine(by) => {
            registers.line = registers.line.wrapping_add(by as u32);
            Step::Line
        }
        Instruction::SetFile(file) => Step::State(LineOp::SetFile(file)),
        Instruction::SetColumn(column) => Step::State(LineOp::SetColumn(column)),
        Instruction::NegateStmt => Step::State(LineOp::NegateStmt),
        Instruction::SetBasicBlock => Step::State(LineOp::SetBasicBlock),
        Instruction::SetPrologueEnd => Step::State(LineOp::SetPrologueEnd),
        Instruction::SetEpilogueBegin => Step::State(LineOp::SetEpilogueBegin),
        Instruction::SetIsa(isa) => Step::State(LineOp::SetIsa(isa)),
        Instruction::EndSequence => Step::End,
        Instruction::SetAddress(_) => {
            let expected = "one DW_LNE_set_address for each sequence";
            let kind = dwarf2_reader::ErrorKind::Value { field: "extended opcode", found: 2, expected };
            return Err(cursor.error_at(cursor.offset() - 8, kind));
        }
        Instruction::Extended { opcode, operands } => vendor(opcode, operands)?,
    })
}

/// Decodes the sequence at a cursor, which goes on after it. `ends` is told the byte offset after each of its [`LineOp`]s.
///
/// # Errors
///
/// As [`decode`], of programs.
pub fn decode_sequence(
    cursor: &mut Cursor<'_>,
    params: Params,
    mut ends: impl FnMut(u64),
) -> dwarf2_reader::Result<Sequence> {
    let (base, base_offset) = set_address(cursor)?;
    let mut steps = Steps::new(cursor.clone(), params);
    let mut ops = Vec::new();
    while let Some((op, end)) = steps.step()? {
        ops.push(op);
        ends(end);
    }
    *cursor = steps.cursor;
    Ok(Sequence { base, base_offset, ops, end: steps.registers.address })
}

/// Reads the start of a sequence: the operand of its `DW_LNE_set_address`, and that operand's byte offset in the section.
///
/// # Errors
///
/// Another opcode stands there, or it is cut short.
pub fn set_address(cursor: &mut Cursor<'_>) -> dwarf2_reader::Result<(u64, u64)> {
    let start = cursor.offset();
    let intro = cursor.take(3, "DW_LNE_set_address")?;
    if intro != [0, 9, dw::DW_LNE_set_address] {
        let found = intro.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
        let expected = "0x000902, DW_LNE_set_address of 8 bytes";
        let kind = dwarf2_reader::ErrorKind::Value { field: "start of a sequence", found, expected };
        return Err(cursor.error_at(start, kind));
    }
    let base_offset = cursor.offset();
    Ok((cursor.number(8, "DW_LNE_set_address")?, base_offset))
}

/// An extended opcode of NVIDIA's, or one that is not known.
fn vendor(opcode: u8, mut operands: Cursor<'_>) -> dwarf2_reader::Result<Step<'_>> {
    let all = operands.rest();
    let known = match opcode {
        DW_LNE_NVIDIA_INLINED_CALL => {
            let context = operands.uleb("the context of an inlined call")?;
            let name = operands.uleb("the name of an inlined call")?;
            LineOp::InlinedCall { context, name }
        }
        DW_LNE_NVIDIA_SET_FUNCTION_NAME => LineOp::SetFunctionName(operands.uleb("a function name offset")?),
        DW_LNE_NVIDIA_ENTRY_ROW => match operands.u8("the entry row flag")? {
            flag @ ..=MAX_ENTRY_ROW => LineOp::EntryRow(flag),
            _ if operands.is_empty() => return Ok(Step::Extended(opcode, all)),
            _ => return Err(surplus(&operands, all)),
        },
        _ => return Ok(Step::Extended(opcode, all)),
    };
    if operands.is_empty() { Ok(Step::State(known)) } else { Err(surplus(&operands, all)) }
}

fn surplus(operands: &Cursor<'_>, all: &[u8]) -> dwarf2_reader::Error {
    let (field, found) = ("extended opcode length", all.len() as u64 + 1);
    let expected = "the opcode's operands and nothing else";
    operands.error(dwarf2_reader::ErrorKind::Value { field, found, expected })
}
