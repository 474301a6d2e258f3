//! Chooses another `line_base` for a finished program, if that makes it smaller.
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

use leb128_nv::{read_sleb128, read_uleb128};

use super::opcodes::Opcodes;
use super::program_bytes::{EXTENDED, ProgramBytes};
use super::row_encoder::{LineCounts, RowEncoder};
use super::{Header, Params, Policy, compact};
use crate::Reloc;
#[allow(clippy::wildcard_imports, reason = "the standard opcodes")]
use crate::constants::*;

/// A row that no special opcode says takes about this many bytes more.
const SAVED: u64 = 2;

/// The saving for which another `line_base` is chosen: one byte in this many.
const WORTH: u64 = 32;

/// Writes the program anew with the `line_base` that has most line advances in reach, and keeps the
/// smaller.
pub(super) fn choose_line_base(params: &mut Params, program: &mut ProgramBytes, counts: &LineCounts) {
    let now = reach(counts, params.line_base, params.line_range);
    let (best, most) = best_reach(counts, params.line_range);
    if most <= now || (most - now) * SAVED * WORTH < program.len() as u64 {
        return;
    }
    let new = Params { line_base: best, ..*params };
    if let Some(written) = reencode(*params, new, program).filter(|new| new.len() < program.len()) {
        (*params, *program) = (new, written);
    }
}

/// Returns how many of the counted line advances have special opcodes.
fn reach(counts: &LineCounts, line_base: i8, range: u8) -> u64 {
    let first = i16::from(line_base) - i16::from(LineCounts::LEAST);
    let columns = first.max(0)..first + i16::from(range);
    columns.map_while(|at| counts.0.get(at as usize)).map(|count| u64::from(*count)).sum()
}

/// The `line_base` with most, and how many; of equals the nearest to 0. None above it, where rows
/// of no line advance would have no special opcode.
fn best_reach(counts: &LineCounts, range: u8) -> (i8, u64) {
    let mut reach = reach(counts, LineCounts::LEAST, range);
    let mut best = (LineCounts::LEAST, reach);
    // From each to the next one advance leaves and one enters.
    let count = |at: usize| u64::from(counts.0.get(at).copied().unwrap_or(0));
    for (left, line_base) in (LineCounts::LEAST + 1..=0).enumerate() {
        reach = reach + count(left + usize::from(range)) - count(left);
        if reach >= best.1 {
            best = (line_base, reach);
        }
    }
    best
}

/// Writes the same rows with other special opcodes. `None` if this crate did not write `program`.
fn reencode(old: Params, new: Params, program: &ProgramBytes) -> Option<ProgramBytes> {
    let bytes = program.bytes();
    let (rows, mut out) = (RowEncoder::new(new, Policy::Compact(Header::Keep)), ProgramBytes::default());
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
            rows.put_row(&mut out, core::mem::take(&mut units), core::mem::take(&mut lines));
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
