//! What a self-check says, as an answer for people and, with serde, for programs.

use super::{Checked, Outcome, Part};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// The result of a self-check of one cubin.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Answer<'c> {
    /// The outcomes of each part, counted.
    pub verdicts: [Verdict; 3],
    /// The sections that have a clone, in file order.
    pub sections: Vec<SectionVerdict<'c>>,
}

/// How many sections of a part had each outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PartVerdict")]
pub struct Verdict {
    /// The part.
    pub part: Part,
    /// Sections that are as the capsule gives them.
    pub same: usize,
    /// Sections that differ from what the capsule gives.
    pub different: usize,
    /// Sections that the capsule does not tell.
    pub not_told: usize,
    /// Sections without a clone in the capsule.
    pub without_clone: usize,
}

/// The outcome of one section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SectionVerdict<'c> {
    /// The name of the native section.
    pub native: &'c str,
    /// The name of its clone.
    pub clone: &'c str,
    /// The part that it belongs to.
    pub part: Part,
    /// What came of the comparison with the capsule. `not told`: the capsule alone does not say. `no clone`: the file has
    /// no clone of it.
    #[schemars(extend("enum" = ["same", "different", "not told", "no clone"]))]
    pub outcome: String,
    /// The first difference, in words; `None` where nothing is wrong. Code, symbols, debug sections and their relocations
    /// must have a clone: where it lacks, that is a difference too.
    pub difference: Option<Cow<'c, str>>,
}

impl<'c> Answer<'c> {
    /// The answer of a [`self_check`](super::self_check).
    pub fn new(checked: &'c [Checked]) -> Self {
        Self {
            verdicts: Part::ALL.map(|part| Verdict::new(part, checked)),
            sections: checked.iter().map(SectionVerdict::new).collect(),
        }
    }

    /// Whether something is wrong with a section.
    pub fn has_differences(&self) -> bool {
        self.sections.iter().any(|section| section.difference.is_some())
    }
}

impl Verdict {
    fn new(part: Part, checked: &[Checked]) -> Self {
        let count = |is: fn(&Outcome) -> bool| {
            checked.iter().filter(|checked| checked.part == part && is(&checked.outcome)).count()
        };
        Self {
            part,
            same: count(|outcome| *outcome == Outcome::Same),
            different: count(|outcome| matches!(outcome, Outcome::Different(_))),
            not_told: count(|outcome| *outcome == Outcome::NotTold),
            without_clone: count(|outcome| *outcome == Outcome::Missing),
        }
    }
}

impl fmt::Display for Verdict {
    /// A line for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, same, different, not_told, without_clone } = self;
        write!(
            f,
            "{part}: {same} same, {different} different, {not_told} not told, {without_clone} without clone"
        )
    }
}

impl<'c> SectionVerdict<'c> {
    fn new(checked: &'c Checked) -> Self {
        let Checked { native, clone, part, outcome } = checked;
        let (part, outcome) = (*part, outcome.to_string());
        Self { native, clone, part, outcome, difference: checked.difference() }
    }
}
