//! The rules of a command in words: to list, to explain, and to select from.

use crate::{Rule, RuleDetails, RuleTable, Severity, ToolWords};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// The complete description of a rule: code, name, severity, requirement, and the details that only
/// some tables have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleText {
    /// The stable code.
    pub code: &'static str,
    /// The stable name.
    pub name: &'static str,
    /// How bad it is as a rule; a finding may say less.
    pub severity: Severity,
    /// The subject of all rules whose code begins with the same letter.
    pub subject: &'static str,
    /// The requirement, in one sentence.
    pub summary: &'static str,
    /// The details that only some tables have.
    #[serde(flatten)]
    pub more: RuleDetails,
}

/// The rules of one command, from one or more tables, in their order.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    rules: Vec<RuleText>,
}

impl Catalog {
    /// Creates a catalog of the rules of a table.
    pub fn of<I: RuleTable>() -> Self {
        Self::default().with_table::<I>()
    }

    /// Adds the rules of one more table to the catalog.
    #[must_use]
    pub fn with_table<I: RuleTable>(mut self) -> Self {
        self.rules.extend(I::rules().iter().map(RuleText::of));
        self
    }

    /// The rules, in the order of their tables.
    pub fn rules(&self) -> &[RuleText] {
        &self.rules
    }

    /// Returns the index in the catalog of the rule with this code.
    pub fn position(&self, code: &str) -> Option<usize> {
        self.rules.iter().position(|rule| rule.code == code)
    }

    /// Calls `add` on the description of every rule, to add texts that the rule's table does not
    /// have.
    #[must_use]
    pub fn with_texts(mut self, add: impl FnMut(&mut RuleText)) -> Self {
        self.rules.iter_mut().for_each(add);
        self
    }
}

impl RuleText {
    fn of<I: RuleTable>(rule: &'static Rule<I>) -> Self {
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
    fn lines(&self) -> Vec<(&str, Cow<'_, str>)> {
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

/// The explanation of a rule, as text of several lines without a final line end.
#[derive(Debug, Clone, Copy)]
pub struct Explanation<'r>(&'r RuleText);

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = self.0;
        let RuleText { code, name, severity, subject, more, .. } = rule;
        write!(f, "{code} {name} ({}; {subject})", severity.as_str())?;
        for (label, text) in rule.lines() {
            let colon = if label.is_empty() { "" } else { ": " };
            write!(f, "\n\n{label}{colon}{text}")?;
        }
        if let Some(example) = &more.example {
            f.write_str("\n\nExample:\n")?;
            example.lines().try_for_each(|line| {
                f.write_str("\n")?;
                if line.is_empty() { Ok(()) } else { write!(f, "    {line}") }
            })?;
        }
        Ok(())
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Selection, UnknownRule};

    /// Rules to choose from and to show.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) struct Row(usize);

    const fn row(
        number: usize,
        code: &'static str,
        name: &'static str,
        severity: Severity,
        why: &'static str,
    ) -> Rule<Row> {
        Rule { id: Row(number), code, name, severity, summary: "A sentence.", details: why }
    }

    static RULES: [Rule<Row>; 4] = [
        row(0, "A001", "first", Severity::Error, ""),
        row(1, "A002", "second", Severity::Warning, "It hurts."),
        row(2, "A101", "third", Severity::Note, ""),
        row(3, "B001", "fourth-rule", Severity::Error, ""),
    ];

    impl RuleTable for Row {
        type Details = &'static str;
        const SUBJECTS: &'static [(char, &'static str)] = &[('A', "things"), ('B', "others")];

        fn rules() -> &'static [Rule<Self>] {
            &RULES
        }

        fn index(self) -> usize {
            self.0
        }

        fn details_of(rule: &'static Rule<Self>) -> RuleDetails {
            let why = (!rule.details.is_empty()).then(|| rule.details.into());
            let example = why.is_some().then(|| "a\n\n  b\n".into());
            RuleDetails { why, example, ..RuleDetails::default() }
        }
    }

    #[test]
    fn a_rule_is_explained_and_listed() {
        let catalog = Catalog::of::<Row>();
        let rule = &catalog.rules()[1];
        let explained =
            "A002 second (warning; things)\n\nA sentence.\n\nWhy: It hurts.\n\nExample:\n\n    a\n\n      b";
        assert_eq!(rule.explanation().to_string(), explained);
        assert_eq!(rule.to_string(), "A002  warning  second: A sentence.");
        let codes = |word| {
            let selection = Selection::new(&catalog, &[word], &[""; 0])?;
            let codes = catalog.rules().iter().map(|rule| rule.code);
            Ok::<Vec<_>, UnknownRule>(codes.filter(|code| selection.has(code)).collect())
        };
        assert_eq!(codes("second").unwrap(), ["A002"]);
        assert_eq!(codes("a0").unwrap(), ["A001", "A002"]);
        assert_eq!(codes("A003").unwrap_err().to_string(), "`A003` is not a rule; did you mean A001?");
    }

    #[test]
    fn a_rule_is_an_object_for_programs() {
        let rules = serde_json::to_value(Catalog::of::<Row>().rules()).unwrap();
        let second = serde_json::json!({
            "code": "A002", "name": "second", "severity": "warning", "subject": "things",
            "summary": "A sentence.", "why": "It hurts.", "example": "a\n\n  b\n",
        });
        assert_eq!(rules[1], second);
    }
}
