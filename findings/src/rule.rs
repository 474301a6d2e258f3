//! Rules, and the tables that they are in.

mod rule_table;

use super::severity::Severity;
use std::fmt::Debug;

pub use rule_table::{RuleTable, rule_table_faults};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule_table_faults;

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
