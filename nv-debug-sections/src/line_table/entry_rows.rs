//! The rows that open functions.

use super::LocId;
/// The start of a function, in its own section or in one that it was folded into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionStart {
    /// Byte offset in the code section.
    pub address: u64,
    /// The function's first `.loc`; `None` for functions without, or if its line is 0.
    pub first_loc: Option<LocId>,
    /// 1-based PTX line of the `{` that opens the body; `None` for built-in helpers, which have no
    /// PTX.
    pub ptx_line: Option<u32>,
}

/// The row of a line table that opens a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryRow {
    /// Byte offset in the code section.
    pub address: u64,
    /// Its file and line.
    pub loc: LocId,
    /// Whether a Mercury table flags it with 0x92: only in sections with a `.loc`, in both tables
    /// (observed: ptxas 13.0.88, sm_100 and sm_120).
    pub flagged: bool,
}

/// Returns the rows of the source line table that open functions. A function without a `.loc` has
/// none.
pub fn entry_rows(starts: &[FunctionStart]) -> Vec<EntryRow> {
    let row = |start: &FunctionStart| {
        Some(EntryRow { address: start.address, loc: start.first_loc?, flagged: true })
    };
    starts.iter().filter_map(row).collect()
}
