//! What a self-check says, as an answer for people and, with serde, for programs.

use super::{Checked, Outcome, Part};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// The result of a self-check of one cubin.
#[derive(Debug, Clone, Serialize)]
pub struct Answer<'c> {
    /// One for each part.
    pub verdicts: [Verdict; 3],
    /// In file order.
    pub sections: Vec<SectionVerdict<'c>>,
}

/// How many sections of a part had each outcome. [`Display`](fmt::Display) is a line for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The part.
    pub part: String,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SectionVerdict<'c> {
    /// Name of the native section.
    pub native: &'c str,
    /// Name of its clone.
    pub clone: &'c str,
    /// What it is part of.
    pub part: String,
    /// `same`, `different`, `not told` or `no clone`.
    pub outcome: String,
    /// What is wrong; `None` where nothing is.
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
            part: part.to_string(),
            same: count(|outcome| *outcome == Outcome::Same),
            different: count(|outcome| matches!(outcome, Outcome::Different(_))),
            not_told: count(|outcome| *outcome == Outcome::NotTold),
            without_clone: count(|outcome| *outcome == Outcome::Missing),
        }
    }
}

impl fmt::Display for Verdict {
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
        let (part, outcome) = (part.to_string(), outcome.to_string());
        Self { native, clone, part, outcome, difference: checked.difference() }
    }
}
