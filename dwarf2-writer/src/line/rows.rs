//! Rows to opcodes, one or many at once: then registers and position stay in registers, and memory is asked for early.

use leb128_nv::{Field, sleb128, uleb128};

use super::near::{self, Near};
use super::program::Program;
use super::{MAX_ADVANCE, Params, Policy, Row, compact, plain};
use crate::Error;
use crate::constants::{DW_LNS_advance_line, DW_LNS_advance_pc, DW_LNS_copy, DW_LNS_set_file};
use crate::error::check_leb128;

/// Address advances, in units, from here on have operands that leave no room for another in [`Opcodes`].
pub(super) const FAR: u64 = 1 << 55;

/// Rows that are written at once.
const CHUNK: usize = 256;

/// Room for the opcodes of a row: `set_file` with an operand of one byte, and [`Near::put`].
const ROOM: usize = 2 + near::ROOM;

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

/// How rows are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Encoder {
    params: Params,
    is_plain: bool,
    /// Rows that are looked up, with the standard header parameters.
    near: Option<&'static Near>,
}

impl Encoder {
    pub(super) fn new(params: Params, policy: Policy) -> Self {
        let is_plain = policy == Policy::Plain;
        let near = if is_plain { &near::PLAIN } else { &near::COMPACT };
        Self { params, is_plain, near: params.has_standard_opcodes().then_some(near) }
    }

    /// Appends the opcodes for these advances, and the row.
    #[inline]
    pub(super) fn put_row(&self, program: &mut Program, units: u64, lines: i32) {
        let near = self.near.and_then(|near| near.put(program.fixed_room()?, units, lines as u32));
        match near {
            Some(len) => program.wrote(len),
            None => self.put_any_row(program, units, lines),
        }
    }

    #[inline(never)]
    fn put_any_row(&self, program: &mut Program, units: u64, lines: i32) {
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

    /// Appends `rows`, behind the row `at`; a unit is a byte. After an error `program` has rows of no use.
    pub(super) fn put_rows(
        &self,
        program: &mut Program,
        at: &Row,
        rows: &[Row],
        mut counts: Option<&mut LineCounts>,
    ) -> Result<(), Error> {
        let Some(first) = rows.first() else { return Ok(()) };
        self.put_one(program, at, first, counts.as_deref_mut())?;
        let mut rest = rows;
        while rest.len() > 1 {
            let (chunk, behind) = rest.split_at(rest.len().min(CHUNK));
            if !behind.is_empty() {
                ask_for(behind.get(..CHUNK).unwrap_or(behind));
            }
            self.put_chunk(program, chunk, counts.as_deref_mut())?;
            // Its last row is the next one's first.
            rest = rest.get(chunk.len() - 1..).unwrap_or_default();
        }
        Ok(())
    }

    /// Appends the rows behind the first, which is written already.
    fn put_chunk(
        &self,
        program: &mut Program,
        rows: &[Row],
        mut counts: Option<&mut LineCounts>,
    ) -> Result<(), Error> {
        let mut written = rows;
        while let [at, row, ..] = written {
            let out = program.room(written.len() * ROOM);
            let run = match (self.near, counts.as_deref_mut()) {
                (None, _) => Run::NONE,
                (Some(near), None) => near_rows(near, out, written, |_| {}),
                (Some(near), Some(counts)) => near_rows(near, out, written, |lines| counts.add(lines)),
            };
            if run.rows == 0 {
                self.put_one(program, at, row, counts.as_deref_mut())?;
            } else {
                program.wrote(run.len);
            }
            written = written.get(run.rows.max(1)..).unwrap_or_default();
        }
        Ok(())
    }

    /// Any row.
    fn put_one(
        &self,
        program: &mut Program,
        at: &Row,
        row: &Row,
        counts: Option<&mut LineCounts>,
    ) -> Result<(), Error> {
        let Some(units) = row.address.checked_sub(at.address) else {
            return Err(Error::AddressBackwards { from: at.address, to: row.address });
        };
        check_leb128(Field::ADDRESS_ADVANCE, units, MAX_ADVANCE)?;
        if row.file != at.file {
            program.with(DW_LNS_set_file, uleb128(row.file.into()));
        }
        let lines = row.line.wrapping_sub(at.line);
        if let Some(counts) = counts {
            counts.add(lines);
        }
        self.put_row(program, units, lines as i32);
        Ok(())
    }
}

/// What has been written.
struct Run {
    rows: usize,
    /// In bytes.
    len: usize,
}

impl Run {
    const NONE: Self = Self { rows: 0, len: 0 };
}

/// Rows behind the first, which is written already, up to one that is not [`near`] or for which there is no room. Calls
/// nothing, so that all stays in registers.
#[inline(never)]
fn near_rows(near: &Near, out: &mut [u8], rows: &[Row], mut count: impl FnMut(u32)) -> Run {
    let whole = out.len();
    let (mut out, mut written) = (out, rows);
    while let [at, rest @ ..] = written
        && let [row, ..] = rest
    {
        let Some(units) = row.address.checked_sub(at.address) else { break };
        let lines = row.line.wrapping_sub(at.line);
        let Some(room) = out.first_chunk_mut::<ROOM>().filter(|_| row.file <= 0x7f) else { break };
        // Written anyway, and counted where the file is another.
        [room[0], room[1]] = [DW_LNS_set_file, row.file as u8];
        let start = 2 * usize::from(row.file != at.file);
        let room = room.get_mut(start..).and_then(|room| room.first_chunk_mut());
        let Some(len) = room.and_then(|room| near.put(room, units, lines)) else { break };
        out = out.get_mut(start + len..).unwrap_or_default();
        count(lines);
        written = rest;
    }
    Run { rows: rows.len() - written.len(), len: whole - out.len() }
}

/// Reads a row here and there. Rows are written faster than memory delivers them, and a core that is busy with
/// opcodes does not look as far ahead as these loads do: 2 million rows take less than half the time.
fn ask_for(rows: &[Row]) {
    let read = rows.iter().step_by(APART).fold(0, |all, row| all ^ row.line);
    core::hint::black_box(read);
}
