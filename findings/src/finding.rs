//! A finding about a binary file.

use crate::{Rule, RuleTable};
use std::fmt;

/// A violation of a rule in a section of a binary file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<I: RuleTable> {
    /// The rule that is broken.
    pub rule: &'static Rule<I>,
    /// The name of the section that breaks the rule; if a section is missing, the name that it
    /// would have.
    pub section: String,
    /// The byte offset in the section. For a row of a line table it is the offset of the address
    /// that begins the row's sequence.
    pub offset: u64,
    /// The name of the function that the finding is about, where that is known.
    pub function: Option<String>,
    /// What was found, in words.
    pub found: String,
    /// What was expected, in words that can follow "expected", such as `a word`.
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
