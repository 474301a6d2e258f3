//! A finding about a binary file.

use crate::{Rule, RuleTable};
use std::fmt;

/// A violation of a rule at a place in a section of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<I: RuleTable> {
    /// The rule.
    pub rule: &'static Rule<I>,
    /// Name of the section it is in; if a section is missing, its name.
    pub section: String,
    /// Byte offset there; for rows of a line table that of their sequence's address.
    pub offset: u64,
    /// Name of the function it is about, where that is known.
    pub function: Option<String>,
    /// What was found.
    pub found: String,
    /// What was expected: `a word`, where the line for people ends with `expected a word`.
    pub expected: String,
}

impl<I: RuleTable> fmt::Display for Finding<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, section, offset, function, found, expected } = self;
        write!(f, "{}[{}]: {section}+{offset:#x}: ", rule.severity.as_str(), rule.code)?;
        if let Some(function) = function {
            write!(f, "{function}: ")?;
        }
        write!(f, "{found}; expected {expected}")
    }
}
