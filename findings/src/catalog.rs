//! The rules of a command in words: to list, to explain, and to select from.

use crate::{RuleTable, RuleText};

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

    /// Adds the rules of another catalog to this one.
    #[must_use]
    pub fn with_catalog(mut self, other: Self) -> Self {
        self.rules.extend(other.rules);
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Rule, RuleDetails, Selection, Severity, UnknownRule};

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
