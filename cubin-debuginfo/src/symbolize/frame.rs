//! One frame of a call chain.

use super::callee_names::CalleeName;
use super::file_tables::TableFileName;
use super::inlined_entry::InlinedEntry;
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
