//! The table of ptxas releases.

use std::fmt;

/// A release of ptxas, whose verdicts and messages are given. It is written as `ptxas 13.0`.
///
/// It is a row of a table. To add a release is to add its row and its constant; what differs
/// between two releases is a column of the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ptxas(&'static Row);

/// What is so in one release, and need not be in another.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Row {
    /// As NVIDIA names the release: `13.0`.
    name: &'static str,
    /// Major versions of PTX with their last minor version; the newest comes last.
    ptx_versions: &'static [(u32, u32)],
}

/// Versions of PTX: PTX ISA, Release Notes.
const RELEASES: &[Row] = &[Row {
    name: "13.0",
    ptx_versions: &[(1, 5), (2, 3), (3, 2), (4, 3), (5, 1), (6, 5), (7, 8), (8, 8), (9, 0)],
}];

impl Ptxas {
    /// The ptxas of CUDA 13.0.
    pub const V13_0: Self = Self(&RELEASES[0]);

    /// Returns the release with a name such as `13.0`; `None` if the table does not have it.
    pub fn named(name: &str) -> Option<Self> {
        RELEASES.iter().find(|row| row.name == name).map(Self)
    }

    /// NVIDIA's name of the release: `13.0`.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// The major versions of PTX that the release knows, each with its last minor version, from the
    /// oldest to the newest.
    pub const fn ptx_versions(self) -> &'static [(u32, u32)] {
        self.0.ptx_versions
    }
}

impl Default for Ptxas {
    fn default() -> Self {
        Self::V13_0
    }
}

impl fmt::Debug for Ptxas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ptxas").field(&self.name()).finish()
    }
}

impl fmt::Display for Ptxas {
    /// `ptxas 13.0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ptxas {}", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_name() {
        for row in RELEASES {
            let found = Ptxas::named(row.name).unwrap();
            assert_eq!(found.to_string(), format!("ptxas {}", row.name));
            assert!(!found.ptx_versions().is_empty() && found.ptx_versions().is_sorted());
        }
        assert_eq!(Ptxas::named("13.00"), None);
    }
}
