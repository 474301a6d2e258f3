//! The findings of one rule that are counted and not listed.

use crate::Severity;
use schemars::JsonSchema;
use serde::Serialize;

/// The findings of one rule that are counted and not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnlistedFindings {
    /// The code of the broken rule.
    pub code: &'static str,
    /// The severity of the findings.
    #[serde(skip)]
    pub severity: Severity,
    /// The number of findings that are not listed.
    pub count: usize,
}
