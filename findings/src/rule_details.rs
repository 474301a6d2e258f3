//! The details that only some tables have for a rule.

use super::tool_words::ToolWords;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// The details of a rule that only some tables have: reason, source, versions, tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct RuleDetails {
    /// The reason for the rule, or what comes of breaking it. Absent where the table does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Cow<'static, str>>,
    /// The document that states the rule. Absent where none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Cow<'static, str>>,
    /// The versions that the rule is for. Absent where it is for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub versions: Option<Cow<'static, str>>,
    /// A tool that is concerned, and what it does where the rule is broken. Absent where no tool
    /// looks at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolWords>,
    /// The tools whose output is known to break the rule. Absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_fault_of: Option<&'static str>,
    /// The ways to fix a finding of the rule, in one sentence each. Absent where the table does not
    /// say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mend: Vec<Cow<'static, str>>,
    /// A text that breaks the rule. Absent where there is no example.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Cow<'static, str>>,
}
