//! The rules as [`findings`] reads them: rows of [`RULES`] with their reasons.

use super::explanations::{RuleExplanation, explain};
use super::rule_details::Details;
use super::rules::{RULES, Rule, RuleId};
use findings::{RuleDetails, RuleTable, ToolWords};

impl RuleTable for RuleId {
    type Details = Details;
    const SUBJECTS: &'static [(char, &'static str)] = &[
        ('P', "grammar and names"),
        ('V', "`.version`, `.target`, `.address_size`; version gates"),
        ('T', "`.target ..., debug`"),
        ('F', "`.file`"),
        ('L', "`.loc`"),
        ('S', "`.section` as a whole"),
        ('D', "values, labels and references in a section"),
        ('W', "DWARF in `.debug_info` and `.debug_abbrev`"),
    ];

    fn rules() -> &'static [Rule] {
        &RULES
    }

    fn index(self) -> usize {
        self as usize
    }

    fn details_of(rule: &'static Rule) -> RuleDetails {
        let Details { since, until, reference, ptxas, releases, .. } = rule.details;
        let versions = match (since, until) {
            (Some(since), _) => Some(format!("from PTX {since} on").into()),
            (None, Some(until)) => Some(format!("below PTX {until}").into()),
            (None, None) => None,
        };
        let does = if releases.is_empty() {
            ptxas.into()
        } else {
            let releases: Vec<String> = releases.iter().map(ToString::to_string).collect();
            format!("{ptxas}. Other releases: {}", releases.join("; ")).into()
        };
        let tool = Some(ToolWords { name: "ptxas 13.0.88", does });
        let RuleExplanation { why, mend } = explain(rule.id);
        RuleDetails {
            why: Some(why.into()),
            source: Some(reference.into()),
            versions,
            tool,
            mend: if mend.is_empty() { Vec::new() } else { vec![mend.into()] },
            ..RuleDetails::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use findings::Severity;

    /// Whoever asks why gets words, and for all but bounds of this reader and pure facts something
    /// to do.
    #[test]
    fn each_rule_has_its_reason() {
        let ends = |text: &str| text.ends_with('.') && !text.contains("  ");
        for rule in &RULES {
            let RuleExplanation { why, mend } = explain(rule.id);
            assert!(ends(why) && (mend.is_empty() || ends(mend)), "{}: {why} {mend}", rule.code);
        }
        let idle = RULES.iter().filter(|rule| explain(rule.id).mend.is_empty());
        assert_eq!(idle.map(|rule| rule.code).collect::<Vec<_>>(), ["P006", "L006"]);
    }

    /// A rule that is a note in some places says so in its row, and why in its reason.
    #[test]
    fn notes_among_warnings_are_explained() {
        for rule in RULES.iter().filter(|rule| rule.summary.contains(" A note ")) {
            assert_eq!(rule.severity, Severity::Warning, "{}", rule.code);
            let why = explain(rule.id).why;
            assert!(why.contains("A note ") && why.contains("A warning "), "{}: {why}", rule.code);
        }
    }
}
