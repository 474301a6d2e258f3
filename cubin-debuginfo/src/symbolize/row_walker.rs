//! Runs a line program row by row, without keeping any.

use dwarf2_reader::constants as dw;
use dwarf2_reader::line::Params;
use dwarf2_reader::{Cursor, Result};
use nv_debug_sections::line::{DW_LNE_NVIDIA_INLINED_CALL, LineRow, LineState, Step, step};

/// A row and the number by which contexts refer to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberedRow {
    pub(super) row: LineRow,
    /// Rows before this one that contexts count.
    pub(super) seen: u32,
    /// Whether contexts count this one: see [`Rows::new`](nv_debug_sections::line::Rows::new).
    pub(super) counted: bool,
}

/// A line program while it is run.
pub(super) struct RowWalker<'d> {
    pub(super) cursor: Cursor<'d>,
    params: Params,
    registers: LineState,
    row: LineRow,
    /// Rows so far that contexts count.
    seen: u32,
    last: Option<(u64, u32)>,
}

impl<'d> RowWalker<'d> {
    /// Starts at a program, after its `DW_LNE_set_address`.
    pub(super) fn new(cursor: Cursor<'d>, params: Params) -> Self {
        let row = LineRow::start(params.default_is_stmt);
        Self { cursor, params, registers: LineState::START, row, seen: 0, last: None }
    }

    /// Starts after the opcode of a row; [`Numbered::seen`] counts from there.
    #[inline]
    pub(super) fn after_row(cursor: Cursor<'d>, params: Params, row: LineRow) -> Self {
        let registers = LineState { address: row.address, line: row.line };
        Self { cursor, params, registers, row, seen: 0, last: Some((row.address, row.line)) }
    }

    /// The address register, relative to the sequence's start. After the last row it is the end.
    pub(super) fn address(&self) -> u64 {
        self.registers.address
    }

    /// Runs to the next row; `None` after the last.
    #[inline]
    pub(super) fn next_row(&mut self) -> Result<Option<NumberedRow>> {
        loop {
            match self.frequent() {
                Some(true) => break,
                Some(false) => continue,
                None => {}
            }
            match step(&mut self.cursor, self.params, &mut self.registers)? {
                Step::Copy | Step::Special => break,
                Step::State(op) => self.row.apply(&op),
                Step::Advance | Step::Line | Step::Extended(..) => {}
                Step::End => return Ok(None),
            }
        }
        let LineState { address, line } = self.registers;
        let here = Some((address, line));
        let counted = here != self.last;
        self.last = here;
        (self.row.address, self.row.line) = (address, line);
        self.row.number = self.row.number.wrapping_add(1);
        let seen = self.seen;
        self.seen = seen.saturating_add(counted.into());
        Ok(Some(NumberedRow { row: self.row, seen, counted }))
    }

    /// Runs one of the opcodes that nearly all programs consist of, and returns whether it makes a
    /// row. `None` leaves it to [`step`], which has the same effect. In this way no error and no
    /// operation goes through memory as a value.
    #[inline]
    fn frequent(&mut self) -> Option<bool> {
        let (&opcode, operands) = self.cursor.rest().split_first()?;
        let Params { minimum_instruction_length: unit, line_base, line_range, opcode_base, .. } = self.params;
        let LineState { address, line } = &mut self.registers;
        let (is_row, rest) = match opcode {
            special if special >= opcode_base => {
                let adjusted = special - opcode_base;
                let by = u64::from(adjusted.checked_div(line_range)?) * u64::from(unit);
                *address = address.wrapping_add(by);
                *line = line.wrapping_add_signed(i32::from(line_base) + i32::from(adjusted % line_range));
                (true, operands)
            }
            dw::DW_LNS_copy => (true, operands),
            dw::DW_LNS_advance_pc => {
                let (by, _, rest) = short_leb(operands)?;
                *address = address.wrapping_add(u64::from(by) * u64::from(unit));
                (false, rest)
            }
            dw::DW_LNS_advance_line => {
                let (by, bits, rest) = short_leb(operands)?;
                let above = u32::BITS - bits;
                *line = line.wrapping_add_signed((by << above).cast_signed() >> above);
                (false, rest)
            }
            dw::DW_LNS_set_file => {
                let (file, _, rest) = short_leb(operands)?;
                self.row.file = file.into();
                (false, rest)
            }
            0 => {
                let [length @ 1..0x80, DW_LNE_NVIDIA_INLINED_CALL, operands @ ..] = operands else {
                    return None;
                };
                let (operands, rest) = operands.split_at_checked(usize::from(*length) - 1)?;
                let (context, _, operands) = short_leb(operands)?;
                let (name, _, []) = short_leb(operands)? else { return None };
                (self.row.context, self.row.name) = (context.into(), name.into());
                (false, rest)
            }
            _ => return None,
        };
        self.cursor.leave(rest.len());
        Some(is_row)
    }
}

/// A LEB128 number of up to three bytes: its bits, how many they are, and what follows it.
#[inline]
fn short_leb(bytes: &[u8]) -> Option<(u32, u32, &[u8])> {
    let bits = |byte: u8| u32::from(byte & 0x7f);
    Some(match bytes {
        [a @ ..0x80, rest @ ..] => (bits(*a), 7, rest),
        [a, b @ ..0x80, rest @ ..] => (bits(*a) | bits(*b) << 7, 14, rest),
        [a, b, c @ ..0x80, rest @ ..] => (bits(*a) | bits(*b) << 7 | bits(*c) << 14, 21, rest),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PARAMS: Params = Params {
        version: 2,
        minimum_instruction_length: 1,
        default_is_stmt: true,
        line_base: -5,
        line_range: 14,
        opcode_base: 10,
    };

    proptest! {
        /// Tests that the short way has the same effect as `step`, and reads as many bytes.
        #[test]
        fn frequent_opcodes_mean_what_step_means(
            opcode in prop_oneof![0..10_u8, any::<u8>()],
            operands in prop::collection::vec(any::<u8>(), 0..6),
            inlined in prop::collection::vec(any::<u8>(), 0..8),
            extended: bool,
        ) {
            let mut bytes = vec![opcode];
            if extended {
                bytes = vec![0, inlined.len() as u8 + 1, DW_LNE_NVIDIA_INLINED_CALL];
                bytes.extend(inlined);
            }
            bytes.extend(operands);
            let start = || RowWalker::new(Cursor::new("", &bytes), PARAMS);
            let mut quick = start();
            if let Some(is_row) = quick.frequent() {
                let mut slow = start();
                let done = step(&mut slow.cursor, PARAMS, &mut slow.registers).unwrap();
                if let Step::State(op) = &done {
                    slow.row.apply(op);
                }
                prop_assert_eq!(is_row, matches!(done, Step::Copy | Step::Special));
                prop_assert_eq!(quick.cursor.offset(), slow.cursor.offset());
                prop_assert_eq!(quick.address(), slow.address());
                prop_assert_eq!(quick.registers.line, slow.registers.line);
                prop_assert_eq!(quick.row, slow.row);
            }
        }
    }
}
