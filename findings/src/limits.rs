//! Limits on what a report may hold, since the files may be hostile.

/// The most findings of one rule that a [`Report`](crate::Report) lists. Further ones are only
/// counted: a damaged file can break a rule at every byte, and a reader needs the first few only.
pub const MAX_FINDINGS: usize = 100;

/// The most characters of the subject of a [`LocatedFinding`](crate::LocatedFinding). A longer one
/// is cut, since a line of PTX may have megabytes of data.
pub const MAX_SUBJECT: usize = 200;
