//! The default encoding of one row: a special opcode if address and line both move and it fits,
//! otherwise the advances that are needed (that of the line if nothing moves) and `DW_LNS_copy`.

use leb128_nv::sleb128;

use super::Params;
use super::compact::special;
use super::opcodes::Opcodes;
use crate::constants::{DW_LNS_advance_line, DW_LNS_advance_pc, DW_LNS_copy};

/// The opcodes of a row whose address advance is below [`super::row_encoder::FAR`].
pub(super) const fn row(params: Params, units: u64, lines: i32) -> Opcodes {
    if let Some(opcode) = special(params, units, lines)
        && units != 0
        && lines != 0
    {
        return Opcodes::NONE.op(opcode);
    }
    if lines == 0 && units != 0 {
        return moved(Opcodes::NONE, units);
    }
    moved(Opcodes::NONE.with(DW_LNS_advance_line, sleb128(lines as i64)), units)
}

/// The address advance, if any, and the row.
pub(super) const fn moved(before: Opcodes, units: u64) -> Opcodes {
    match units {
        0 => before.op(DW_LNS_copy),
        _ => before.with(DW_LNS_advance_pc, sleb128(units as i64)).op(DW_LNS_copy),
    }
}
