//! The opcodes of one row: a special opcode if address and line both move and it fits, else the advances that are needed (that of the line
//! if nothing moves) and `DW_LNS_copy`.
//!
//! A row is put together in a register, copied at a fixed size and then cut to its length. Which of the forms it takes
//! depends on the source in a way no branch predictor learns, so common rows are looked up and selected, not branched on.

use alloc::vec::Vec;

use leb128_nv::sleb128;

use super::Params;
use super::compact::special;
use super::opcodes::{Opcodes, put};
use crate::constants::{DW_LNS_advance_line, DW_LNS_advance_pc, DW_LNS_copy};

/// The opcodes of a row whose advances are below 2^31.
pub(super) const fn row(params: Params, units: u64, lines: i32) -> Opcodes {
    if let Some(opcode) = special(params, units, lines)
        && units != 0
        && lines != 0
    {
        return Opcodes::NONE.op(opcode);
    }
    let mut opcodes = Opcodes::NONE;
    if lines != 0 || units == 0 {
        opcodes = opcodes.with(DW_LNS_advance_line, sleb128(lines as i64));
    }
    if units != 0 {
        opcodes = opcodes.with(DW_LNS_advance_pc, sleb128(units as i64));
    }
    opcodes.op(DW_LNS_copy)
}

/// Line advances from `-LINES / 2` on are looked up.
const LINES: usize = 512;

/// Address advances, in units, below this are looked up.
const UNITS: usize = 256;

/// Where an entry of [`ADVANCE_LINE`] has the number of its bits.
const SIZE_SHIFT: u32 = 24;

/// `DW_LNS_advance_line` by the index minus `LINES / 2`, none for an advance of 0: at most 3 bytes, the opcode lowest, and
/// above them their size in bits.
static ADVANCE_LINE: [u32; LINES] = {
    let mut table = [0; LINES];
    let mut i = 0;
    while i < LINES {
        if i != LINES / 2 {
            let operand = sleb128(i as i64 - LINES as i64 / 2);
            let size = 8 * (1 + operand.len() as u32);
            table[i] = DW_LNS_advance_line as u32 | (operand.to_bits() as u32) << 8 | size << SIZE_SHIFT;
        }
        i += 1;
    }
    table
};

/// `DW_LNS_advance_pc` by the index, none for 0, and `DW_LNS_copy`: at most 4 bytes, the first lowest.
static ADVANCE_PC_AND_COPY: [u32; UNITS] = {
    let mut table = [DW_LNS_copy as u32; UNITS];
    let mut i = 1;
    while i < UNITS {
        let operand = sleb128(i as i64);
        let advance = DW_LNS_advance_pc as u32 | (operand.to_bits() as u32) << 8;
        table[i] = advance | (DW_LNS_copy as u32) << (8 * (1 + operand.len()));
        i += 1;
    }
    table
};

/// Appends the opcodes for an address advance of `units` and a line advance of `lines`, and the row.
#[inline]
pub(super) fn put_row(program: &mut Vec<u8>, params: Params, units: u64, lines: i32) {
    let line_index = lines.wrapping_add(LINES as i32 / 2) as u32 as usize;
    let unit_index = usize::try_from(units).unwrap_or(usize::MAX);
    let (Some(line), Some(rest)) = (ADVANCE_LINE.get(line_index), ADVANCE_PC_AND_COPY.get(unit_index)) else {
        return put_far_row(program, units, lines);
    };
    if lines == 0 && units == 0 {
        return put_far_row(program, units, lines);
    }
    let advances = u64::from(line & ((1 << SIZE_SHIFT) - 1)) | u64::from(*rest) << (line >> SIZE_SHIFT);

    let column = lines.wrapping_sub(params.line_base.into()) as u32;
    let (base, range) = (u32::from(params.opcode_base), u32::from(params.line_range));
    let opcode = base.wrapping_add(range * units as u32).wrapping_add(column);
    let special = lines != 0 && units != 0 && column < range && opcode <= 0xff;
    let row = if special { u64::from(opcode) } else { advances };

    // The last byte is a special opcode or `copy`, not zero: the highest bit that is set tells the length.
    let end = program.len() + 1 + row.checked_ilog2().unwrap_or(0) as usize / 8;
    program.extend_from_slice(&row.to_le_bytes());
    program.truncate(end);
}

/// [`put_row`] for a row that moves neither address nor line, and for advances beyond the tables. No special opcode reaches
/// as far: all of them are at most 255, so with `line_base` at most 127 a line advance stays below 256, and an address
/// advance does in any case.
#[inline(never)]
fn put_far_row(program: &mut Vec<u8>, units: u64, lines: i32) {
    if lines != 0 || units == 0 {
        put(program, DW_LNS_advance_line, sleb128(i64::from(lines)));
    }
    if units != 0 {
        put(program, DW_LNS_advance_pc, sleb128(units as i64));
    }
    program.push(DW_LNS_copy);
}
