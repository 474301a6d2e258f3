//! Versions of the PTX ISA, and those that a ptxas knows.

use crate::header::VersionDirective;
use cuda_releases::Release;
use std::fmt;

/// A version of the PTX ISA. The order is by major, then minor number: 7.8 is below 8.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PtxVersion {
    /// The number before the dot.
    pub major: u32,
    /// The number after the dot.
    pub minor: u32,
}

impl PtxVersion {
    /// Creates the PTX version MAJOR.MINOR.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// Returns the version as which ptxas 13.0.88 reads a `.version`. It computes 10 * major +
    /// minor, so 7.10 counts as 8.0 (observed). `None` beyond 32 bits.
    pub fn as_ptxas_reads(version: &VersionDirective) -> Option<Self> {
        let number = version.major.checked_mul(10)?.checked_add(version.minor)?;
        Some(Self::new(number / 10, number % 10))
    }

    /// Whether the ptxas of a release knows this version (observed: all of 0.0 to 10.10 tried with
    /// ptxas 13.0.88).
    pub fn is_known_to(self, release: Release) -> bool {
        release.takes_ptx((self.major, self.minor))
    }

    /// Returns the newest version that the ptxas of a release knows.
    pub fn newest_of(release: Release) -> Self {
        let (major, minor) = release.newest_ptx();
        Self::new(major, minor)
    }
}

impl fmt::Display for PtxVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
