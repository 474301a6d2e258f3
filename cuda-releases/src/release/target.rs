//! An SM and a release.

use super::Release;
use crate::generation::Generation;

/// An SM and a release of the toolkit: the two facts that decide by which rules a file is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Target {
    /// The release whose rules the file follows.
    pub release: Release,
    /// The number of the SM: 75 for sm_75.
    pub sm: u32,
}

impl Target {
    /// Returns the generation whose rules the files for this SM follow.
    pub const fn generation(self) -> Generation {
        self.release.generation(self.sm)
    }
}
