//! Versions of the PTX ISA, and those that ptxas 13.0.88 knows.

use crate::header::VersionDirective;
use std::fmt;

/// A PTX ISA version. Ordered by its parts, so that 7.8 is below 8.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PtxVersion {
    /// Before the dot.
    pub major: u32,
    /// After the dot.
    pub minor: u32,
}

impl PtxVersion {
    /// MAJOR.MINOR.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// What ptxas 13.0.88 takes a `.version` for: it computes 10 * major + minor, so that 7.10 counts as 8.0
    /// (observed). None beyond 32 bits.
    pub fn as_ptxas_reads(version: &VersionDirective) -> Option<Self> {
        let number = version.major.checked_mul(10)?.checked_add(version.minor)?;
        Some(Self::new(number / 10, number % 10))
    }

    /// Whether ptxas 13.0.88 knows it (observed: all of 0.0 to 10.10 tried).
    pub fn is_supported(self) -> bool {
        SUPPORTED.iter().any(|&(major, last)| major == self.major && self.minor <= last)
    }
}

impl fmt::Display for PtxVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The newest version that ptxas 13.0.88 speaks.
pub const CURRENT_VERSION: PtxVersion = PtxVersion::new(9, 0);

/// Major versions with their last minor version (PTX ISA, Release Notes).
const SUPPORTED: [(u32, u32); 9] = [(1, 5), (2, 3), (3, 2), (4, 3), (5, 1), (6, 5), (7, 8), (8, 8), (9, 0)];
