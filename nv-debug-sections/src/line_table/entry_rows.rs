//! The rows that open functions.

use super::LocId;
use super::function_start::FunctionStart;

/// A row of a line table that opens a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryRow {
    /// The byte offset in the code section at which the function starts.
    pub address: u64,
    /// The `.loc` directive that gives the row its file and line.
    pub loc: LocId,
    /// Whether a Mercury table marks the row with opcode 0x92. Both line tables do so only in code
    /// sections with a `.loc` (observed: ptxas 13.0.88, sm_100 and sm_120).
    pub flagged: bool,
}

/// Returns for each function the row of the source line table at its start. A function without a
/// `.loc` has none.
pub fn entry_rows(starts: &[FunctionStart]) -> Vec<EntryRow> {
    let row = |start: &FunctionStart| {
        Some(EntryRow { address: start.address, loc: start.first_loc?, flagged: true })
    };
    starts.iter().filter_map(row).collect()
}
