//! Rows near the one before them, with the default header parameters, put together when this crate is compiled.
//!
//! GPU instructions have 16 bytes: the tables are by multiples of that. Which opcodes a row takes depends on the source in a
//! way no branch predictor learns; here it is one load.

use super::opcodes::Opcodes;
use super::{Params, compact, plain};

/// Line advances from `-LINES / 2` on.
const LINES: usize = 512;

/// Address advances of 0, 1, ... times [`STEP`] units.
const STEPS: usize = 8;

/// log2 of the bytes of an instruction.
const STEP_SHIFT: u32 = 4;

/// Where an entry has its number of bytes.
const LEN_SHIFT: u32 = 56;

/// The opcodes of rows, at most 7 bytes, the first lowest, and in the top byte their number.
#[derive(Debug)]
pub(super) struct Near([u64; STEPS * LINES]);

/// Of [`super::Policy::Plain`].
pub(super) static PLAIN: Near = Near::of(false);

/// Of [`super::Policy::Compact`].
pub(super) static COMPACT: Near = Near::of(true);

impl Near {
    #[allow(long_running_const_eval, reason = "4096 rows of Compact, each a small search")]
    #[allow(clippy::large_stack_arrays, reason = "on the compiler's stack")]
    const fn of(compact: bool) -> Self {
        let mut entries = [0; STEPS * LINES];
        let mut i = 0;
        while i < STEPS * LINES {
            let units = ((i / LINES) as u64) << STEP_SHIFT;
            let lines = (i % LINES) as i32 - LINES as i32 / 2;
            let Opcodes { bits, len } = if compact {
                compact::row(Params::STANDARD, units, lines)
            } else {
                plain::row(Params::STANDARD, units, lines)
            };
            entries[i] = bits as u64 | (len as u64) << LEN_SHIFT;
            i += 1;
        }
        Self(entries)
    }

    /// The row for these advances: its bytes, with other bytes behind them, and their number. None if it is not near.
    #[inline]
    pub(super) fn row(&self, units: u64, lines: u32) -> Option<([u8; 8], usize)> {
        let step = units.rotate_right(STEP_SHIFT); // far and odd advances become large
        let line = lines.wrapping_add(LINES as u32 / 2);
        if step >= STEPS as u64 || line >= LINES as u32 {
            return None;
        }
        let entry = self.0.get(step as usize * LINES + line as usize)?;
        Some((entry.to_le_bytes(), (entry >> LEN_SHIFT) as usize))
    }
}
