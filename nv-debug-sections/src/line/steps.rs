//! The run of a line program, one operation at a time.

use super::line_state::{LineState, Step, step};
use super::{LineOp, LineRow};
use dwarf2_reader::Cursor;
use dwarf2_reader::line::Params;

/// An iterator that runs a line program. It returns each operation with the byte offset in the
/// section at which the operation ends.
#[derive(Debug, Clone)]
pub struct Steps<'d> {
    pub(super) cursor: Cursor<'d>,
    params: Params,
    pub(super) registers: LineState,
    /// The last opcode was an advance of the address. It belongs to the row or sequence end only if
    /// that comes next; else it stands alone.
    advanced: bool,
    /// The line was advanced since the last row, by opcodes up to this offset. They belong to the
    /// row if no other operation stands before it.
    line_advanced: Option<u64>,
    /// Operations that were read together with the one before them, the first one last.
    pending: Vec<(LineOp, u64)>,
    row: LineRow,
    /// Rows so far that contexts count.
    counted: u32,
    number: Option<u32>,
    last: Option<(u64, u32)>,
}

impl<'d> Steps<'d> {
    /// Starts after the `DW_LNE_set_address` of a sequence.
    pub(super) fn new(cursor: Cursor<'d>, params: Params) -> Self {
        Self {
            cursor,
            params,
            registers: LineState::START,
            advanced: false,
            line_advanced: None,
            pending: Vec::new(),
            row: LineRow::start(params.default_is_stmt),
            counted: 0,
            number: None,
            last: None,
        }
    }

    /// The registers of the line program after the last operation. If that was [`LineOp::Row`],
    /// they are the row.
    pub fn row(&self) -> &LineRow {
        &self.row
    }

    /// The 1-based number by which inlining contexts refer to the last row; `None` for a repeated
    /// row, which has no number.
    pub fn row_number(&self) -> Option<u32> {
        self.number
    }

    /// The next operation, and the offset in the section where it ends; `None` at the end of the
    /// sequence.
    pub(super) fn step(&mut self) -> dwarf2_reader::Result<Option<(LineOp, u64)>> {
        if let Some(pending) = self.pending.pop() {
            return Ok(Some(pending));
        }
        loop {
            let (before, start) = (self.registers, self.cursor.offset());
            let step = step(&mut self.cursor, self.params, &mut self.registers)?;
            let was_advanced = std::mem::replace(&mut self.advanced, matches!(step, Step::Advance));
            let alone = was_advanced && !matches!(step, Step::Copy | Step::End);
            let alone = alone.then_some((LineOp::Advance(before.address), start));
            let LineState { address, line } = self.registers;
            let op = match step {
                Step::Copy | Step::Special => {
                    self.line_advanced = None;
                    LineOp::Row { address, line }
                }
                Step::Advance | Step::Line => {
                    if matches!(step, Step::Line) {
                        self.line_advanced = Some(self.cursor.offset());
                    }
                    match alone {
                        Some(_) => return Ok(alone),
                        None => continue,
                    }
                }
                Step::State(op) => op,
                Step::Extended(opcode, operands) => LineOp::Extended { opcode, operands: operands.to_vec() },
                Step::End => return Ok(None),
            };
            let op = Some((op, self.cursor.offset()));
            let line_alone = self.line_advanced.take().map(|end| (LineOp::AdvanceLine(before.line), end));
            if alone.is_none() && line_alone.is_none() {
                return Ok(op);
            }
            self.pending.extend(op.into_iter().chain(alone).chain(line_alone));
            return Ok(self.pending.pop());
        }
    }

    /// Changes the row as an operation says.
    fn apply(&mut self, op: &LineOp) {
        let LineOp::Row { address, line } = *op else { return self.row.apply(op) };
        let row = &mut self.row;
        (row.number, row.address, row.line) = (row.number.wrapping_add(1), address, line);
        // A doubled row is not counted: see `Rows`.
        let is_counted = self.last.replace((address, line)) != Some((address, line));
        self.counted = self.counted.saturating_add(is_counted.into());
        self.number = is_counted.then_some(self.counted);
    }
}

impl Iterator for Steps<'_> {
    type Item = (LineOp, u64);

    fn next(&mut self) -> Option<(LineOp, u64)> {
        // `UnitProgram::sequences` has run the program without an error.
        let (op, end) = self.step().ok()??;
        self.apply(&op);
        Some((op, end))
    }
}
