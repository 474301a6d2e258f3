//! The start of a function in a code section.

use super::LocId;

/// The start of a function in a code section: its own section, or the section into which it was
/// folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionStart {
    /// The byte offset of the function's start in the code section.
    pub address: u64,
    /// The function's first `.loc`; `None` if it has no `.loc`, or if the line of the first one is
    /// 0.
    pub first_loc: Option<LocId>,
    /// The 1-based PTX line of the `{` that opens the function's body; `None` for built-in helper
    /// functions, which have no PTX.
    pub ptx_line: Option<u32>,
}
