//! What a tool does where a rule is broken.

use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// The name of a tool, and what the tool does where a rule is broken, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolWords {
    /// The name and version of the tool.
    pub name: &'static str,
    /// What the tool does where the rule is broken, in words.
    pub does: Cow<'static, str>,
}
