//! Rows to opcodes, one or many at once: then registers and position stay in registers, and memory is asked for early.

use leb128_nv::{Field, sleb128, uleb128};

use super::near::{self, Near};
use super::program::Program;
use super::{MAX_ADVANCE, Params, Row, compact, plain};
use crate::Error;
use crate::constants::{DW_LNS_advance_line, DW_LNS_advance_pc, DW_LNS_copy, DW_LNS_set_file};
use crate::error::check_leb128;

/// Address advances, in units, from here on are not searched.
pub(super) const FAR: u64 = 1 << 28;

/// Rows that are written at once.
const CHUNK: usize = 256;

/// Room for the opcodes of a row: `set_file` with an operand of one byte, and [`Near::row`].
const ROOM: usize = 2 + 10;

/// Rows in 1 KiB: often enough for a processor's own prefetching to follow.
const APART: usize = 1024 / size_of::<Row>();

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

    /// Takes back what was counted of rows that are not to be: those up to the first that could not be written.
    #[cold]
    pub(super) fn forget(&mut self, at: Row, rows: &[Row]) {
        let (mut address, mut line) = (at.address, at.line);
        for row in rows {
            if row.address.checked_sub(address).is_none_or(|units| units > MAX_ADVANCE) {
                return;
            }
            if let Some(count) =
                self.0.get_mut(row.line.wrapping_sub(line).wrapping_sub(Self::LEAST as u32) as usize)
            {
                *count = count.wrapping_sub(1);
            }
            (address, line) = (row.address, row.line);
        }
    }
}

/// How a policy writes rows.
#[derive(Debug)]
pub(super) struct Encoder {
    /// Rows that are looked up, with the standard header parameters.
    near: &'static Near,
    is_plain: bool,
}

pub(super) static PLAIN: Encoder = Encoder { near: &near::PLAIN, is_plain: true };
pub(super) static COMPACT: Encoder = Encoder { near: &near::COMPACT, is_plain: false };

impl Encoder {
    /// Appends the opcodes for these advances, and the row.
    #[inline]
    pub(super) fn put_row(&self, program: &mut Program, params: Params, units: u64, lines: i32) {
        if params.has_standard_opcodes()
            && let Some((bytes, len)) = self.near.row(units, lines as u32)
        {
            program.put(bytes, len);
        } else {
            self.put_any_row(program, params, units, lines);
        }
    }

    #[inline(never)]
    fn put_any_row(&self, program: &mut Program, params: Params, units: u64, lines: i32) {
        if units < FAR {
            let row = if self.is_plain { plain::row } else { compact::row };
            return program.opcodes(row(params, units, lines));
        }
        // More than a register may hold.
        if lines != 0 {
            program.with(DW_LNS_advance_line, sleb128(lines.into()));
        }
        program.with(DW_LNS_advance_pc, if self.is_plain { sleb128(units as i64) } else { uleb128(units) });
        program.op(DW_LNS_copy);
    }

    /// Appends `rows` under the standard header parameters. After an error `program` has rows of no use.
    pub(super) fn put_rows(
        &self,
        program: &mut Program,
        mut at: Row,
        rows: &[Row],
        mut counts: Option<&mut LineCounts>,
    ) -> Result<(), Error> {
        let mut rest = rows;
        while !rest.is_empty() {
            let (chunk, behind) = rest.split_at(rest.len().min(CHUNK));
            if !behind.is_empty() {
                ask_for(behind.get(..CHUNK).unwrap_or(behind));
            }
            let out = program.room(chunk.len() * ROOM);
            let run = match counts.as_deref_mut() {
                None => near_rows(self.near, out, &at, chunk, |_| {}),
                Some(counts) => near_rows(self.near, out, &at, chunk, |lines| counts.add(lines)),
            };
            program.wrote(run.len);
            at = run.at;
            let mut done = run.rows;
            if let Some(row) = chunk.get(done) {
                self.far_row(program, &at, row)?;
                if let Some(counts) = counts.as_deref_mut() {
                    counts.add(row.line.wrapping_sub(at.line));
                }
                at = *row;
                done += 1;
            }
            rest = rest.get(done..).unwrap_or_default();
        }
        Ok(())
    }

    /// A row with a large file or advance, or one that cannot be.
    #[inline(never)]
    fn far_row(&self, program: &mut Program, at: &Row, row: &Row) -> Result<(), Error> {
        let Some(units) = row.address.checked_sub(at.address) else {
            return Err(Error::AddressBackwards { from: at.address, to: row.address });
        };
        check_leb128(Field::ADDRESS_ADVANCE, units, MAX_ADVANCE)?;
        if row.file != at.file {
            program.with(DW_LNS_set_file, uleb128(row.file.into()));
        }
        self.put_row(program, Params::STANDARD, units, row.line.wrapping_sub(at.line) as i32);
        Ok(())
    }
}

/// What has been written.
struct Run {
    rows: usize,
    /// In bytes.
    len: usize,
    at: Row,
}

/// The rows up to the first that is not [`near`], or for which there is no room. Calls nothing, so that all stays in
/// registers.
#[inline(never)]
fn near_rows(near: &Near, out: &mut [u8], at: &Row, rows: &[Row], mut count: impl FnMut(u32)) -> Run {
    let whole = out.len();
    let (mut out, mut before, mut rest) = (out, at, rows);
    while let [row, others @ ..] = rest {
        let (units, lines) = (row.address.wrapping_sub(before.address), row.line.wrapping_sub(before.line));
        let Some((bytes, len)) = near.row(units, lines) else { break };
        let Some(room) = out.first_chunk_mut::<ROOM>().filter(|_| row.file <= 0x7f) else { break };
        // Written anyway, and counted where the file is another.
        [room[0], room[1]] = [DW_LNS_set_file, row.file as u8];
        let start = 2 * usize::from(row.file != before.file);
        if let Some(place) = room.get_mut(start..start + 8).and_then(|place| place.first_chunk_mut()) {
            *place = bytes;
        }
        out = out.get_mut(start + len..).unwrap_or_default();
        count(lines);
        (before, rest) = (row, others);
    }
    Run { rows: rows.len() - rest.len(), len: whole - out.len(), at: *before }
}

/// Reads a row here and there. Rows are written faster than memory delivers them, and a core that is busy with
/// opcodes does not look as far ahead as these loads do: 2 million rows take less than half the time.
fn ask_for(rows: &[Row]) {
    let read = rows.iter().step_by(APART).fold(0, |all, row| all ^ row.line);
    core::hint::black_box(read);
}
