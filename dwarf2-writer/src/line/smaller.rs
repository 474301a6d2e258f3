//! Another `line_base` for a finished program, where that makes it smaller.
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

use leb128_nv::{read_sleb128, read_uleb128};

use super::opcodes::Opcodes;
use super::program::{EXTENDED, Program};
use super::rows::{COMPACT, LineCounts};
use super::{Params, compact};
use crate::Reloc;
#[allow(clippy::wildcard_imports, reason = "the standard opcodes")]
use crate::constants::*;

/// A row that no special opcode says takes about this many bytes more.
const SAVED: u64 = 2;

/// What it has to save: one byte in this many.
const WORTH: u64 = 32;

/// Writes the program anew with the `line_base` that has most line advances in reach, and keeps the smaller.
pub(super) fn choose_line_base(params: &mut Params, program: &mut Program, counts: &LineCounts) {
    let reach = Reach::of(counts, params.line_range);
    let now = reach.with(params.line_base);
    let (best, most) = reach.best(params.line_base);
    if (most - now) * SAVED * WORTH < program.len() as u64 || most == now {
        return;
    }
    let new = Params { line_base: best, ..*params };
    if let Some(written) = transcode(*params, new, program).filter(|new| new.len() < program.len()) {
        (*params, *program) = (new, written);
    }
}

/// How many line advances are in reach of special opcodes, by `line_base`.
struct Reach {
    /// Sums of the counts before each.
    sums: [u32; LineCounts::LEN + 1],
    range: i16,
}

impl Reach {
    fn of(counts: &LineCounts, range: u8) -> Self {
        let mut sums = [0_u32; LineCounts::LEN + 1];
        let mut sum = 0_u32;
        for (place, count) in sums.iter_mut().skip(1).zip(&counts.0) {
            sum = sum.saturating_add(*count);
            *place = sum;
        }
        Self { sums, range: range.into() }
    }

    fn with(&self, line_base: i8) -> u64 {
        let first = i16::from(line_base) - i16::from(LineCounts::LEAST);
        let sum = |at: i16| self.sums.get(at.clamp(0, LineCounts::LEN as i16) as usize).copied().unwrap_or(0);
        u64::from(sum(first + self.range) - sum(first))
    }

    /// The `line_base` with most, and how many; of equals that nearest to `wanted`. None above 0: see [`compact`].
    fn best(&self, wanted: i8) -> (i8, u64) {
        let mut best = (wanted, self.with(wanted));
        for line_base in LineCounts::LEAST..=0 {
            let reach = self.with(line_base);
            if reach > best.1 || reach == best.1 && line_base.abs_diff(wanted) < best.0.abs_diff(wanted) {
                best = (line_base, reach);
            }
        }
        best
    }
}

/// The same rows with other special opcodes. None if `program` is none of this crate's.
fn transcode(old: Params, new: Params, program: &Program) -> Option<Program> {
    let bytes = program.bytes();
    let mut out = Program::default();
    let mut relocs = program.relocs().iter().peekable();
    let (mut units, mut lines) = (0_u64, 0_i32);
    let mut at = 0;
    while let Some(&opcode) = bytes.get(at) {
        let start = at;
        at += 1;
        let special = opcode.checked_sub(old.opcode_base);
        if let Some(step) = special {
            units += u64::from(step / old.line_range);
            lines = lines.wrapping_add(i32::from(step % old.line_range) + i32::from(old.line_base));
        }
        match opcode {
            _ if special.is_some() => {}
            DW_LNS_copy => {}
            DW_LNS_advance_pc => units += operand(bytes, &mut at)?,
            DW_LNS_advance_line => {
                let (advance, len) = read_sleb128(bytes.get(at..)?).ok()?;
                at += len;
                lines = lines.wrapping_add(i32::try_from(advance).ok()?);
            }
            DW_LNS_const_add_pc => units += u64::from((0xff - old.opcode_base) / old.line_range),
            DW_LNS_fixed_advance_pc => {
                units += u64::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
                at += 2;
            }
            EXTENDED => {
                let len = usize::try_from(operand(bytes, &mut at)?).ok()?;
                let is_end = bytes.get(at) == Some(&DW_LNE_end_sequence);
                at = at.checked_add(len)?;
                if is_end {
                    out.opcodes(compact::advance(new, Opcodes::NONE, core::mem::take(&mut units)));
                    lines = 0;
                }
                let moved = core::iter::from_fn(|| relocs.next_if(|reloc| reloc.offset < at as u64));
                let moved = moved.map(|reloc| Reloc { offset: reloc.offset - start as u64, ..*reloc });
                out.extend_relocated(bytes.get(start..at)?, moved);
            }
            DW_LNS_set_file | DW_LNS_set_column | DW_LNS_set_isa => {
                operand(bytes, &mut at)?;
                out.extend(bytes.get(start..at)?);
            }
            _ => out.op(opcode),
        }
        if special.is_some() || opcode == DW_LNS_copy {
            COMPACT.put_row(&mut out, new, core::mem::take(&mut units), core::mem::take(&mut lines));
        }
    }
    Some(out)
}

/// A ULEB128 operand.
fn operand(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let (value, len) = read_uleb128(bytes.get(*at..)?).ok()?;
    *at += len;
    Some(value)
}
