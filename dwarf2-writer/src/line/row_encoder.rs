//! Conversion of rows to opcodes.

use leb128_nv::{sleb128, uleb128};

use super::program_bytes::ProgramBytes;
use super::row_cache::{self, RowCache};
use super::{Params, Policy, compact, plain};
use crate::constants::{DW_LNS_advance_line, DW_LNS_advance_pc, DW_LNS_copy};

/// Address advances, in units, from here on have operands that leave no room for another in
/// [`Opcodes`].
pub(super) const FAR: u64 = 1 << 55;

/// Counts the line advances from -64 to 63.
#[derive(Debug, Clone)]
pub(super) struct LineCounts(pub(super) [u32; Self::LEN]);

impl LineCounts {
    pub(super) const LEN: usize = 128;
    pub(super) const LEAST: i8 = -64;

    pub(super) const fn new() -> Self {
        Self([0; Self::LEN])
    }

    #[inline]
    pub(super) fn add(&mut self, lines: u32) {
        if let Some(count) = self.0.get_mut(lines.wrapping_sub(Self::LEAST as u32) as usize) {
            *count = count.wrapping_add(1);
        }
    }
}

/// Encodes rows by the parameters of a header.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowEncoder {
    params: Params,
    is_plain: bool,
    /// Rows that are looked up, with the standard header parameters.
    near: Option<&'static RowCache>,
}

impl RowEncoder {
    pub(super) fn new(params: Params, policy: Policy) -> Self {
        let is_plain = policy == Policy::Plain;
        let near = if is_plain { &row_cache::PLAIN } else { &row_cache::COMPACT };
        Self { params, is_plain, near: params.has_standard_opcodes().then_some(near) }
    }

    /// Appends the opcodes for these advances, and the row.
    #[inline]
    pub(super) fn put_row(&self, program: &mut ProgramBytes, units: u64, lines: i32) {
        let near = self.near.and_then(|near| near.put(program.fixed_room()?, units, lines as u32));
        match near {
            Some(len) => program.wrote(len),
            None => self.put_any_row(program, units, lines),
        }
    }

    #[inline(never)]
    fn put_any_row(&self, program: &mut ProgramBytes, units: u64, lines: i32) {
        if units < FAR {
            let row = if self.is_plain { plain::row } else { compact::row };
            return program.opcodes(row(self.params, units, lines));
        }
        let special = compact::special(self.params, 0, lines).filter(|_| !self.is_plain && lines != 0);
        if lines != 0 && special.is_none() {
            program.with(DW_LNS_advance_line, sleb128(lines.into()));
        }
        program.with(DW_LNS_advance_pc, if self.is_plain { sleb128(units as i64) } else { uleb128(units) });
        program.op(special.unwrap_or(DW_LNS_copy));
    }
}
