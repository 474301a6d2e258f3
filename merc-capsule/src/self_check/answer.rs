//! The result of a self-check as an answer for people and, with serde, for programs.

use super::{CheckOutcome, CubinPart, SectionCheck};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// The result of a self-check of one cubin, as a serializable value.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SelfCheckAnswer<'c> {
    /// For each part of the cubin, the numbers of sections by the outcome of their check.
    pub verdicts: [PartVerdict; 3],
    /// The outcome of the check of each section that should have a clone, in file order.
    pub sections: Vec<SectionVerdict<'c>>,
}

/// The number of sections of one part of the cubin, by the outcome of their check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PartVerdict")]
pub struct PartVerdict {
    /// The part of the cubin.
    pub part: CubinPart,
    /// The number of sections that are equal to what the capsule gives.
    pub same: usize,
    /// The number of sections that differ from what the capsule gives.
    pub different: usize,
    /// The number of sections that are not checked, since the capsule alone does not tell what they
    /// hold.
    pub not_checked: usize,
    /// The number of sections without a clone in the capsule.
    pub without_clone: usize,
}

/// The outcome of the check of one section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SectionVerdict<'c> {
    /// The name of the native section.
    pub native: &'c str,
    /// The name of the section's clone.
    pub clone: &'c str,
    /// The part of the cubin that the section belongs to.
    pub part: CubinPart,
    /// The result of the comparison with what the capsule gives. `not checked`: the capsule alone
    /// does not tell what the section holds. `no clone`: the file has no clone of the section.
    #[schemars(extend("enum" = ["same", "different", "not checked", "no clone"]))]
    pub outcome: String,
    /// The first difference, in words; `None` where nothing is wrong. A missing clone of code,
    /// symbols, a debug section or its relocations is a difference too.
    pub difference: Option<Cow<'c, str>>,
}

impl<'c> SelfCheckAnswer<'c> {
    /// Converts the result of a [`self_check`](super::self_check) to a serializable value.
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
