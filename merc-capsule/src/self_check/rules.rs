//! The rules of a capsule, in one table.

use RuleId as Id;
use findings::{RuleDetails, RuleTable, Severity};

/// A rule that the capsule of a cubin must keep, such as that each clone has its original.
pub type Rule = findings::Rule<RuleId>;

/// The identifiers of the rules for capsules, by subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[allow(missing_docs)] // the table says what each one is
pub enum RuleId {
    CapsuleUnsound,
    CapsuleMissing,
    CapsuleHeader,
    CapsuleDiffers,
}

impl RuleTable for RuleId {
    type Details = &'static str;
    const SUBJECTS: &'static [(char, &'static str)] = &[('C', "the Mercury capsule")];

    fn rules() -> &'static [Rule] {
        &RULES
    }

    fn index(self) -> usize {
        self as usize
    }

    fn details_of(rule: &'static Rule) -> RuleDetails {
        let mend = vec!["`merc clone` makes the capsule anew from the native sections.".into()];
        RuleDetails { why: Some(rule.details.into()), mend, ..RuleDetails::default() }
    }
}

const fn row(
    id: RuleId,
    code: &'static str,
    name: &'static str,
    summary: &'static str,
    why: &'static str,
) -> Rule {
    Rule { id, code, name, severity: Severity::Error, summary, details: why }
}

/// The rules for capsules, in the order of their codes.
#[rustfmt::skip] // one rule, one place
pub static RULES: [Rule; 4] = [
    row(Id::CapsuleUnsound, "C001", "capsule-unsound", "A capsule is one: each clone has its original, and there are symbols.", "As `merc plan` has it."),
    row(Id::CapsuleMissing, "C002", "capsule-missing", "Debug sections and code have their clones.", "As `merc self-check` has it; what runs on other chips has no debug information."),
    row(Id::CapsuleHeader, "C003", "capsule-header", "A clone has the type and flags of its kind.", "As `merc plan` has it."),
    row(Id::CapsuleDiffers, "C004", "capsule-differs", "The capsule says what the native sections say.", "As `merc self-check` has it. Not looked at in a side file of `strip` alone, which has no code."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sound() {
        assert_eq!(findings::rule_table_faults::<RuleId>(), [""; 0]);
        assert!(RULES.iter().all(|rule| rule.details.ends_with('.')));
    }
}
