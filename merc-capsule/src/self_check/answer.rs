//! The result of a self-check as an answer for people and, with serde, for programs.

use super::{CheckOutcome, CubinPart, SectionCheck};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// The result of a self-check of one cubin, as a serializable value.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SelfCheckAnswer<'c> {
    /// The outcomes of each part, counted.
    pub verdicts: [PartVerdict; 3],
    /// The sections that have a clone, in file order.
    pub sections: Vec<SectionVerdict<'c>>,
}

/// The number of sections of one part of the cubin, by the outcome of their check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PartVerdict")]
pub struct PartVerdict {
    /// The part.
    pub part: CubinPart,
    /// Sections that are as the capsule gives them.
    pub same: usize,
    /// Sections that differ from what the capsule gives.
    pub different: usize,
    /// Sections that are not checked: the capsule alone does not tell what they hold.
    pub not_checked: usize,
    /// Sections without a clone in the capsule.
    pub without_clone: usize,
}

/// The outcome of the check of one section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SectionVerdict<'c> {
    /// The name of the native section.
    pub native: &'c str,
    /// The name of its clone.
    pub clone: &'c str,
    /// The part that it belongs to.
    pub part: CubinPart,
    /// The result of the comparison with the capsule. `not checked`: the capsule alone does not
    /// tell. `no clone`: the file has no clone of it.
    #[schemars(extend("enum" = ["same", "different", "not checked", "no clone"]))]
    pub outcome: String,
    /// The first difference, in words; `None` where nothing is wrong. Code, symbols, debug sections
    /// and their relocations must have a clone: where it lacks, that is a difference too.
    pub difference: Option<Cow<'c, str>>,
}

impl<'c> SelfCheckAnswer<'c> {
    /// Converts the result of a [`self_check`](super::self_check).
    pub fn new(checked: &'c [SectionCheck]) -> Self {
        Self {
            verdicts: CubinPart::ALL.map(|part| PartVerdict::new(part, checked)),
            sections: checked.iter().map(SectionVerdict::new).collect(),
        }
    }

    /// Whether any native section differs from the one that its clone gives.
    pub fn has_differences(&self) -> bool {
        self.sections.iter().any(|section| section.difference.is_some())
    }
}

impl PartVerdict {
    fn new(part: CubinPart, checked: &[SectionCheck]) -> Self {
        let count = |is: fn(&CheckOutcome) -> bool| {
            checked.iter().filter(|checked| checked.part == part && is(&checked.outcome)).count()
        };
        Self {
            part,
            same: count(|outcome| *outcome == CheckOutcome::Same),
            different: count(|outcome| matches!(outcome, CheckOutcome::Different(_))),
            not_checked: count(|outcome| *outcome == CheckOutcome::NotChecked),
            without_clone: count(|outcome| *outcome == CheckOutcome::Missing),
        }
    }
}

impl fmt::Display for PartVerdict {
    /// A line for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, same, different, not_checked, without_clone } = self;
        write!(
            f,
            "{part}: {same} same, {different} different, {not_checked} not checked, {without_clone} without clone"
        )
    }
}

impl<'c> SectionVerdict<'c> {
    fn new(checked: &'c SectionCheck) -> Self {
        let SectionCheck { native, clone, part, outcome } = checked;
        let (part, outcome) = (*part, outcome.to_string());
        Self { native, clone, part, outcome, difference: checked.difference() }
    }
}
