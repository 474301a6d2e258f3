//! Chooses the fewest bytes for one row under given header parameters.
//!
//! A row is reached by line advances, address advances and one opcode that appends it. Nothing of
//! that carries over to the next row, so the smallest rows make the smallest program.

use leb128_nv::{sleb128, uleb128};

use super::Params;
use super::opcodes::Opcodes;
use crate::constants::{
    DW_LNS_advance_line, DW_LNS_advance_pc, DW_LNS_const_add_pc, DW_LNS_copy, DW_LNS_fixed_advance_pc,
};

/// The special opcode for both advances, if there is one.
#[inline]
pub(super) const fn special(params: Params, units: u64, lines: i32) -> Option<u8> {
    let column = lines as i64 - params.line_base as i64;
    if units > 0xff || column < 0 || column >= params.line_range as i64 {
        return None;
    }
    let opcode = params.opcode_base as i64 + params.line_range as i64 * units as i64 + column;
    if opcode <= 0xff { Some(opcode as u8) } else { None }
}

/// The farthest advances of operands with 0, 1, ... bytes, and of `DW_LNS_fixed_advance_pc`.
const SHORT_ADVANCES: [u64; 9] =
    [0, 0x7f, 0x3fff, 0xffff, (1 << 21) - 1, (1 << 28) - 1, (1 << 35) - 1, (1 << 42) - 1, (1 << 49) - 1];

/// Returns the address advance of `DW_LNS_const_add_pc`, in units of the minimum instruction
/// length.
const fn const_add(params: Params) -> u64 {
    ((0xff - params.opcode_base) / params.line_range) as u64
}

/// The smallest opcodes for a row. `units` is below [`super::row_encoder::FAR`].
pub(super) const fn row(params: Params, units: u64, lines: i32) -> Opcodes {
    if let Some(opcode) = special(params, units, lines) {
        return if units == 0 && lines == 0 {
            Opcodes::NONE.op(DW_LNS_copy)
        } else {
            Opcodes::NONE.op(opcode)
        };
    }
    let least = params.line_base as i32;
    let most = least + params.line_range as i32 - 1;
    let mut best = match appended(params, Opcodes::NONE, units, lines) {
        Some(found) => found,
        None => Opcodes::TOO_MANY,
    };
    // A line advance may leave a rest to the special opcode: the one with which special opcodes
    // reach farthest, ...
    best = best.or(by_lines(params, units, lines, least));
    // ... or the nearest to it whose operand is shorter; ...
    if let Some(rest) = short_rest(params, lines) {
        best = best.or(by_lines(params, units, lines, rest));
    }
    // ... or none, where `DW_LNS_copy` says what no special opcode does.
    if least > 0 || most < 0 || best.len == Opcodes::TOO_MANY.len {
        best = best.or(by_lines(params, units, lines, 0));
    }
    best
}

/// The least rest of a line advance whose operand is shorter than the one that leaves `line_base`.
pub(super) const fn short_rest(params: Params, lines: i32) -> Option<i32> {
    let least = params.line_base as i64;
    let most = least + params.line_range as i64 - 1;
    let short = sleb128(lines as i64 - most).len();
    if short >= sleb128(lines as i64 - least).len() || short >= 5 {
        return None;
    }
    let reach = (1_i64 << (7 * short - 1)) - 1;
    Some((lines as i64 - reach) as i32)
}

/// A line advance down to `rest`, then the row.
const fn by_lines(params: Params, units: u64, lines: i32, rest: i32) -> Opcodes {
    let advance = match lines.checked_sub(rest) {
        None | Some(0) => return Opcodes::TOO_MANY,
        // Below line 0 on the way readers stop at 0.
        Some(advance) if advance < 0 && rest > 0 => return Opcodes::TOO_MANY,
        Some(advance) => advance,
    };
    let moved = Opcodes::NONE.with(DW_LNS_advance_line, sleb128(advance as i64));
    match appended(params, moved, units, rest) {
        Some(found) => found,
        None => Opcodes::TOO_MANY,
    }
}

