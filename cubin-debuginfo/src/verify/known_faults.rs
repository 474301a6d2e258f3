//! What tools are known to do wrong.

use super::RULES;
use serde::Serialize;

/// A rule that a tool is known to break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct KnownFault {
    /// Code of the rule.
    pub code: &'static str,
    /// Name of the rule.
    pub name: &'static str,
    /// The tool.
    pub fault_of: &'static str,
    /// The rule in one sentence.
    pub summary: &'static str,
    /// What the tool does, and what readers should know of it.
    pub text: &'static str,
}

/// What tools are known to do wrong, in the order of the rules.
pub fn known_faults() -> impl Iterator<Item = KnownFault> {
    RULES.iter().filter_map(|rule| {
        let (fault_of, text) = (rule.details.fault_of?, rule.details.why);
        Some(KnownFault { code: rule.code, name: rule.name, fault_of, summary: rule.summary, text })
    })
}
