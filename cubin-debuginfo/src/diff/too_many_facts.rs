//! The error for a cubin that states more than it plausibly can.

use std::fmt;

/// The error for a cubin that states more than a file of its size plausibly can: long texts at very
/// many addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyFacts;

impl fmt::Display for TooManyFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a file of this size cannot have so much to compare: it says long things at too many places",
        )
    }
}

impl std::error::Error for TooManyFacts {}
