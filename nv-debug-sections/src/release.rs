//! The table of CUDA toolkit releases, whose tools have different habits.

use crate::generation::Generation;
use std::fmt;
use std::ops::RangeInclusive;

/// A release of NVIDIA's CUDA toolkit, whose rules a file follows.
///
/// It is a row of a table. To add a release is to add its row and its constant; a fact that differs
/// between two releases is a column of the table and a method here, and what asks for the fact has
/// a release already.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Release(&'static Row);

/// What is so in one release, and need not be in another.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Row {
    /// As NVIDIA names the release: `13.0`.
    name: &'static str,
    /// The version of ptxas in it, and of the tools beside it: `13.0.88`.
    version: &'static str,
    /// The first SM that code is made for, the first of [`Generation::HiddenMercury`], the first of
    /// [`Generation::Mercury`].
    first_sms: [u32; 3],
    /// The last SM that code is made for.
    last_sm: u32,
}

/// All releases, from the oldest to the newest.
const RELEASES: &[Row] = &[Row { name: "13.0", version: "13.0.88", first_sms: [75, 90, 100], last_sm: 121 }];

impl Release {
    /// The release CUDA 13.0.
    pub const V13_0: Self = Self(&RELEASES[0]);

    /// The newest release of the table. It also stands for later releases.
    pub const NEWEST: Self = Self(&RELEASES[RELEASES.len() - 1]);

    /// All releases of the table, from the oldest to the newest.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        RELEASES.iter().map(Self)
    }

    /// Returns the release whose tools have this version: `13.0.88`, or an earlier build of the
    /// same release, `13.0.48`. `None` if the table does not have it.
    pub fn of_version(version: &str) -> Option<Self> {
        Self::all().find(|release| {
            let rest = version.strip_prefix(release.name());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// NVIDIA's name of the release: `13.0`.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// The version of the release's tools: `13.0.88`.
    pub const fn version(self) -> &'static str {
        self.0.version
    }

    /// The line of `ptxas --version` by which programs recognise a release: `Cuda compilation
    /// tools, release 13.0, V13.0.88`.
    pub fn banner(self) -> String {
        format!("Cuda compilation tools, release {}, V{}", self.name(), self.version())
    }

    /// Returns the generation whose rules files for an SM follow (75 for sm_75). An SM before the
    /// first that the release knows belongs to the first generation, one after the last to the
    /// last.
    pub const fn generation(self, sm: u32) -> Generation {
        let [_, transcoded, mercury] = self.0.first_sms;
        if sm >= mercury {
            Generation::Mercury
        } else if sm >= transcoded {
            Generation::HiddenMercury
        } else {
            Generation::PreMercury
        }
    }

    /// The SM numbers of a generation, from the first to the last that the release compiles for.
    /// Not every number between is a chip.
    pub fn sms(self, generation: Generation) -> RangeInclusive<u32> {
        let [legacy, transcoded, mercury] = self.0.first_sms;
        match generation {
            Generation::PreMercury => legacy..=transcoded - 1,
            Generation::HiddenMercury => transcoded..=mercury - 1,
            Generation::Mercury => mercury..=self.0.last_sm,
        }
    }

    /// Returns the target of this release and an SM number, 75 for sm_75.
    pub const fn target(self, sm: u32) -> Target {
        Target { release: self, sm }
    }
}

impl Default for Release {
    /// The one whose bytes are written where nothing else is asked for.
    fn default() -> Self {
        Self::V13_0
    }
}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Release").field(&self.name()).finish()
    }
}

impl fmt::Display for Release {
    /// `13.0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An SM and a release of the toolkit: the two facts that decide by which rules a file is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Target {
    /// The release whose rules hold.
    pub release: Release,
    /// SM number, 75 for sm_75.
    pub sm: u32,
}

impl Target {
    /// The generation whose rules the release follows for this SM.
    pub const fn generation(self) -> Generation {
        self.release.generation(self.sm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sm_of_ptxas_13_0_has_its_generation() {
        for (generation, sms) in [
            (Generation::PreMercury, &[52, 75, 80, 86, 87, 88, 89][..]),
            (Generation::HiddenMercury, &[90]),
            (Generation::Mercury, &[100, 103, 110, 120, 121, 130]),
        ] {
            for &sm in sms {
                assert_eq!(Release::V13_0.generation(sm), generation, "sm_{sm}");
                let is_known = (75..=121).contains(&sm);
                assert_eq!(Release::V13_0.sms(generation).contains(&sm), is_known, "sm_{sm}");
            }
        }
    }

    #[test]
    fn rows_are_found_by_version_and_from_old_to_new() {
        for release in Release::all() {
            assert_eq!(Release::of_version(release.version()), Some(release));
            assert_eq!(Release::of_version(release.name()), Some(release));
            assert!(release.version().starts_with(&format!("{release}.")));
            let [legacy, transcoded, mercury] = release.0.first_sms;
            assert!(legacy < transcoded && transcoded < mercury && mercury <= release.0.last_sm);
        }
        assert!(Release::all().is_sorted_by_key(|release| {
            release.name().split('.').map(|part| part.parse::<u32>().unwrap()).collect::<Vec<_>>()
        }));
        assert_eq!(Release::all().next_back(), Some(Release::NEWEST));
        for other in ["", "13", "13.00.1", "130.0", "0.1.0", "99.1.2"] {
            assert_eq!(Release::of_version(other), None, "{other}");
        }
    }

    #[test]
    fn the_line_that_programs_look_for() {
        assert_eq!(Release::V13_0.banner(), "Cuda compilation tools, release 13.0, V13.0.88");
    }
}
