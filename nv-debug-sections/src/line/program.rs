//! Streaming execution of line programs, one operation at a time.

use super::line_state::{LineState, Step, set_address, step, take_lone_end};
use super::units::{in_section, units};
use super::{LineOp, LineRow, LineTable};
use crate::Result;
use dwarf2_reader::Cursor;
use dwarf2_reader::line::Params;

/// A unit of a line table section: its header, and a line program that is run on demand.
#[derive(Debug, Clone)]
pub struct UnitProgram<'d> {
    /// The header of the unit, without sequences.
    pub table: LineTable<'d>,
    /// The byte offset of the unit in its section.
    pub offset: u64,
    /// The number of bytes of the unit before its first sequence.
    pub header_size: u64,
    /// The section's name, for errors.
    section: &'d str,
    /// A cursor over the sequences of the unit, which follow one another.
    pub program: Cursor<'d>,
}

/// A sequence of a line table whose operations are read on demand.
#[derive(Debug, Clone)]
pub struct SequenceProgram<'d> {
    /// The byte offset of the sequence in the section, at its `DW_LNE_set_address`.
    pub offset: u64,
    /// The number of bytes of the whole sequence, including `DW_LNE_end_sequence`.
    pub size: u64,
    /// The operand of `DW_LNE_set_address`, the base address of the sequence.
    pub base: u64,
    /// The byte offset in the section of the operand of `DW_LNE_set_address`.
    pub base_offset: u64,
    /// The address of the first byte after the sequence's code, relative to its base.
    pub end: u64,
    params: Params,
    program: Cursor<'d>,
}

/// Iterates over the units of a line table section without running their line programs. The
/// iterator ends after an error.
///
/// `section` is the section's name, for errors.
pub fn unit_programs<'d>(
    section: &'d str,
    data: &'d [u8],
) -> impl Iterator<Item = Result<UnitProgram<'d>>> + use<'d> {
    units(section, data).map(move |unit| {
        let (offset, mut table, mut program) = unit?;
        let header_size = program.offset() - offset;
        table.has_lone_end = take_lone_end(&mut program);
        Ok(UnitProgram { table, offset, header_size, section, program })
    })
}

impl<'d> UnitProgram<'d> {
    /// The size of the line unit in bytes.
    pub fn size(&self) -> u64 {
        self.program.offset() + self.program.rest().len() as u64 - self.offset
    }

    /// Iterates over the sequences of the line unit in section order. Each is run to its end, so
    /// that all its faults are found. The iterator ends after an error.
    pub fn sequences(&self) -> impl Iterator<Item = Result<SequenceProgram<'d>>> + use<'d> {
        let (section, mut cursor, params) = (self.section, self.program.clone(), self.table.params);
        let mut failed = false;
        std::iter::from_fn(move || {
            let sequence = (!failed && !cursor.is_empty()).then(|| next_sequence(&mut cursor, params))?;
            failed = sequence.is_err();
            Some(sequence.map_err(|error| in_section(section, error)))
        })
    }
}

fn next_sequence<'d>(cursor: &mut Cursor<'d>, params: Params) -> dwarf2_reader::Result<SequenceProgram<'d>> {
    let offset = cursor.offset();
    let (base, base_offset) = set_address(cursor)?;
    let program = cursor.clone();
    let mut steps = Steps::new(program.clone(), params);
    while steps.step()?.is_some() {}
    let end = steps.registers.address;
    *cursor = steps.cursor;
    Ok(SequenceProgram { offset, size: cursor.offset() - offset, base, base_offset, end, params, program })
}

impl<'d> SequenceProgram<'d> {
    /// Iterates over the operations of the line program, with the registers after each.
    pub fn steps(&self) -> Steps<'d> {
        Steps::new(self.program.clone(), self.params)
    }
}

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
