//! The rules as [`findings`] reads them: rows of [`RULES`] with their reasons.

use super::reasons::reason;
use super::rules::{Details, RULES, Rule, RuleId};
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
        let Details { since, until, reference, ptxas, .. } = rule.details;
        let versions = match (since, until) {
            (Some(since), _) => Some(format!("from PTX {since} on").into()),
            (None, Some(until)) => Some(format!("below PTX {until}").into()),
            (None, None) => None,
        };
        let tool = Some(ToolWords { name: "ptxas 13.0.88", does: ptxas.into() });
        let reason = reason(rule.id);
        let mend = reason.map(|reason| reason.mend).filter(|mend| !mend.is_empty());
        RuleDetails {
            why: reason.map(|reason| reason.why.into()),
            source: Some(reference.into()),
            versions,
            tool,
            mend: mend.into_iter().map(Into::into).collect(),
            ..RuleDetails::default()
        }
    }
}
