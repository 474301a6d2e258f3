//! One frame of a chain of inlined calls, as a line table has it.

/// One frame of a chain of inlined calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableFrame {
    /// The number of the inlined function's name; `None` in the last frame.
    pub callee: Option<u32>,
    /// The file's index.
    pub file: u16,
    /// The source line.
    pub line: u32,
}
