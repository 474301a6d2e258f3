#![doc = include_str!("../README.md")]
#![no_std]

mod decode;
mod encode;

pub use decode::{read_sleb128, read_uleb128, skip};
pub use encode::{Leb128, sleb128, sleb128_len, uleb128, uleb128_len};

/// Most bytes a 64-bit value takes: nine groups of 7 bits and one bit (or sign) more.
pub const MAX_LEN: usize = 10;

/// The high bit of every byte of a word: "another byte follows".
const CONTINUE: u64 = 0x8080_8080_8080_8080;

/// Why a LEB128 value could not be read. Without a position: the caller knows where it was reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Error {
    /// The bytes end before the byte that has its high bit clear.
    Truncated,
    /// The value needs more than 64 bits, or its encoding more than [`MAX_LEN`] bytes.
    Overflow,
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Truncated => "LEB128 value is cut short",
            Self::Overflow => "LEB128 value does not fit in 64 bits",
        })
    }
}

impl core::error::Error for Error {}
