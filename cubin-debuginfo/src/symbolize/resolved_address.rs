//! The result of looking up one code address.

use super::intermediate_line::IntermediateLine;
use super::line_table_index::RowRef;
use super::ptx_line::PtxLine;
use super::{Frames, Symbolizer};
use nv_debug_sections::code::{CodeSection, Function};
use nv_debug_sections::line::LineRow;

/// The function, source row and PTX row found for one code address.
#[derive(Debug, Clone, Copy)]
pub struct ResolvedAddress<'s> {
    /// The code section that contains the address.
    pub section: &'s CodeSection<'s>,
    /// Byte offset of the address in its code section.
    pub offset: u64,
    /// The function that contains the address; `None` where no symbol covers it.
    pub function: Option<&'s Function<'s>>,
    /// Number of the function range that has the address.
    pub(super) range_number: u32,
    pub(super) source: Option<RowRef<'s>>,
    pub(super) owner: &'s Symbolizer<'s>,
}

impl<'s> ResolvedAddress<'s> {
    /// The byte offset of the address from the start of its [`function`](Self::function), or of the
    /// section if there is no function.
    pub fn function_offset(&self) -> u64 {
        self.offset - self.function.map_or(0, |function| function.offset)
    }

    /// The row of `.debug_line` that covers the address.
    pub fn source_row(&self) -> Option<LineRow> {
        self.source.map(|found| found.row())
    }

    /// The path of file `number` in the file table of the row that covers the address; `None` if no
    /// row does, or the table has no such file.
    pub fn table_file(&self, number: u64) -> Option<&'s str> {
        self.owner.file(self.source?.unit(), number).path()
    }

    /// The number of frames in the call chain of the address, including those beyond
    /// [`MAX_FRAMES`](super::MAX_FRAMES). It takes constant time.
    pub fn depth(&self) -> usize {
        self.source.map_or(0, |found| found.depth() + 1)
    }

    /// Whether the line table that covers the address records inlined calls at all. If so, an
    /// address with one frame is known not to be inlined. `false` if no row covers the address.
    pub fn has_contexts(&self) -> bool {
        self.source.is_some_and(|found| self.owner.source.has_contexts(found.unit()))
    }

    /// Iterates over the frames of the address, innermost first, up to
    /// [`MAX_FRAMES`](super::MAX_FRAMES); the last is the function that has the code. Empty if
    /// `.debug_line` does not cover the address.
    #[inline]
    pub fn frames(&self) -> Frames<'s> {
        Frames::of(*self)
    }

    /// The PTX line of the address; `None` if `.nv_debug_line_sass` does not cover it.
    pub fn ptx(&self) -> Option<PtxLine<'s>> {
        let found = self.owner.ptx.find(self.section.index, self.offset, self.range_number)?;
        Some(self.owner.ptx_line(found.unit(), found.row()))
    }

    /// Returns the line of the intermediate language, such as Tile IR, for the address; `None` if
    /// `.nv.tileir.debug_line` does not cover it. Call chains are of source lines only.
    pub fn intermediate(&self) -> Option<IntermediateLine<'s>> {
        let found = self.owner.intermediate.find(self.section.index, self.offset, self.range_number)?;
        Some(self.owner.intermediate_line(found.unit(), found.row()))
    }
}
