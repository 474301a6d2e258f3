//! Each debug section of a cubin as a list of items, with the bytes that each takes.
//!
//! A [`DumpSource`] decodes one section after another. [`Contents`] say what a section holds, a
//! [`ItemStream`] hands its items out one by one: a section can have more of them than memory
//! holds. What is between items is handed out too, as [`StreamPart::Rest`], so that every byte of a
//! section belongs to something. Addresses, expressions and values are in words, with places such
//! as `.text.saxpy+0x10`.
//!
//! ```
//! use cubin_debuginfo::dump::{Contents, DumpSource};
//! use nv_debug_sections::{catalog::SectionKind, cubin::Cubin};
//!
//! let file = std::fs::read("../examples/saxpy/saxpy-debug.cubin")?;
//! let cubin = Cubin::parse(&file)?;
//! let source = DumpSource::new(&cubin, None, None);
//! let opened = source.first(SectionKind::NvDebugPtxTxt).map(|index| source.open(index)).ok_or("no PTX")?;
//! let Contents::PtxText(lines) = source.decode(&opened).contents else { return Err("unreadable".into()) };
//! lines.try_each(|line| {
//!     println!("{:#x}, {} bytes: {}", line.at.offset, line.at.size, line.text); // 0x8, 13 bytes: .version 9.0
//!     Ok::<(), std::fmt::Error>(())
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod abbreviation;
mod contents;
mod decode;
mod dump_source;
mod frames;
mod function_filter;
mod header;
mod info;
mod item_offset;
mod line_programs;
mod location_and_range_lists;
mod lookup_tables;
mod macinfo;
mod nv_info;
mod open_section;
mod ptx_txt;
pub mod ptxas_style;
mod registers;
mod relocated_view;
mod section;
mod section_table;
mod shared_window;
mod span;
mod stream;
mod strings;
mod unclaimed_bytes;
mod with_offset;

pub use abbreviation::Abbreviation;
pub use contents::Contents;
pub use dump_source::DumpSource;
pub use frames::FrameEntry;
pub use function_filter::Filter;
pub use header::Header;
pub use info::{Attribute, Die, InfoUnit};
pub use item_offset::{ItemOffset, NoItem};
pub use line_programs::{LineFile, LineParams, LineRow, LineSequence, LineUnit};
pub use location_and_range_lists::Location;
pub use lookup_tables::{AddressRange, NameLookup};
pub use nv_info::{FunctionFacts, NvInfoRecord};
pub use open_section::OpenSection;
pub use ptx_txt::TextLine;
pub use registers::{Register, RegisterTypes, Registers};
pub use relocated_view::RelocatedView;
pub use section::Section;
pub use section_table::section_table;
pub use shared_window::{SharedVariable, SharedVariables};
pub use span::Span;
pub use stream::{ItemStream, StreamPart};
pub use unclaimed_bytes::{ShownUnclaimed, UnclaimedBytes};
pub use with_offset::WithOffset;
