//! How bad a finding is.

use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Debug;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The finding is worth knowing: nothing is wrong, or a tool is known to do this.
    Note,
    /// Something is missing or lost, or is not what it seems.
    Warning,
    /// A tool refuses the input, fails on it or gives a wrong answer.
    Error,
}

impl Severity {
    /// The severity as a word: `note`, `warning` or `error`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
