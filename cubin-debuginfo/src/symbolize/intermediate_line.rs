//! A line in a text of an intermediate language.

use nv_debug_sections::cubin::SectionIndex;

/// A line of an intermediate text: code in a language that the compiler has between the source and
/// PTX, as cuTile has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntermediateLine<'s> {
    /// The name of the file that the text is of; `None` where the file table has no such file.
    pub file: Option<&'s str>,
    /// 1-based line number.
    pub line: u32,
    /// The section that has the text; `None` where the file has none.
    pub section: Option<SectionIndex>,
    /// The line as the text has it; `None` where it has no such line.
    pub text: Option<&'s [u8]>,
}
