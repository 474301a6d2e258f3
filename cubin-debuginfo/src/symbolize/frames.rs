//! A line row and its call sites as frames.

use super::callee_names::{CalleeName, CalleeNames, CalleeSpan};
use super::file_tables::{Files, TableFileName};
use super::line_table_index::RowRef;
use super::packed::Shape;
use super::{MAX_FRAMES, ResolvedAddress, Symbolizer};
use nv_debug_sections::code::Function;

/// One frame of a call chain: a function, and a source line in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'s> {
    /// The function that the frame is in: one with code, or an inlined one.
    pub function: FrameFunction<'s>,
    /// The source file of the frame.
    pub file: TableFileName<'s>,
    /// 1-based source line of the frame; 0 for none.
    pub line: u32,
    /// 1-based source column of the frame; 0 for none. ptxas never writes one.
    pub column: u64,
    /// The context number of the frame's row, if no earlier row of the table has that number: the
    /// callers are then unknown, and this frame is the last. Otherwise `None`.
    pub lost_context: Option<u64>,
}

impl<'s> Frame<'s> {
    /// Whether the frame's function was inlined into that of the next frame.
    pub fn is_inlined(&self) -> bool {
        !matches!(self.function, FrameFunction::Physical(_))
    }

    /// Whether the frame comes from `.debug_info` and not from the line table.
    pub fn is_by_entry(&self) -> bool {
        matches!(self.function, FrameFunction::InlinedEntry(_))
    }

    /// The name of the frame's function, if the line table says that it is inlined.
    pub fn inlined_callee(&self) -> Option<CalleeName<'s>> {
        match self.function {
            FrameFunction::Inlined(callee) => Some(callee),
            FrameFunction::Physical(_) | FrameFunction::InlinedEntry(_) => None,
        }
    }
}

/// The function of a call frame: a function with code, or an inlined one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameFunction<'s> {
    /// The function whose code section has the code, in the last frame of a chain; `None` where no
    /// symbol covers the code.
    Physical(Option<&'s Function<'s>>),
    /// A function that the line table says is inlined into the function of the next frame.
    Inlined(CalleeName<'s>),
    /// A function that `.debug_info` says is inlined into the function of the next frame, where the
    /// line table does not say so.
    InlinedEntry(InlinedEntry<'s>),
}

/// An inlined call in `.debug_info` (`DW_TAG_inlined_subroutine`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InlinedEntry<'s> {
    /// The (mangled) name of the function that is called; `None` where its entry has none.
    pub name: Option<&'s [u8]>,
    /// Byte offset of the call's entry in `.debug_info`.
    pub offset: u64,
}

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
