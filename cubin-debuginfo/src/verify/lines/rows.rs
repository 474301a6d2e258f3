//! Checks of the rows of a line section, one after the other.

use nv_debug_sections::line::{LineOp, LineRow, UnitProgram};

/// The tables of a section.
pub(in crate::verify) type Units<'t, 'd> = &'t [UnitProgram<'d>];

/// Rows with the number of their unit and the offset of the base of the sequence they are in.
pub(in crate::verify) fn all_rows<'t>(
    units: Units<'t, '_>,
) -> impl Iterator<Item = (usize, u64, LineRow)> + 't {
    units.iter().enumerate().flat_map(|(unit, program)| {
        program.sequences().map_while(Result::ok).flat_map(move |sequence| {
            let mut steps = sequence.steps();
            std::iter::from_fn(move || {
                while let Some((op, _)) = steps.next() {
                    if matches!(op, LineOp::Row { .. }) {
                        return Some((unit, sequence.base_offset, *steps.row()));
                    }
                }
                None
            })
        })
    })
}
