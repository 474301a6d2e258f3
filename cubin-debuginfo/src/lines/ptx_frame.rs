//! One frame of a chain of calls, as a PTX states it.

use super::PtxCallee;

/// One frame of the chain of calls that the `.loc` directives of a PTX state for a line of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PtxFrame<'p> {
    /// The function that is inlined into that of the next frame; `None` in the last frame.
    pub callee: Option<PtxCallee<'p>>,
    /// The path of the `.file` directive; `None` for a file that the PTX does not declare.
    pub path: Option<&'p str>,
    /// The number of the file in a table with one entry for each `.file` directive, from 1; 0 for a
    /// file that the PTX does not declare.
    pub file: u64,
    /// 1-based source line; 0 for none.
    pub line: u32,
    /// 1-based source column; 0 for none.
    pub column: u32,
}
