//! The findings that are counted and not listed.

use super::rules::Rule;
use findings::Severity;

/// The findings of one rule and severity that are counted and not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnlistedFindings {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The severity of the findings.
    pub severity: Severity,
    /// The number of findings that are not listed.
    pub count: usize,
}
