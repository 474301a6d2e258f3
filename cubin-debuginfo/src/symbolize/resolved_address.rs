//! The result of looking up one code address.

use super::line_table_index::RowRef;
use super::{Frames, Symbolizer};
use nv_debug_sections::code::{CodeSection, Function};
use nv_debug_sections::cubin::SectionIndex;
use nv_debug_sections::line::LineRow;

/// The function, source row and PTX row found for one code address.
#[derive(Debug, Clone, Copy)]
pub struct ResolvedAddress<'s> {
    /// The code section.
    pub section: &'s CodeSection<'s>,
    /// Byte offset in that section.
    pub offset: u64,
    /// The function whose code it is; `None` where no symbol covers it.
    pub function: Option<&'s Function<'s>>,
    /// Number of the function range that has the address.
    pub(super) range_number: u32,
    pub(super) source: Option<RowRef<'s>>,
    pub(super) owner: &'s Symbolizer<'s>,
}

/// A line of the PTX source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PtxLine<'s> {
    /// 1-based line number.
    pub line: u32,
    /// The section that has the text; `None` where the file has none or it is not clear which.
    pub section: Option<SectionIndex>,
    /// The line as `.nv_debug_ptx_txt` keeps it (no leading blanks, no debug directives); `None`
    /// where that has no such line.
    pub text: Option<&'s [u8]>,
}

impl<'s> ResolvedAddress<'s> {
    /// The byte offset from the start of [`function`](Self::function), or of the section if there
    /// is no function.
    pub fn function_offset(&self) -> u64 {
        self.offset - self.function.map_or(0, |function| function.offset)
    }

    /// The row of `.debug_line` that covers the address.
    pub fn source_row(&self) -> Option<LineRow> {
        self.source.map(|found| found.row())
    }

    /// The number of frames of the address, including those beyond
    /// [`MAX_FRAMES`](super::MAX_FRAMES); takes constant time.
    pub fn depth(&self) -> usize {
        self.source.map_or(0, |found| found.depth() + 1)
    }

    /// Whether the line unit of the row has any inlined code. If so, an address with one frame
    /// belongs to the function itself. `false` if there is no row.
    pub fn has_contexts(&self) -> bool {
        self.source.is_some_and(|found| self.owner.source.has_contexts(found.unit()))
    }

    /// Iterates over the frames of the address, innermost first and the function's own last, up to
    /// [`MAX_FRAMES`](super::MAX_FRAMES). Empty if `.debug_line` does not cover the address.
    #[inline]
    pub fn frames(&self) -> Frames<'s> {
        Frames::of(*self)
    }

    /// The PTX line; `None` if `.nv_debug_line_sass` does not cover the address.
    pub fn ptx(&self) -> Option<PtxLine<'s>> {
        let found = self.owner.ptx.find(self.section.index, self.offset, self.range_number)?;
        Some(self.owner.ptx_line(found.unit(), found.row()))
    }
}
