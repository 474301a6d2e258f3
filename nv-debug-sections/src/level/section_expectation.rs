//! A section that a file is expected to have.

use super::condition::Condition;
use crate::catalog::SectionName;

/// A section that a file is expected to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionExpectation<'a> {
    /// The section's name. If the number after `.nv_debug_ptx_txt` is not known, the name ends with
    /// `.N`.
    pub name: SectionName<'a>,
    /// Whether the file must have the section always, or only under a condition.
    pub requirement: Requirement,
}

/// Whether a file must have a section always, or only under a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Requirement {
    /// The file must have the section.
    Always,
    /// The file must have the section if this condition holds. It is not known whether it does.
    If(Condition),
}
