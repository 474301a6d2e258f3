//! Rows a little farther than [`super::near`] has them, with the default header parameters: operands of one or two bytes,
//! put together without a branch for each.

use super::near::Near;
use super::{Params, compact};
use crate::constants::{DW_LNS_advance_line, DW_LNS_advance_pc, DW_LNS_copy};

const LINE_BASE: i32 = Params::STANDARD.line_base as i32;
const LAST_LINE: i32 = LINE_BASE + Params::STANDARD.line_range as i32 - 1;

/// Operands of both advances have at most two bytes below this.
const TWO_BYTES: u32 = 1 << 13;

/// Most advance of a one-byte operand.
const ONE_BYTE: i32 = 63;

/// Opcodes, the first byte lowest, and their number.
type Bytes = (u64, u32);

/// A row of [`super::Policy::Plain`] which no special opcode says.
#[inline]
pub(super) fn plain(units: u64, lines: i32) -> Option<Bytes> {
    let far = lines.wrapping_add(TWO_BYTES as i32) as u32 >= 2 * TWO_BYTES;
    // Closer ones may have a special opcode, and both advances of 0 a form of their own.
    if units >= u64::from(TWO_BYTES) || far || units <= 17 && lines.wrapping_sub(LINE_BASE) as u32 <= 13 {
        return None;
    }
    let line = if lines == 0 { (0, 0) } else { opcode(DW_LNS_advance_line, signed(lines)) };
    let pc = if units == 0 { (0, 0) } else { opcode(DW_LNS_advance_pc, signed(units as i32)) };
    Some(join(join(line, pc), (DW_LNS_copy.into(), 1)))
}

/// A row of [`super::Policy::Compact`]: one that is near but for its line, or whose address advance takes an operand of its own.
#[inline]
pub(super) fn compact(near: &Near, units: u64, lines: i32) -> Option<Bytes> {
    let far = lines.wrapping_add(TWO_BYTES as i32 / 2) as u32 >= TWO_BYTES;
    if units >= u64::from(TWO_BYTES) || far {
        return None;
    }
    // From here on special opcodes reach farthest.
    let farthest = opcode(DW_LNS_advance_line, signed(lines.wrapping_sub(LINE_BASE)));
    if units < 0x80 {
        let (bytes, len) = near.row(units, LINE_BASE as u32).filter(|_| lines.unsigned_abs() > 0x80)?;
        return Some(join(farthest, (u64::from_le_bytes(bytes) & ((1 << (8 * len)) - 1), len as u32)));
    }
    // The operand of what is left may have one byte.
    let is_short = lines > LINE_BASE + ONE_BYTE && lines <= LAST_LINE + ONE_BYTE;
    let (line, rest) = match lines {
        LINE_BASE..=LAST_LINE => ((0, 0), lines),
        _ if is_short => (opcode(DW_LNS_advance_line, signed(ONE_BYTE)), lines - ONE_BYTE),
        _ => (farthest, LINE_BASE),
    };
    // The special opcode may save a byte of this operand too.
    let saved = units - 0x7f;
    let special = compact::special(Params::STANDARD, saved, rest).filter(|_| !is_short);
    if let Some(special) = special {
        let pc = (u64::from(DW_LNS_advance_pc) | 0x7f << 8, 2);
        return Some(join(join(line, pc), (special.into(), 1)));
    }
    let special = compact::special(Params::STANDARD, 0, rest).filter(|_| units > 0x90 || !is_short)?;
    let pc = (u64::from(DW_LNS_advance_pc) | (units & 0x7f | 0x80) << 8 | (units >> 7) << 16, 3);
    Some(join(join(line, pc), (special.into(), 1)))
}

/// SLEB128 of a value with 14 bits.
#[inline]
const fn signed(value: i32) -> Bytes {
    let long = (value.wrapping_add(64) as u32 >= 128) as u32;
    let low = (value as u32 & 0x7f) | long << 7;
    let high = (value >> 7) as u32 & 0x7f & long.wrapping_neg();
    ((low | high << 8) as u64, 1 + long)
}

#[inline]
const fn opcode(opcode: u8, (operand, len): Bytes) -> Bytes {
    (opcode as u64 | operand << 8, 1 + len)
}

#[inline]
const fn join((first, len): Bytes, (second, more): Bytes) -> Bytes {
    (first | second << (8 * len), len + more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::near::COMPACT;
    use crate::line::{compact as smallest, plain as usual};

    #[test]
    fn as_the_general_forms_have_it() {
        let ends = [0, 1, 15, 16, 17, 18, 31, 32, 48, 63, 64, 112, 127, 128, 144, 145, 8191, 8192];
        let (mut plain_rows, mut compact_rows) = (0, 0);
        for units in ends.into_iter().chain((0..8200).step_by(97)) {
            for lines in (-300..300).chain([-8193, -8192, -4097, -4096, 4091, 4095, 4096, 8191, 8192]) {
                if let Some((bits, len)) = plain(units, lines) {
                    let row = usual::row(Params::STANDARD, units, lines);
                    assert_eq!((row.bits, row.len), (bits.into(), len), "{units} {lines}");
                    plain_rows += 1;
                }
                if let Some((bits, len)) = compact(&COMPACT, units, lines) {
                    let row = smallest::row(Params::STANDARD, units, lines);
                    assert_eq!((row.bits, row.len), (bits.into(), len), "{units} {lines}");
                    compact_rows += 1;
                }
            }
        }
        assert!(plain_rows > 50_000 && compact_rows > 50_000, "{plain_rows} {compact_rows}");
    }
}