/// `before`, the address advance and the opcode that appends the row with what is left of the line
/// advance; none if no opcode has it.
const fn appended(params: Params, before: Opcodes, units: u64, lines: i32) -> Option<Opcodes> {
    let mut best = Opcodes::TOO_MANY;
    if let Some(opcode) = special(params, units, lines) {
        return Some(before.op(opcode));
    }
    let step = const_add(params);
    let mut added = before;
    let mut times = 1;
    while times <= 2 && units >= times * step {
        added = added.op(DW_LNS_const_add_pc);
        if let Some(opcode) = special(params, units - times * step, lines) {
            best = best.or(added.op(opcode));
        } else if units == times * step && lines == 0 {
            best = best.or(added.op(DW_LNS_copy));
        }
        times += 1;
    }
    if special(params, 0, lines).is_some() {
        // The special opcode may take the rest of an advance whose operand gets shorter by that.
        let mut i = 0;
        while i < SHORT_ADVANCES.len() && units >= SHORT_ADVANCES[i] {
            let rest = if i == 0 { 0 } else { units - SHORT_ADVANCES[i] };
            if let Some(opcode) = special(params, rest, lines) {
                best = best.or(advance(params, before, units - rest).op(opcode));
            }
            i += 1;
        }
    }
    if lines == 0 {
        best = best.or(advance(params, before, units).op(DW_LNS_copy));
    }
    if best.len == u32::MAX { None } else { Some(best) }
}

/// `before` and an address advance without a row.
pub(super) const fn advance(params: Params, before: Opcodes, units: u64) -> Opcodes {
    if units == 0 {
        return before;
    }
    let operand = before.with(DW_LNS_advance_pc, uleb128(units));
    // The two fixed bytes count bytes, not units.
    if units > 0xffff || params.minimum_instruction_length != 1 {
        return operand;
    }
    operand.or(before.with_u16(DW_LNS_fixed_advance_pc, units as u16))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least number of bytes by trying every split of both advances.
    fn least(params: Params, units: u64, lines: i32) -> u32 {
        let mut best = u32::MAX;
        let range = i32::from(params.line_range);
        let rests = (0..range).map(|column| i32::from(params.line_base) + column).chain([0]);
        for rest in rests {
            let line = match lines.checked_sub(rest) {
                Some(0) => 0,
                None => continue,
                Some(advance) if advance < 0 && rest > 0 => continue,
                Some(advance) => 1 + sleb128(advance.into()).len() as u32,
            };
            for left in 0..=units.min(0xff) {
                let ends = u32::from(special(params, left, rest).is_some() || left == 0 && rest == 0);
                if ends == 0 {
                    continue;
                }
                let moved = units - left;
                let step = const_add(params);
                let opcode = |units: u64| match units {
                    0 => 0,
                    1..=0xffff => (1 + uleb128(units).len() as u32).min(3),
                    _ => 1 + uleb128(units).len() as u32,
                };
                let mut address = opcode(moved);
                for times in 1..=3 {
                    if moved >= times * step {
                        address = address.min(times as u32 + opcode(moved - times * step));
                    }
                }
                best = best.min(line + address + 1);
            }
        }
        best
    }

    #[test]
    fn no_split_is_smaller() {
        let standard = Params::default();
        let others = [
            standard,
            Params { line_base: -1, line_range: 4, opcode_base: 13, ..standard },
            Params { line_base: 3, line_range: 9, ..standard },
            Params { line_base: -12, line_range: 12, ..standard },
            Params { line_base: -3, line_range: 200, ..standard },
            Params { line_base: 0, line_range: 1, ..standard },
        ];
        for params in others {
            for units in (0..40).chain([63, 64, 80, 112, 127, 128, 130, 143, 144, 145, 160, 400]) {
                for lines in (-90..90).chain([-8200, -8192, 8191, 8192, 8200, 9000]) {
                    let found = row(params, units, lines);
                    let least = least(params, units, lines);
                    assert_eq!(found.len, least, "{params:?} {units} {lines}: {:x}", found.bits);
                }
            }
        }
        for params in others {
            // Around the longest operands of each length, and of two bytes as they are.
            for most in [7, 14, 16, 21, 28, 35, 42, 49].map(|bits| 1_u64 << bits) {
                for units in [most - 20, most - 1, most, most + 1, most + 4, most + 17, most + 18, most + 300]
                {
                    for lines in [i32::MIN, -8300, -300, -33, -5, 0, 1, 8, 9, 100, i32::MAX] {
                        let (found, least) = (row(params, units, lines).len, least(params, units, lines));
                        assert_eq!(found, least, "{params:?} {units} {lines}");
                    }
                }
            }
        }
    }
}
