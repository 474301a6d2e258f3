//! What is wrong with a node.

use super::rules::RuleId;
use crate::TextRange;

/// What is wrong with a node.
pub(super) struct Fault {
    pub(super) rule: RuleId,
    pub(super) range: TextRange,
    pub(super) sentence: &'static str,
    pub(super) message: String,
}

impl Fault {
    /// A contradiction among the values of a node.
    pub(super) fn value(range: TextRange, sentence: &'static str, message: impl Into<String>) -> Self {
        Self { rule: RuleId::NodeValue, range, sentence, message: message.into() }
    }
}
