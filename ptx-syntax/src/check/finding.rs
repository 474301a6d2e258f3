//! A finding in a PTX text.

use super::rules::Rule;
use crate::text::TextRange;
use findings::Severity;

/// A place in the text that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad it is here: at most what the rule says.
    pub severity: Severity,
    /// The range of text that the finding is about, on character boundaries; empty where something
    /// is missing.
    pub range: TextRange,
    /// The fault, in one sentence.
    pub message: String,
    /// Another place that belongs to it, and what that place is.
    pub related: Option<(TextRange, String)>,
    /// The way to fix it.
    pub help: Option<String>,
}

/// The findings of one rule and severity that are counted and not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnlistedFindings {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad they are.
    pub severity: Severity,
    /// The number of findings.
    pub count: usize,
}
