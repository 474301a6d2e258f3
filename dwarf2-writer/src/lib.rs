#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

pub mod abbrev;
mod address;
pub mod aranges;
pub mod constants;
mod error;
mod expression;
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
pub use section::{Referent, Reloc, Section};

/// 32-bit or 64-bit DWARF: the size of the length and offset fields of a unit or entry (DWARF 3
/// §7.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Format {
    /// 4-byte lengths and offsets: all that DWARF 2 has.
    #[default]
    Dwarf32,
    /// 8-byte lengths and offsets after the escape `ff ff ff ff`.
    Dwarf64,
}

/// Lengths from here on are escapes in a 4-byte length field (DWARF 3 §7.2.2).
const DWARF32_RESERVED: u64 = 0xffff_fff0;
