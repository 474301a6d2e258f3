//! The rules as [`findings`] reads them: rows of [`RULES`] with their reasons.

use super::explanations::{RuleExplanation, explain};
use super::rules::{Details, RULES, Rule, RuleId, VERIFIER};
use findings::{RuleDetails, RuleTable, ToolWords};

/// What libNVVM does; of a sentence of its verifier also what comes of it.
fn does(rule: &Rule) -> String {
    let does = rule.details.libnvvm;
    if rule.details.source == VERIFIER {
        format!(
            "{does} (below compute_100 it returns 6; from compute_100 on it returns 0 and drops all debug information)"
        )
    } else {
        does.to_owned()
    }
}

impl RuleTable for RuleId {
    type Details = Details;
    const SUBJECTS: &'static [(char, &'static str)] = &[
        ('U', "LLVM IR: the module, its flags, versions and units"),
        ('N', "LLVM IR: nodes of debug metadata"),
        ('A', "LLVM IR: functions, locations, variables"),
    ];

    fn rules() -> &'static [Rule] {
        &RULES
    }

    fn index(self) -> usize {
        self as usize
    }

    fn details_of(rule: &'static Rule) -> RuleDetails {
        let RuleExplanation { why, mend } = explain(rule.id);
        RuleDetails {
            why: Some(why.into()),
            source: Some(rule.details.source.into()),
            tool: Some(ToolWords { name: "libNVVM 13.0.88", does: does(rule).into() }),
            mend: vec![mend.into()],
            ..RuleDetails::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sound() {
        assert_eq!(findings::rule_table_faults::<RuleId>(), [""; 0]);
    }

    #[test]
    fn each_rule_has_its_reason() {
        let ends = |text: &str| text.ends_with('.') && !text.contains("  ");
        for rule in &RULES {
            let RuleExplanation { why, mend } = explain(rule.id);
            assert!(ends(why) && ends(mend), "{}: {why} {mend}", rule.code);
        }
    }
}
