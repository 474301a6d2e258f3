//! Many rows at once: registers and position stay in registers, and memory is asked for early.

use alloc::vec::Vec;

use leb128_nv::{Field, Leb128, sleb128, uleb128};

use super::compact::FAR;
use super::near::{self, Near};
use super::opcodes::{Opcodes, put};
use super::{MAX_ADVANCE, Params, Row, compact, middle, plain};
use crate::Error;
use crate::constants::{DW_LNS_advance_line, DW_LNS_advance_pc, DW_LNS_copy, DW_LNS_set_file};
use crate::error::check_leb128;

/// Rows that are written at once.
const CHUNK: usize = 256;

/// Room for the opcodes of a row: `set_file` with an operand of one byte, and a copy of 16 bytes.
const ROOM: usize = 2 + 16;

/// Bytes that a row takes, or more: what a chunk is given room for. Where it is not enough there is another round.
const USUAL: usize = 4;

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
    pub(super) fn forget(&mut self, at: Registers, rows: &[Row]) {
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

/// What a row says, as last written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Registers {
    pub(super) address: u64,
    pub(super) line: u32,
    pub(super) file: u64,
}

/// How rows are written, with the standard header parameters.
pub(super) struct Encoder<'e> {
    near: &'e Near,
    is_plain: bool,
}

pub(super) static PLAIN: Encoder<'_> = Encoder { near: &near::PLAIN, is_plain: true };
pub(super) static COMPACT: Encoder<'_> = Encoder { near: &near::COMPACT, is_plain: false };

impl Encoder<'_> {
    /// Appends `rows` to `program`; address advances are in units of 1 byte. After an error `program` has rows of no use.
    pub(super) fn put(
        &self,
        program: &mut Vec<u8>,
        mut at: Registers,
        rows: &[Row],
        mut counts: Option<&mut LineCounts>,
    ) -> Result<Registers, Error> {
        program.reserve(rows.len() * USUAL + ROOM);
        let mut rest = rows;
        while let Some(first) = rest.first() {
            let (chunk, behind) = rest.split_at(rest.len().min(CHUNK));
            ask_for(behind.get(..behind.len().min(CHUNK)).unwrap_or_default());
            let start = program.len();
            program.resize(start + chunk.len() * USUAL + ROOM, 0);
            let out = program.get_mut(start..).unwrap_or_default();
            let run = self.run(out, at, chunk, counts.as_deref_mut());
            program.truncate(start + run.len);
            at = run.at;
            let mut done = run.rows;
            if done == 0 {
                at = self.irregular(program, at, first)?;
                if let Some(counts) = counts.as_deref_mut() {
                    counts.add(first.line.wrapping_sub(run.at.line));
                }
                done = 1;
            }
            rest = rest.get(done..).unwrap_or_default();
        }
        Ok(at)
    }

    /// Writes rows as long as they are regular and there is room.
    fn run(&self, out: &mut [u8], at: Registers, rows: &[Row], mut counts: Option<&mut LineCounts>) -> Run {
        let mut run = Run { rows: 0, len: 0, at };
        loop {
            let rest = rows.get(run.rows..).unwrap_or_default();
            let room = out.get_mut(run.len..).unwrap_or_default();
            let near = match counts.as_deref_mut() {
                None if self.is_plain => near_rows::<true>(self.near, room, run.at, rest, |_| {}),
                None => near_rows::<false>(self.near, room, run.at, rest, |_| {}),
                Some(counts) => near_rows::<false>(self.near, room, run.at, rest, |lines| counts.add(lines)),
            };
            run = Run { rows: run.rows + near.rows, len: run.len + near.len, at: near.at };
            // Why it stopped there.
            let Some(row) = rows.get(run.rows) else { return run };
            let Some(room) = out.get_mut(run.len..).and_then(<[u8]>::first_chunk_mut) else { return run };
            let at = run.at;
            let (units, file) = (row.address.wrapping_sub(at.address), row.file.into());
            if units >= FAR || file != at.file && file > 0x7f {
                return run;
            }
            let lines = row.line.wrapping_sub(at.line);
            let behind = put_file(room, at.file, row.file);
            let Opcodes { bits, len } = self.row(units, lines as i32);
            store(room, behind, bits.to_le_bytes());
            if let Some(counts) = counts.as_deref_mut() {
                counts.add(lines);
            }
            let at = Registers { address: row.address, line: row.line, file };
            run = Run { rows: run.rows + 1, len: run.len + behind + len as usize, at };
        }
    }

    /// The opcodes of a row whose address advance is below [`FAR`].
    fn row(&self, units: u64, lines: i32) -> Opcodes {
        let row = if self.is_plain { plain::row } else { compact::row };
        row(Params::STANDARD, units, lines)
    }

    /// A row with a large file or advance, or one that cannot be.
    #[cold]
    fn irregular(&self, program: &mut Vec<u8>, at: Registers, row: &Row) -> Result<Registers, Error> {
        let Some(units) = row.address.checked_sub(at.address) else {
            return Err(Error::AddressBackwards { from: at.address, to: row.address });
        };
        check_leb128(Field::ADDRESS_ADVANCE, units, MAX_ADVANCE)?;
        let file = row.file.into();
        if file != at.file {
            put(program, DW_LNS_set_file, uleb128(file));
        }
        let lines = row.line.wrapping_sub(at.line) as i32;
        if units < FAR {
            self.row(units, lines).put(program);
        } else {
            put_far_row(program, lines, if self.is_plain { sleb128(units as i64) } else { uleb128(units) });
        }
        Ok(Registers { address: row.address, line: row.line, file })
    }
}

