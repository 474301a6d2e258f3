#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

pub mod abbrev;
mod address;
pub mod aranges;
pub mod constants;
mod error;
mod expression;
mod format;
pub mod frame;
mod hash_index;
pub mod info;
pub mod line;
pub mod loc;
pub mod macinfo;
pub mod pubnames;
mod section;
pub mod strings;

pub use address::{Address, SymbolId};
pub use error::Error;
pub use expression::{Expression, Operation};
pub use format::Format;
pub use section::{Referent, Reloc, Section};

/// Lengths from here on are escapes in a 4-byte length field (DWARF 3 §7.2.2).
const DWARF32_RESERVED: u64 = 0xffff_fff0;
