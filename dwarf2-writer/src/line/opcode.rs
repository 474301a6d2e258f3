//! The opcodes of one row (FORMATS 1.4, rules 3 and 4).
//!
//! A row is put together in a register, copied at a fixed size and then cut to its length. Which of the forms it takes
//! depends on the source in a way no branch predictor learns, so common rows are looked up and selected, not branched on.

use alloc::vec::Vec;

use leb128_nv::sleb128;

use super::Params;
use crate::constants::{DW_LNS_advance_line, DW_LNS_advance_pc, DW_LNS_copy};

/// Up to 7 bytes of opcodes, the first lowest; their number in the highest byte.
#[derive(Clone, Copy)]
struct Packed(u64);

const LEN_SHIFT: u32 = 56;

impl Packed {
    const fn new(bits: u64, len: usize) -> Self {
        Self(bits | (len as u64) << LEN_SHIFT)
    }

    const fn len(self) -> usize {
        (self.0 >> LEN_SHIFT) as usize
    }

    const fn bits(self) -> u64 {
        self.0 & ((1 << LEN_SHIFT) - 1)
    }
}

/// Line advances from `-LINES / 2` on are looked up.
const LINES: usize = 512;

/// Address advances, in units, below this are looked up.
const UNITS: usize = 256;

/// `DW_LNS_advance_line` by the index minus `LINES / 2`.
static ADVANCE_LINE: [Packed; LINES] = {
    let mut table = [Packed(0); LINES];
    let mut i = 0;
    while i < LINES {
        let operand = sleb128(i as i64 - LINES as i64 / 2);
        table[i] =
            Packed::new(DW_LNS_advance_line as u64 | (operand.to_bits() as u64) << 8, 1 + operand.len());
        i += 1;
    }
    table
};

/// `DW_LNS_advance_pc` by the index, none for 0, and `DW_LNS_copy`.
static ADVANCE_PC_AND_COPY: [Packed; UNITS] = {
    let mut table = [Packed(0); UNITS];
    table[0] = Packed::new(DW_LNS_copy as u64, 1);
    let mut i = 1;
    while i < UNITS {
        let operand = sleb128(i as i64);
        let advance = DW_LNS_advance_pc as u64 | (operand.to_bits() as u64) << 8;
        let len = 1 + operand.len();
        table[i] = Packed::new(advance | (DW_LNS_copy as u64) << (8 * len), len + 1);
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
    // A line advance of 0 is written only where the address does not move either.
    let line = if lines == 0 && units != 0 { Packed(0) } else { *line };
    let advances = Packed::new(line.bits() | rest.bits() << (8 * line.len()), line.len() + rest.len());

    let column = i64::from(lines) - i64::from(params.line_base);
    let opcode =
        (u64::from(params.opcode_base) + u64::from(params.line_range) * units).wrapping_add(column as u64);
    let special =
        units != 0 && lines != 0 && opcode <= 0xff && (column as u64) < u64::from(params.line_range);
    let row = if special { Packed::new(opcode, 1) } else { advances };
    let end = program.len() + row.len();
    program.extend_from_slice(&row.0.to_le_bytes());
    program.truncate(end);
}

/// [`put_row`] for advances beyond the tables. No special opcode reaches as far: all of them are at most 255, so with
/// `line_base` at most 127 a line advance stays below 256, and an address advance does in any case.
#[cold]
fn put_far_row(program: &mut Vec<u8>, units: u64, lines: i32) {
    if lines != 0 || units == 0 {
        program.push(DW_LNS_advance_line);
        program.extend_from_slice(&sleb128(i64::from(lines)));
    }
    if units != 0 {
        program.push(DW_LNS_advance_pc);
        program.extend_from_slice(&sleb128(units as i64));
    }
    program.push(DW_LNS_copy);
}
