//! Source lines of a cubin as answers: the lines of an address, ranges with equal lines, the code
//! of a source line, and the number of profiler samples for each line.
//!
//! Every answer is a value that `serde` writes as JSON. Chains of calls are not collected: they are
//! read from the tables each time that they are gone through, so that a listing takes memory for
//! the tables only, however deep its chains are.
//!
//! ```no_run
//! # fn f(bytes: &[u8]) -> nv_debug_sections::Result<()> {
//! use cubin_debuginfo::lines::LineLookup;
//! use cubin_debuginfo::symbolize::Symbolizer;
//! use nv_debug_sections::cubin::Cubin;
//!
//! let cubin = Cubin::parse(bytes)?;
//! let symbolizer = Symbolizer::new(&cubin)?;
//! let lookup = LineLookup::new(&cubin, &symbolizer);
//! for address in lookup.query("saxpy+0x160", None).addresses {
//!     for frame in address.lines.frames.iter() {
//!         println!("{:?} at {:?}:{}", frame.name, frame.frame.file, frame.frame.line);
//!     }
//! }
//! for range in lookup.code_of("saxpy.cu:18-20").ranges {
//!     println!("{}+{:#x}..{:#x}", range.section, range.start, range.end);
//! }
//! # Ok(()) }
//! ```

mod address_answer;
mod address_lines;
mod bad_row;
mod call_chain;
mod call_fault;
mod chain_frame;
mod intermediate_source;
mod line_lookup;
mod listing;
mod lost_call;
mod lost_calls;
mod lost_file;
mod name_cache;
mod named_frame;
mod no_chains;
mod no_code;
mod profile_csv;
mod ptx_callee;
mod ptx_chains;
mod ptx_frame;
mod ptx_source;
mod query_answer;
mod sample;
mod samples;
mod source_code;
mod source_error;
mod too_many_samples;
mod unplaced_sequences;

pub use address_answer::AddressAnswer;
pub use address_lines::AddressLines;
pub use bad_row::BadRow;
pub use call_chain::CallChain;
pub use call_fault::CallFault;
pub use intermediate_source::IntermediateSource;
pub use line_lookup::LineLookup;
pub use listing::{LineListing, ListingRange, ListingRanges};
pub use lost_call::LostCall;
pub use lost_calls::LostCalls;
pub use lost_file::LostFile;
pub use named_frame::NamedFrame;
pub use no_chains::NoChains;
pub use profile_csv::{NoHeader, RowError, samples};
pub use ptx_callee::PtxCallee;
pub use ptx_chains::PtxChains;
pub use ptx_frame::PtxFrame;
pub use ptx_source::PtxSource;
pub use query_answer::QueryAnswer;
pub use sample::Sample;
pub use samples::{ChainCount, LineCount, Samples};
pub use source_code::{LineCode, SourceCode};
pub use source_error::SourceError;
pub use too_many_samples::TooManySamples;
pub use unplaced_sequences::UnplacedSequences;
