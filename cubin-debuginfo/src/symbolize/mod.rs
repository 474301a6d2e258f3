//! Resolves a code address to frames: function, source line, every inlined caller, PTX line and
//! text.
//!
//! [`Symbolizer::new`] reads the line tables of a cubin once; [`Symbolizer::locate`] then answers
//! each address with a binary search and without an allocation, [`Symbolizer::locate_all`] many. An
//! address is a section and an offset, because in a cubin every function starts at 0: offset 0x20
//! alone means as many places as there are functions.
//!
//! ```no_run
//! # fn f(bytes: &[u8]) -> nv_debug_sections::Result<()> {
//! use cubin_debuginfo::symbolize::Symbolizer;
//! use nv_debug_sections::cubin::Cubin;
//!
//! let cubin = Cubin::parse(bytes)?;
//! let symbolizer = Symbolizer::new(&cubin)?;
//! for function in symbolizer.functions() {
//!     let Some(place) = symbolizer.locate(function.section, function.offset + 0x20) else { continue };
//!     for frame in place.frames() {
//!         // innermost first
//!     }
//! }
//! # Ok(()) }
//! ```

mod batch;
mod callee_names;
mod covered_ranges;
mod file_tables;
mod frame;
mod frames;
mod inlined_entry;
mod intermediate_line;
mod line_table_index;
mod name_uncertainty;
mod packed;
mod ptx_line;
mod resolved_address;
mod row_walker;
mod symbolizer;
mod unit_names;

pub use intermediate_line::IntermediateLine;
pub use ptx_line::PtxLine;
pub use resolved_address::ResolvedAddress;
pub use symbolizer::Symbolizer;

pub use crate::limits::MAX_FRAMES;
pub use callee_names::{CalleeName, CalleeNames};
pub use covered_ranges::CoveredRange;
pub use file_tables::TableFileName;
pub use frame::{Frame, FrameFunction};
pub use frames::Frames;
pub use inlined_entry::InlinedEntry;
pub use line_table_index::{LineTableIndex, SequenceRows};
pub use name_uncertainty::NameUncertainty;
pub use unit_names::UnitNames;
