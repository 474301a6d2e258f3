//! Encodings of rows near the one before them, under the default header parameters, computed at
//! compile time.
//!
//! Which opcodes a row takes depends on the source in a way no branch predictor learns; here it is
//! two loads. A row is a line advance, or none, and then what the rest of the advances takes. The
//! rest is one of few: it is a column of [`Near::moves`].

use leb128_nv::sleb128;

use super::opcodes::Opcodes;
use super::{Params, compact, plain};
use crate::constants::DW_LNS_advance_line;

/// Line advances from `-LINES / 2` on.
const LINES: usize = 4096;

/// Line advances of special opcodes, and then [`MOVED`].
const COLUMNS: usize = 16;

/// The column after a line advance that leaves nothing.
const MOVED: usize = Params::STANDARD.line_range as usize;

/// Address advances that are there: of fewer units than `BYTES`, and of fewer steps than `STEPS`.
const BYTES: usize = 128;
const STEPS: usize = 64;

/// log2 of the bytes of a GPU's instruction: a step.
const STEP_SHIFT: u32 = 4;

/// Where an entry of [`Near::lines`] has its number of bytes, and above that its column.
const LINE_LEN_SHIFT: u32 = 24;
const COLUMN_SHIFT: u32 = u32::BITS - COLUMNS.ilog2();

/// Where an entry of [`Near::moves`] has its number of bytes.
const LEN_SHIFT: u32 = 56;

/// The most bytes that [`Near::put`] may write: an entry of each kind.
pub(super) const MAX_WRITE: usize = 3 + 8;

/// The opcodes of rows with small advances, encoded in advance.
#[derive(Debug)]
pub(super) struct RowCache {
    /// By line advance: `DW_LNS_advance_line` with its operand, at most 3 bytes, the first lowest;
    /// or nothing.
    lines: [u32; LINES],
    /// By address advance, first those of whole steps, then those of any number of bytes, and by
    /// column: the opcodes that follow a line advance or do without, at most 7 bytes, the first
    /// lowest.
    moves: [[u64; COLUMNS]; STEPS + BYTES],
}

/// The cache for [`super::Policy::Plain`].
pub(super) static PLAIN: RowCache = RowCache::of(false);

/// The cache for [`super::Policy::Compact`].
pub(super) static COMPACT: RowCache = RowCache::of(true);

impl RowCache {
    const fn of(compact: bool) -> Self {
        Self { lines: line_advances(compact), moves: moves(compact) }
    }

    /// Writes the row for these advances to the start of `room`, and other bytes after it. Returns
    /// the number of bytes of the row, at most 10. `None` if the row is not near; then nothing is
    /// written.
    #[inline]
    pub(super) fn put(&self, room: &mut [u8; MAX_WRITE], units: u64, lines: u32) -> Option<usize> {
        let line = *self.lines.get(lines.wrapping_add(LINES as u32 / 2) as usize)?;
        let mut advance = units.rotate_right(STEP_SHIFT); // of odd ones a large number
        if advance >= STEPS as u64 {
            advance = units.checked_add(STEPS as u64)?;
        }
        let columns = self.moves.get(usize::try_from(advance).ok()?)?;
        let moved = columns[(line >> COLUMN_SHIFT) as usize];
        let len = (line >> LINE_LEN_SHIFT & 3) as usize;
        *room.first_chunk_mut()? = line.to_le_bytes();
        *room.get_mut(len..)?.first_chunk_mut()? = moved.to_le_bytes();
        Some(len + (moved >> LEN_SHIFT & 7) as usize)
    }
}

#[allow(long_running_const_eval, reason = "a small search for each")]
#[allow(clippy::large_stack_arrays, reason = "on the compiler's stack")]
const fn moves(compact: bool) -> [[u64; COLUMNS]; STEPS + BYTES] {
    let mut entries = [[0; COLUMNS]; STEPS + BYTES];
    let mut i = 0;
    while i < entries.len() * COLUMNS {
        let (advance, column) = (i / COLUMNS, i % COLUMNS);
        let units = if advance < STEPS { advance << STEP_SHIFT } else { advance - STEPS } as u64;
        let lines = column as i32 + Params::STANDARD.line_base as i32;
        let Opcodes { bits, len } = if column == MOVED {
            plain::moved(Opcodes::NONE, units)
        } else if compact {
            compact::row(Params::STANDARD, units, lines)
        } else {
            plain::row(Params::STANDARD, units, lines)
        };
        entries[advance][column] = bits as u64 | (len as u64) << LEN_SHIFT;
        i += 1;
    }
    entries
}

const fn line_advances(compact: bool) -> [u32; LINES] {
    let mut entries = [0; LINES];
    let mut i = 0;
    while i < LINES {
        let (advance, column) = split(compact, i as i32 - LINES as i32 / 2);
        entries[i] = (column as u32) << COLUMN_SHIFT;
        if advance != 0 {
            let operand = sleb128(advance as i64);
            let len = 1 + operand.len() as u32;
            entries[i] |=
                DW_LNS_advance_line as u32 | (operand.to_bits() as u32) << 8 | len << LINE_LEN_SHIFT;
        }
        i += 1;
    }
    entries
}

/// A line advance as that of an opcode of its own, and the column of what it leaves.
const fn split(compact: bool, lines: i32) -> (i32, usize) {
    let Params { line_base, line_range, .. } = Params::STANDARD;
    let column = lines - line_base as i32;
    if 0 <= column && column < line_range as i32 {
        return (0, column as usize);
    }
    if !compact {
        return (lines, MOVED);
    }
    let rest = match compact::short_rest(Params::STANDARD, lines) {
        Some(rest) => rest,
        None => line_base as i32,
    };
    (lines - rest, (rest - line_base as i32) as usize)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn row(near: &RowCache, units: u64, lines: i32) -> Option<Vec<u8>> {
        let mut room = [0; MAX_WRITE];
        near.put(&mut room, units, lines as u32).map(|len| room[..len].to_vec())
    }

    #[test]
    fn as_the_general_forms_have_it() {
        let steps = (0..STEPS as u64).map(|step| step << STEP_SHIFT);
        for units in (0..BYTES as u64).chain(steps) {
            for lines in -(LINES as i32) / 2..LINES as i32 / 2 {
                let Opcodes { bits, len } = plain::row(Params::STANDARD, units, lines);
                let plain = row(&PLAIN, units, lines).expect("near");
                assert_eq!(plain, bits.to_le_bytes()[..len as usize], "{units} {lines}");
                let compact = row(&COMPACT, units, lines).expect("near");
                let least = compact::row(Params::STANDARD, units, lines).len;
                assert_eq!(compact.len(), least as usize, "{units} {lines}");
            }
        }
        let beyond = [
            (BYTES as u64 + 1, 0),
            ((STEPS as u64) << STEP_SHIFT, 0),
            (1 << 60, 0),
            (u64::MAX, 0),
            (16, LINES as u32 / 2),
            (16, u32::MAX / 2),
        ];
        for (units, lines) in beyond {
            assert_eq!(row(&PLAIN, units, lines as i32), None, "{units} {lines}");
        }
    }
}
