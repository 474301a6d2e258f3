//! A line row and its call sites as frames.

use super::callee_names::{CalleeName, CalleeNames, CalleeSpan};
use super::file_tables::Files;
use super::frame::{Frame, FrameFunction};
use super::line_table_index::RowRef;
use super::packed::Shape;
use super::{MAX_FRAMES, ResolvedAddress, Symbolizer};
use nv_debug_sections::code::Function;

/// What frames show of all rows of one [`Shape`], looked up once.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShapeLabel {
    file: u64,
    column: u64,
    /// Where [`Files`] has the file.
    path: Option<usize>,
    callee: CalleeSpan,
}

impl ShapeLabel {
    pub(super) fn new(shape: &Shape, files: &Files, names: &CalleeNames<'_>) -> Self {
        let (unit, file) = (shape.unit as usize, shape.file.into());
        let callee = names.find(unit, shape.name.into());
        Self { file, column: shape.column.into(), path: files.find(unit, file), callee }
    }
}

/// An iterator over the frames of a code address, which [`ResolvedAddress::frames`] returns.
#[derive(Debug, Clone)]
pub struct Frames<'s> {
    function: Option<&'s Function<'s>>,
    owner: &'s Symbolizer<'s>,
    next: NextRow<'s>,
    left: usize,
}

/// The row of the next frame. Packed ones are by far the most, and one step changes a number of
/// theirs only.
#[derive(Debug, Clone)]
enum NextRow<'s> {
    /// Index of a packed row, and that of its sequence's first one.
    Packed {
        first: u32,
        row: u32,
    },
    Other(RowRef<'s>),
    End,
}

impl<'s> Frames<'s> {
    #[inline]
    pub(super) fn of(place: ResolvedAddress<'s>) -> Self {
        let next = match place.source {
            Some(found) => match found.packed() {
                Some((first, row)) => NextRow::Packed { first, row },
                None => NextRow::Other(found),
            },
            None => NextRow::End,
        };
        Self { function: place.function, owner: place.owner, next, left: MAX_FRAMES }
    }

    #[inline]
    fn function(&self, callee: Option<CalleeName<'s>>) -> FrameFunction<'s> {
        match callee {
            None => FrameFunction::Physical(self.function),
            Some(callee) => FrameFunction::Inlined(callee),
        }
    }

    #[inline]
    fn packed(&mut self, first: u32, row: u32) -> Option<Frame<'s>> {
        let owner = self.owner;
        let spot = owner.source.packed().spot(row as usize)?;
        let label = owner.labels.get(spot.shape)?;
        self.next = match spot.caller {
            Some(caller) => NextRow::Packed { first, row: first + caller as u32 },
            None => NextRow::End,
        };
        Some(Frame {
            function: self.function(spot.inlined.then(|| owner.names.at(label.callee))),
            file: owner.files.name(label.path, label.file),
            line: spot.line,
            column: label.column,
            lost_context: spot.lost_context,
        })
    }

    fn other(&mut self, found: RowRef<'s>) -> Frame<'s> {
        let (row, unit, caller) = (found.row(), found.unit(), found.caller());
        let inlined = row.context != 0;
        let lost = inlined && caller.is_none();
        self.next = caller.map_or(NextRow::End, NextRow::Other);
        Frame {
            function: self.function(inlined.then(|| self.owner.callee_name(unit, row.name))),
            file: self.owner.file(unit, row.file),
            line: row.line,
            column: row.column,
            lost_context: lost.then_some(row.context),
        }
    }
}

impl<'s> Iterator for Frames<'s> {
    type Item = Frame<'s>;

    #[inline]
    fn next(&mut self) -> Option<Frame<'s>> {
        self.left = self.left.checked_sub(1)?;
        match self.next {
            NextRow::Packed { first, row } => self.packed(first, row),
            NextRow::Other(found) => Some(self.other(found)),
            NextRow::End => None,
        }
    }
}
