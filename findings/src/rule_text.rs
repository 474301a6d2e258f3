//! A rule in words: its line in a list, and its explanation.

mod explanation;

use crate::{Rule, RuleDetails, RuleTable, Severity, ToolWords};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

pub use explanation::Explanation;

/// The complete description of a rule: code, name, severity, requirement, and the details that only
/// some tables have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleText {
    /// The stable code of the rule.
    pub code: &'static str,
    /// The stable name of the rule.
    pub name: &'static str,
    /// The severity of the rule. A finding of the rule may have a lower one.
    pub severity: Severity,
    /// The subject of all rules whose code begins with the same letter.
    pub subject: &'static str,
    /// The requirement of the rule, in one sentence.
    pub summary: &'static str,
    /// The details of the rule that only some tables have.
    #[serde(flatten)]
    pub more: RuleDetails,
}

impl RuleText {
    pub(crate) fn of<I: RuleTable>(rule: &'static Rule<I>) -> Self {
        let Rule { code, name, severity, summary, .. } = *rule;
        let subjects = I::SUBJECTS.iter().find(|(letter, _)| code.starts_with(*letter));
        let subject = subjects.map_or("", |(_, subject)| *subject);
        Self { code, name, severity, subject, summary, more: I::details_of(rule) }
    }

    /// Returns the explanation of the rule: what it requires and what is known of it, each on a
    /// line with a label; the example last, indented.
    pub fn explanation(&self) -> Explanation<'_> {
        Explanation(self)
    }

    /// All but code, name and severity as lines: label and text. The summary has no label.
    pub(super) fn lines(&self) -> Vec<(&str, Cow<'_, str>)> {
        let RuleDetails { why, source, versions, tool, known_fault_of, mend, example: _ } = &self.more;
        let mut lines = vec![("", self.summary.into())];
        let texts = [("Why", why), ("Written in", source), ("Versions", versions)];
        lines.extend(texts.into_iter().filter_map(|(label, text)| Some((label, text.as_deref()?.into()))));
        if let Some(ToolWords { name, does }) = tool {
            lines.push((name, does.as_ref().into()));
        }
        lines.extend(known_fault_of.map(|tool| ("Known fault of", tool.into())));
        lines.extend(mend.iter().map(|what| ("To mend it", what.as_ref().into())));
        lines
    }
}

/// The rule as a line of a list: code, severity, name, and what it asks.
impl fmt::Display for RuleText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, name, severity, summary, more, .. } = self;
        write!(f, "{code}  {:7}  {name}: {summary}", severity.as_str())?;
        more.known_fault_of.iter().try_for_each(|tool| write!(f, " (known fault of {tool})"))
    }
}
