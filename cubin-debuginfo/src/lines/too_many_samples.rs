//! The error for a profile with too many samples.

use thiserror::Error;

/// The error for a profile with more samples than a 64-bit number can count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("row {row}: there are more than {} samples up to here", u64::MAX)]
pub struct TooManySamples {
    /// The number of the row at which the sum becomes too large.
    pub row: u64,
}
