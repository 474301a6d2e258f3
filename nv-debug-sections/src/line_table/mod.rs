//! The rules that turn instructions with `.loc` directives into line programs.
//!
//! * [`line_program_from_locs`]: `.debug_line` of sm_75-sm_89 and of every Mercury table
//!   (docs/formats/line-tables.md, rows made from .loc).
//! * [`mercury_to_native`]: `.debug_line` of sm_90 and later, made from the Mercury table
//!   (docs/formats/line-tables.md, rows from sm_90 on).
//! * [`native_to_mercury`]: the inverse, a Mercury table from which a given native one can be made.
//! * [`full_line_program`]: not as ptxas does it: a table with all that the directives say.
//! * [`ptx_lines`]: the input of both for `.nv_debug_line_sass`, which follows the same rules.
//!
//! All take plain values: where the instructions and the `.loc` directives come from is the
//! caller's business. Addresses are byte offsets in the code section. Observed: ptxas 13.0.88.

mod from_locs;
mod full;
mod mercury_to_native;
mod native_to_mercury;
mod ptx_lines;
#[cfg(test)]
mod tests;

pub use from_locs::line_program_from_locs;
pub use full::full_line_program;
pub use mercury_to_native::{AddressPair, hidden_mercury_address, last_inlined_name, mercury_to_native};
pub use native_to_mercury::native_to_mercury;
pub use ptx_lines::ptx_lines;

/// The index of a [`Loc`] in the slice that the builders take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocId(pub u32);

/// One `.loc` directive. Two directives with equal values stay distinct, since the rules compare
/// identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loc {
    /// File index as the directive gives it; only 16 bits reach the table.
    pub file: u32,
    /// 1-based line; 0 extends the row before.
    pub line: u32,
    /// Offset in `.debug_str` of the inlined callee's name; 0 when not inlined.
    pub name: u32,
    /// The directive of the call site: the latest earlier one with the file, line and column of
    /// `inlined_at`. Always smaller than the directive's own index.
    pub parent: Option<LocId>,
}

/// An instruction with its `.loc`, if it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocatedInstruction {
    /// Byte offset in the code section.
    pub address: u64,
    /// The directive in force.
    pub loc: Option<LocId>,
}

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
