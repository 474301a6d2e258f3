//! Streaming execution of line programs, one operation at a time.

use super::LineTable;
use super::line_state::take_lone_end;
use super::sequence_program::{SequenceProgram, next_sequence};
use super::units::{in_section, units};
use crate::Result;
use dwarf2_reader::Cursor;

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
