//! The opcodes of one row (FORMATS 1.4, rules 3 and 4).

use alloc::vec::Vec;

use leb128_nv::sleb128;

use super::Params;
use crate::constants::{DW_LNS_advance_line, DW_LNS_advance_pc, DW_LNS_copy};

/// Appends the opcodes for an address advance of `units` and a line advance of `lines`, and the row.
#[inline]
pub(super) fn put_row(program: &mut Vec<u8>, params: Params, units: u64, lines: i32) {
    if let Some(opcode) = special(params, units, lines) {
        program.push(opcode);
        return;
    }
    if lines != 0 || units == 0 {
        put(program, DW_LNS_advance_line, i64::from(lines));
    }
    if units != 0 {
        put(program, DW_LNS_advance_pc, units as i64);
    }
    program.push(DW_LNS_copy);
}

/// The special opcode for both advances; none for a row that keeps address or line.
#[inline]
fn special(params: Params, units: u64, lines: i32) -> Option<u8> {
    let column = i64::from(lines) - i64::from(params.line_base);
    if units == 0 || units > 0xff || lines == 0 || !(0..i64::from(params.line_range)).contains(&column) {
        return None;
    }
    let opcode = u64::from(params.opcode_base) + u64::from(params.line_range) * units + column as u64;
    u8::try_from(opcode).ok()
}

/// An opcode and its operand, copied at their largest size and then cut: the size of the copy is known when compiled.
#[inline]
fn put(program: &mut Vec<u8>, opcode: u8, operand: i64) {
    let operand = sleb128(operand);
    program.push(opcode);
    let end = program.len() + operand.len();
    program.extend_from_slice(operand.padded());
    program.truncate(end);
}
