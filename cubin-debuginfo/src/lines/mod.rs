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

mod address_lines;
mod columns;
mod line_lookup;
mod listing;
mod name_cache;
mod no_code;
mod query_answer;
mod sample_rows;
mod samples;
mod source_code;
mod unplaced_sequences;

pub use address_lines::{AddressLines, CallChain, IntermediateSource, NamedFrame, PtxSource};
pub use columns::{NoColumns, PtxColumns};
pub use line_lookup::LineLookup;
pub use listing::{LineListing, ListingRange, ListingRanges};
pub use query_answer::{AddressAnswer, QueryAnswer};
pub use sample_rows::{NoHeader, RowError, Sample, samples};
pub use samples::{BadRow, ChainCount, LineCount, Samples, TooManySamples};
pub use source_code::{LineCode, SourceCode, SourceError};
pub use unplaced_sequences::UnplacedSequences;
