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

mod attributes;
mod contents;
mod decode;
mod frames;
mod function_filter;
mod info;
mod item_offset;
mod items;
mod line_programs;
mod lists;
pub mod ptxas_style;
mod section_table;
mod source;
mod span;
mod stream;

pub use contents::{Contents, Section, ShownUnclaimed};
pub use function_filter::Filter;
pub use item_offset::{ItemOffset, NoItem};
pub use items::{
    Abbreviation, AddressRange, Attribute, Die, FrameEntry, FunctionFacts, InfoUnit, LineFile, LineParams,
    LineRow, LineSequence, LineUnit, Location, NameLookup, NvInfoRecord, Register, RegisterTypes, Registers,
    SharedVariable, SharedVariables, TextLine, WithOffset,
};
pub use section_table::{Header, section_table};
pub use source::{DumpSource, OpenSection, RelocatedView};
pub use span::{Span, UnclaimedBytes};
pub use stream::{ItemStream, StreamPart};