/// What has been written.
#[derive(Clone, Copy)]
struct Run {
    rows: usize,
    /// In bytes.
    len: usize,
    at: Registers,
}

/// The rows up to the first that neither [`near`] nor [`middle`] has, or for which there is no room. Calls nothing, so that
/// all stays in registers.
#[inline(never)]
fn near_rows<const PLAIN: bool>(
    near: &Near,
    out: &mut [u8],
    at: Registers,
    rows: &[Row],
    mut count: impl FnMut(u32),
) -> Run {
    let Registers { mut address, mut line, mut file } = at;
    let (mut len, mut done) = (0, 0);
    for row in rows {
        let Some(room) = out.get_mut(len..).and_then(<[u8]>::first_chunk_mut) else { break };
        if row.file > 0x7f {
            break;
        }
        let (units, lines) = (row.address.wrapping_sub(address), row.line.wrapping_sub(line));
        let behind = put_file(room, file, row.file);
        if let Some((bytes, size)) = near.row(units, lines) {
            store(room, behind, bytes);
            len += behind + size;
        } else {
            let lines = lines as i32;
            let middle =
                if PLAIN { middle::plain(units, lines) } else { middle::compact(near, units, lines) };
            let Some((bits, size)) = middle else { break };
            store(room, behind, bits.to_le_bytes());
            len += behind + size as usize;
        }
        count(lines);
        (address, line, file) = (row.address, row.line, row.file.into());
        done += 1;
    }
    Run { rows: done, len, at: Registers { address, line, file } }
}

/// `DW_LNS_set_file` where the file changes: written anyway, and counted then. `file` has one byte.
#[inline]
fn put_file(room: &mut [u8; ROOM], before: u64, file: u32) -> usize {
    store(room, 0, (u16::from(DW_LNS_set_file) | (file as u16) << 8).to_le_bytes());
    2 * usize::from(u64::from(file) != before)
}

/// Reads a row here and there. Rows are written faster than memory delivers them, and a core that is busy with
/// opcodes does not look as far ahead as these loads do: 2 million rows take less than half the time.
fn ask_for(rows: &[Row]) {
    let read = rows.iter().step_by(APART).fold(0, |all, row| all ^ row.line);
    core::hint::black_box(read);
}

/// A row whose opcodes are more than a register holds.
pub(super) fn put_far_row(program: &mut Vec<u8>, lines: i32, units: Leb128) {
    if lines != 0 {
        put(program, DW_LNS_advance_line, sleb128(lines.into()));
    }
    put(program, DW_LNS_advance_pc, units);
    program.push(DW_LNS_copy);
}

#[inline]
fn store<const N: usize>(room: &mut [u8; ROOM], at: usize, bytes: [u8; N]) {
    if let Some(place) = room.get_mut(at..at + N).and_then(|place| place.first_chunk_mut()) {
        *place = bytes;
    }
}
