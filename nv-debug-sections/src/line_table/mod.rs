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

mod entry_rows;
mod from_locs;
mod full;
mod function_start;
mod loc;
mod located_instruction;
mod mercury_to_native;
mod native_to_mercury;
mod ptx_lines;
#[cfg(test)]
mod tests;

pub use entry_rows::{EntryRow, entry_rows};
pub use from_locs::line_program_from_locs;
pub use full::full_line_program;
pub use function_start::FunctionStart;
pub use loc::{Loc, LocId};
pub use located_instruction::LocatedInstruction;
pub use mercury_to_native::{
    AddressPair, hidden_mercury_address, hidden_mercury_to_native, last_inlined_name, mercury_to_native,
};
pub use native_to_mercury::native_to_mercury;
pub use ptx_lines::ptx_lines;
