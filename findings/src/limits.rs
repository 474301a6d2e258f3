//! Bounds on what a report may hold: the files it is about come from strangers.

/// Most findings of one rule that a [`Report`](crate::Report) keeps; more are counted. A damaged file can break one rule at every
/// byte, and nobody reads more than the first few.
pub const MAX_FINDINGS: usize = 100;

/// Most characters of what a [`LocatedFinding`](crate::LocatedFinding) is about: a line of PTX may have megabytes of data.
pub const MAX_SUBJECT: usize = 200;
