//! A line of the PTX text of a cubin.

use nv_debug_sections::cubin::SectionIndex;

/// A line of the PTX text that the cubin was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PtxLine<'s> {
    /// 1-based number of the line in the PTX text.
    pub line: u32,
    /// The section that has the PTX text; `None` where the file has none, or where several could be
    /// meant.
    pub section: Option<SectionIndex>,
    /// The text of the line as `.nv_debug_ptx_txt` keeps it (no leading blanks, no debug
    /// directives); `None` where the PTX text has no such line.
    pub text: Option<&'s [u8]>,
}
