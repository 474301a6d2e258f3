//! What is wrong with a module.

use super::answer::LibNvvmAnswer;
use super::rules::Rule;
use crate::{IrDialect, TextRange};
use findings::Severity;

/// A violation of a rule in a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The severity of the finding: at most that of the rule.
    pub severity: Severity,
    /// The part of the text that the finding is about; empty where something is missing.
    pub range: TextRange,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What libNVVM 13.0.88 says about it; empty where it says nothing.
    pub libnvvm: String,
    /// Another part of the text that belongs to the finding, and what is there.
    pub related: Option<(TextRange, String)>,
}

/// The findings in a module, and what libNVVM makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The dialect that the module is read as.
    pub dialect: IrDialect,
    /// The findings, in the order of the text. At most [`findings::MAX_FINDINGS`] of a rule and
    /// severity are listed.
    pub findings: Vec<Finding>,
    /// The findings beyond that limit, which are only counted, by rule and severity.
    pub more: Vec<MoreFindings>,
    /// What libNVVM 13.0.88 does with the module.
    pub libnvvm: LibNvvmAnswer,
}

/// The findings of a rule and a severity that are counted and not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoreFindings {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The severity of the findings.
    pub severity: Severity,
    /// The number of findings that are not listed.
    pub count: usize,
}
