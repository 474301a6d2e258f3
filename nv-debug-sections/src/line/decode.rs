//! The decoder of line sections: one pass over each unit.

use super::line_state::{set_address, take_lone_end};
use super::steps::Steps;
use super::units::{in_section, units};
use super::{LineTable, LineTableWithOffsets, Sequence, SequenceOffsets};
use crate::Result;
use dwarf2_reader::Cursor;
use dwarf2_reader::line::Params;

/// Decodes every unit of a line table section.
///
/// `section` is the section's name, for errors. The bytes are taken as they stand: relocations
/// apply to the `base_offset` fields.
///
/// # Errors
///
/// Truncated fields, a version other than 2 or 3, a header that is inconsistent, opcodes outside a
/// sequence, a sequence left open.
pub fn decode<'d>(section: &'d str, data: &'d [u8]) -> Result<Vec<LineTable<'d>>> {
    units(section, data)
        .map(|unit| {
            let (_, mut table, mut program) = unit?;
            table.has_lone_end = take_lone_end(&mut program);
            while !program.is_empty() {
                let sequence = decode_sequence(&mut program, table.params, |_| ());
                table.sequences.push(sequence.map_err(|error| in_section(section, error))?);
            }
            Ok(table)
        })
        .collect()
}

/// Decodes every unit of a line table section as [`decode`] does, with the byte offset of each
/// part.
///
/// # Errors
///
/// As [`decode`].
pub fn decode_with_offsets<'d>(section: &'d str, data: &'d [u8]) -> Result<Vec<LineTableWithOffsets<'d>>> {
    units(section, data)
        .map(|unit| {
            let (offset, mut table, mut program) = unit?;
            let header_size = program.offset() - offset;
            table.has_lone_end = take_lone_end(&mut program);
            let mut sequences = Vec::new();
            while !program.is_empty() {
                let offset = program.offset();
                let mut op_ends = Vec::new();
                let sequence = decode_sequence(&mut program, table.params, |end| op_ends.push(end));
                table.sequences.push(sequence.map_err(|error| in_section(section, error))?);
                sequences.push(SequenceOffsets { offset, size: program.offset() - offset, op_ends });
            }
            Ok(LineTableWithOffsets {
                table,
                offset,
                header_size,
                size: program.offset() - offset,
                sequences,
            })
        })
        .collect()
}

/// Decodes the sequence at a cursor, and moves the cursor after it. `ends` is called with the byte
/// offset after each [`LineOp`](super::LineOp).
///
/// # Errors
///
/// As [`decode`], of programs.
pub fn decode_sequence(
    cursor: &mut Cursor<'_>,
    params: Params,
    mut ends: impl FnMut(u64),
) -> dwarf2_reader::Result<Sequence> {
    let (base, base_offset) = set_address(cursor)?;
    let mut steps = Steps::new(cursor.clone(), params);
    let mut ops = Vec::new();
    while let Some((op, end)) = steps.step()? {
        ops.push(op);
        ends(end);
    }
    *cursor = steps.cursor;
    Ok(Sequence { base, base_offset, ops, end: steps.registers.address })
}
