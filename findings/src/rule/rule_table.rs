//! Tables of rules.

use super::Rule;
use crate::RuleDetails;
use std::collections::BTreeSet;
use std::fmt::Debug;

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
