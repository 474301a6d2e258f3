//! Rules, and the tables that they are in.

use crate::RuleDetails;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
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

/// A rule: a requirement, with a code and a name that are never used for another rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule<I: RuleTable> {
    /// The member of the table's enum that stands for the rule.
    pub id: I,
    /// The stable code of the rule: a letter for the subject and three digits. It is never given to
    /// another rule.
    pub code: &'static str,
    /// The stable name of the rule: words joined by `-`.
    pub name: &'static str,
    /// The severity of the rule. A finding of the rule may have a lower one.
    pub severity: Severity,
    /// The requirement, in one sentence.
    pub summary: &'static str,
    /// The details that only rules of this table have, such as a source.
    pub details: I::Details,
}

/// A table of rules. It is implemented by the enum whose members are the ids of the rules, in the
/// order of the table.
pub trait RuleTable: Debug + Copy + Eq + 'static {
    /// The details that only rules of this table have.
    type Details: Debug + Clone + Eq + 'static;

    /// The letters of the codes, and what rules of each letter are about; in the order of the
    /// table.
    const SUBJECTS: &'static [(char, &'static str)];

    /// The rules, in order.
    fn rules() -> &'static [Rule<Self>];

    /// 0-based position in [`rules`](Self::rules).
    fn index(self) -> usize;

    /// The row of the table.
    fn rule(self) -> &'static Rule<Self> {
        &Self::rules()[self.index()]
    }

    /// Returns the details of a rule as texts for people: reason, source, versions, tool.
    fn details_of(_rule: &'static Rule<Self>) -> RuleDetails {
        RuleDetails::default()
    }

    /// Finds a rule by its code, in either case, or by its name.
    fn named(word: &str) -> Option<&'static Rule<Self>> {
        Self::rules().iter().find(|rule| rule.code.eq_ignore_ascii_case(word) || rule.name == word)
    }
}

/// Checks a table of rules, and returns its faults, one sentence each. It is for a test of the
/// crate that has the table.
pub fn rule_table_faults<I: RuleTable>() -> Vec<String> {
    let mut words = BTreeSet::new();
    let mut faults = Vec::new();
    for (index, rule) in I::rules().iter().enumerate() {
        let (letter, number) = rule.code.split_at_checked(1).unwrap_or_default();
        let is_code = I::SUBJECTS.iter().any(|(subject, _)| letter.starts_with(*subject))
            && number.len() == 3
            && number.bytes().all(|byte| byte.is_ascii_digit());
        let is_name = rule.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let requirements = [
            (rule.id.index() == index, "is not in the order of the ids"),
            (words.insert(rule.code), "has the code of another rule"),
            (words.insert(rule.name), "has the name of another rule"),
            (is_code, "has a code that is not the letter of a subject and three digits"),
            (is_name, "has a name that is not words joined by `-`"),
            (rule.summary.ends_with('.'), "has a summary that is not a sentence"),
        ];
        let broken = requirements.iter().filter(|(holds, _)| !holds);
        faults.extend(broken.map(|(_, fault)| format!("{} {fault}", rule.code)));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Wrong {
        First,
        Second,
    }

    const fn row(id: Wrong, code: &'static str, name: &'static str, summary: &'static str) -> Rule<Wrong> {
        Rule { id, code, name, severity: Severity::Note, summary, details: () }
    }

    static RULES: [Rule<Wrong>; 2] =
        [row(Wrong::Second, "A001", "one", "A sentence."), row(Wrong::Second, "A001", "t w o", "Words")];

    impl RuleTable for Wrong {
        type Details = ();
        const SUBJECTS: &'static [(char, &'static str)] = &[('B', "something")];

        fn rules() -> &'static [Rule<Self>] {
            &RULES
        }

        fn index(self) -> usize {
            self as usize
        }
    }

    #[test]
    fn faults_of_a_table_are_told() {
        let faults = [
            "A001 is not in the order of the ids",
            "A001 has a code that is not the letter of a subject and three digits",
            "A001 has the code of another rule",
            "A001 has a code that is not the letter of a subject and three digits",
            "A001 has a name that is not words joined by `-`",
            "A001 has a summary that is not a sentence",
        ];
        assert_eq!(rule_table_faults::<Wrong>(), faults);
    }

    #[test]
    fn rules_are_found_by_code_and_name() {
        assert_eq!(Wrong::named("a001").map(|rule| rule.name), Some("one"));
        assert_eq!(Wrong::named("one"), Some(Wrong::First.rule()));
        assert_eq!(Wrong::named("ONE"), None);
    }
}
