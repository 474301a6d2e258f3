#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

pub mod abbrev;
pub mod aranges;
mod budget;
mod cursor;
mod error;
pub mod expression;
pub mod frame;
pub mod info;
pub mod inlined_calls;
mod limits;
pub mod line;
pub mod loc;
pub mod macinfo;
pub mod offset_fields;
mod path_map;
pub mod pubnames;
pub mod ranges;
pub mod source_path;
mod span;
pub mod splices;
pub mod strings;

pub use budget::WorkBudget;
pub use cursor::Cursor;
pub use dwarf2_writer::{Format, constants};
pub use error::{Error, ErrorKind, Result};
pub use path_map::{PathMap, RemainingPrefix};
pub use span::Span;

/// Lengths from here on are escapes in a 4-byte length field (DWARF 3 §7.2.2).
const RESERVED_LENGTH: u32 = 0xffff_fff0;
/// The escape of 64-bit DWARF (DWARF 3 §7.4).
const DWARF64_LENGTH: u32 = 0xffff_ffff;
