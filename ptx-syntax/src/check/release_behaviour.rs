//! The releases whose ptxas does otherwise about a rule than ptxas 13.0.88.

use cuda_releases::Release;
use std::fmt;

/// How the verdicts of a release's ptxas on modules that break a rule compare with those of ptxas
/// 13.0.88.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReleaseBehaviour {
    /// The release accepts and refuses what ptxas 13.0.88 does under this rule; its messages may
    /// differ.
    Same,
    /// The release was seen to accept or refuse otherwise than ptxas 13.0.88, for a reason that was
    /// not found. So its verdict on a module that breaks the rule is not known.
    NotKnown,
}

/// A run of releases whose ptxas does otherwise about a rule than ptxas 13.0.88.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReleaseDifference {
    /// The number of the first release; `None`: the oldest of the table.
    pub first: Option<(u32, u32)>,
    /// The number of the last release; `None`: the newest of the table, and later ones.
    pub last: Option<(u32, u32)>,
    /// What they do.
    pub behaviour: ReleaseBehaviour,
    /// What was observed, in words that follow the name of the releases.
    pub observed: &'static str,
}

impl ReleaseDifference {
    /// All releases up to one.
    pub(super) const fn until(last: (u32, u32), behaviour: ReleaseBehaviour, observed: &'static str) -> Self {
        Self { first: None, last: Some(last), behaviour, observed }
    }

    /// One release and all later ones.
    pub(super) const fn since(
        first: (u32, u32),
        behaviour: ReleaseBehaviour,
        observed: &'static str,
    ) -> Self {
        Self { first: Some(first), last: None, behaviour, observed }
    }

    /// The releases from one to another.
    pub(super) const fn within(
        (first, last): ((u32, u32), (u32, u32)),
        behaviour: ReleaseBehaviour,
        observed: &'static str,
    ) -> Self {
        Self { first: Some(first), last: Some(last), behaviour, observed }
    }

    /// Whether a release is one of them.
    pub fn has(&self, release: Release) -> bool {
        let number = release.number();
        self.first.is_none_or(|first| first <= number) && self.last.is_none_or(|last| number <= last)
    }
}

impl fmt::Display for ReleaseDifference {
    /// `up to 12.9: takes it`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.first, self.last) {
            (None, None) => f.write_str("all")?,
            (None, Some((major, minor))) => write!(f, "up to {major}.{minor}")?,
            (Some((major, minor)), None) => write!(f, "from {major}.{minor} on")?,
            (Some(first), Some(last)) if first == last => write!(f, "{}.{}", first.0, first.1)?,
            (Some(first), Some(last)) => write!(f, "{}.{} to {}.{}", first.0, first.1, last.0, last.1)?,
        }
        write!(f, ": {}", self.observed)
    }
}

/// What the ptxas of a release does, if all that do otherwise than ptxas 13.0.88 are listed.
pub(super) fn behaviour_of(differences: &[ReleaseDifference], release: Release) -> ReleaseBehaviour {
    let differs = differences.iter().find(|difference| difference.has(release));
    differs.map_or(ReleaseBehaviour::Same, |difference| difference.behaviour)
}
