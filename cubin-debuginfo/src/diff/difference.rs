//! The differences between two cubins.

use super::difference_kind::DifferenceKind;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The differences between two cubins, in the order of kinds and subjects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences {
    /// The differences of each kind, up to the limit for one kind.
    pub kept: Vec<Difference>,
    /// The number of differences of each kind that has differences, including those past the limit.
    pub counts: BTreeMap<DifferenceKind, usize>,
}

/// A fact that differs between two cubins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    /// What kind of fact of the two files differs.
    pub key: DifferenceKind,
    /// The function (by the name of its symbol), section or unit that differs; empty if the whole
    /// file does.
    pub subject: String,
    /// Where in the subject the difference is: an address range of a function, or a name. Empty if
    /// the whole subject differs, and for items of a list.
    pub place: String,
    /// What the first file states; `None` where it states nothing.
    pub a: Option<String>,
    /// What the second file states; `None` where it states nothing.
    pub b: Option<String>,
}
