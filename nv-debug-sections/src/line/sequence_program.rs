//! One sequence of a line table, run on demand.

use super::line_state::set_address;
use super::steps::Steps;
use dwarf2_reader::Cursor;
use dwarf2_reader::line::Params;

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

pub(super) fn next_sequence<'d>(
    cursor: &mut Cursor<'d>,
    params: Params,
) -> dwarf2_reader::Result<SequenceProgram<'d>> {
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
