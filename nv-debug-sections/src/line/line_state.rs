//! Execution of a single opcode of a line program.

use super::opcodes::MAX_ENTRY_ROW;
use super::{DW_LNE_NVIDIA_ENTRY_ROW, DW_LNE_NVIDIA_INLINED_CALL, DW_LNE_NVIDIA_SET_FUNCTION_NAME, LineOp};
use dwarf2_reader::Cursor;
use dwarf2_reader::constants as dw;
use dwarf2_reader::line::{self as dwarf2, Instruction, Params};

/// The address and line registers of a running line program (DWARF 2.0.0 §6.2.2).
#[derive(Debug, Clone, Copy)]
pub struct LineState {
    /// Byte offset from the address at which the sequence starts.
    pub address: u64,
    /// 1-based line of the source.
    pub line: u32,
}

impl LineState {
    /// The registers at the start of every sequence.
    pub const START: Self = Self { address: 0, line: 1 };
}

/// The effect of one opcode of a line program, apart from changes of the address and line in
/// [`LineState`].
#[derive(Debug)]
pub enum Step<'d> {
    /// `DW_LNS_copy`: a row is made.
    Copy,
    /// A special opcode: address and line are advanced, and then a row is made.
    Special,
    /// An opcode that advances only the address.
    Advance,
    /// An opcode that advances only the line.
    Line,
    /// An opcode that sets another register, as this operation.
    State(LineOp),
    /// An unknown extended opcode, with its operands.
    Extended(u8, &'d [u8]),
    /// `DW_LNE_end_sequence`: the sequence ends.
    End,
}

/// Runs the opcode at the cursor, and returns its effect. `params` are those of the unit's header.
///
/// # Errors
///
/// The opcode or an operand is cut short, is one that [`LineOp`] cannot say, or is a second
/// `DW_LNE_set_address`.
#[inline]
pub fn step<'d>(
    cursor: &mut Cursor<'d>,
    params: Params,
    registers: &mut LineState,
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

/// Reads the `DW_LNE_set_address` that starts a sequence. Returns its operand and the operand's
/// byte offset in the section.
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

/// Whether a program is a `DW_LNE_end_sequence` and nothing else. The cursor is then moved to its
/// end.
pub(super) fn take_lone_end(program: &mut Cursor<'_>) -> bool {
    let is_lone = program.rest() == [0, 1, dw::DW_LNE_end_sequence];
    is_lone && program.take(3, "DW_LNE_end_sequence").is_ok()
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
