//! A rule that a tool is known to break.

use schemars::JsonSchema;
use serde::Serialize;

/// A rule that a tool is known to break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KnownFault {
    /// The code of the rule that the tool breaks.
    pub code: &'static str,
    /// The name of the rule that the tool breaks.
    pub name: &'static str,
    /// The tools that break the rule, with the versions in which that was seen.
    pub fault_of: &'static str,
    /// The requirement of the rule that the tool breaks, in one sentence.
    pub summary: &'static str,
    /// What the tool does wrong, and the consequence.
    pub text: &'static str,
}
