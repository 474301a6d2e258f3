#![doc = include_str!("../README.md")]
#![no_std]

mod decode;
mod encode;
mod error;
mod field;
mod write;

pub use decode::{read_sleb128, read_sleb128_as, read_uleb128, read_uleb128_as, skip};
pub use encode::{Leb128, sleb128, sleb128_len, sleb128_padded, uleb128, uleb128_len, uleb128_padded};
pub use error::Error;
pub use field::{Field, FieldOverflow};
pub use write::{Encoder, write_sleb128, write_uleb128};

/// The most bytes that a 64-bit value takes: nine groups of 7 bits, and one more bit (or the sign).
pub const MAX_LEN: usize = 10;

/// The high bit of every byte of a word: "another byte follows".
const CONTINUE: u64 = 0x8080_8080_8080_8080;
