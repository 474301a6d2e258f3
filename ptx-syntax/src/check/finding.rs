//! A finding in a PTX text.

use super::rules::Rule;
use crate::text_range::TextRange;
use findings::Severity;

/// A violation of a rule in a PTX text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The severity of the finding: at most that of the rule.
    pub severity: Severity,
    /// The range of text that the finding is about, on character boundaries; empty where something
    /// is missing.
    pub range: TextRange,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Another range of the text that belongs to the finding, and what is there.
    pub related: Option<(TextRange, String)>,
    /// A sentence on how to fix the text.
    pub help: Option<String>,
}
