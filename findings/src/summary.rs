//! The findings of one file by rules of any tables, as an answer for people and, with serde, for
//! programs.

use super::listed_finding::ListedFinding;
use super::unlisted_findings::UnlistedFindings;
use crate::{KnownFindings, Report, Rule, RuleTable, Selection, Severity};
use schemars::JsonSchema;
use serde::Serialize;

/// The findings of one file, counted and listed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Summary {
    /// The number of errors, listed or not. Errors of ignored rules do not count.
    pub errors: usize,
    /// The number of warnings, listed or not. Warnings of ignored rules do not count.
    pub warnings: usize,
    /// The number of notes, listed or not. Notes of ignored rules do not count.
    pub notes: usize,
    /// The listed findings, in the order of the checks.
    pub findings: Vec<ListedFinding>,
    /// The findings beyond the first 100 of a rule, which are only counted. Absent where there are
    /// none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<UnlistedFindings>,
    /// The number of findings that were left out because a baseline has them. Absent without a
    /// baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_baseline: Option<usize>,
}

impl Summary {
    /// Adds the findings of a report, but only those of selected rules. `fault_of` names the tool
    /// whose output is known to break a rule.
    pub fn add<I: RuleTable>(
        &mut self,
        report: &Report<I>,
        selection: &Selection,
        fault_of: impl Fn(&Rule<I>) -> Option<&'static str>,
    ) {
        let is_listed = |rule: &Rule<I>| selection.has(rule.code);
        for rule in I::rules().iter().filter(|rule| is_listed(rule)) {
            *self.count_mut(rule.severity) += report.count(rule.id);
        }
        let findings = report.findings().iter().filter(|finding| is_listed(finding.rule));
        self.findings.extend(findings.map(|finding| ListedFinding::new(finding, fault_of(finding.rule))));
        let more = report.more().filter(|(rule, _)| is_listed(rule));
        self.more.extend(more.map(|(rule, count)| UnlistedFindings {
            code: rule.code,
            severity: rule.severity,
            count,
        }));
    }

    fn count_mut(&mut self, severity: Severity) -> &mut usize {
        match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Note => &mut self.notes,
        }
    }

    /// Removes the findings that the baseline lists for a file already. `file` is the name of the
    /// file in the baseline.
    pub fn remove_known(&mut self, file: &str, known: &mut KnownFindings) {
        let before = known.taken();
        let mut left_out = Vec::new();
        self.findings.retain(|finding| {
            let is_known = known.take(file, finding.code, &finding.subject());
            left_out.extend(is_known.then_some((finding.severity, 1)));
            !is_known
        });
        for more in &mut self.more {
            let new = known.take_unlisted(file, more.code, more.count);
            left_out.push((more.severity, more.count - new));
            more.count = new;
        }
        self.more.retain(|more| more.count > 0);
        for (severity, number) in left_out {
            let count = self.count_mut(severity);
            *count = count.saturating_sub(number);
        }
        self.in_baseline = Some(known.taken() - before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Finding;
    use crate::{BaselineBuilder, Catalog, FindingFile};

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    struct Row(usize);

    const fn rule(number: usize, code: &'static str, severity: Severity) -> Rule<Row> {
        Rule { id: Row(number), code, name: "row", severity, summary: "A sentence.", details: () }
    }

    static RULES: [Rule<Row>; 2] = [rule(0, "A001", Severity::Error), rule(1, "A002", Severity::Note)];

    impl RuleTable for Row {
        type Details = ();
        const SUBJECTS: &'static [(char, &'static str)] = &[('A', "all")];

        fn rules() -> &'static [Rule<Self>] {
            &RULES
        }

        fn index(self) -> usize {
            self.0
        }
    }

    #[test]
    fn rules_that_are_ignored_and_known_findings_count_nowhere() {
        let mut report = Report::default();
        for (row, offset) in [(0, 16), (1, 32), (1, 48)] {
            let rule = Row(row).rule();
            let (section, found, expected) = (".x".to_owned(), "1".to_owned(), "2".to_owned());
            report.push(Finding { rule, section, offset, function: None, found, expected });
        }
        let summed = |ignore: &[&str]| {
            let mut summary = Summary::default();
            let selection = Selection::new(&Catalog::of::<Row>(), &[""; 0], ignore).unwrap();
            summary.add(&report, &selection, |rule| (rule.code == "A001").then_some("ptxas"));
            summary
        };
        let all = summed(&[]);
        assert_eq!((all.errors, all.warnings, all.notes, all.findings.len()), (1, 0, 2, 3));
        assert_eq!(all.findings[0].to_string(), "error[A001]: .x+0x10: 1; expected 2 (known fault of ptxas)");
        let some = summed(&["A002"]);
        assert_eq!((some.errors, some.notes, some.findings.len(), some.more.len()), (1, 0, 1, 0));

        // Both notes are the same: their section and words are, and the baseline has one.
        let mut builder = BaselineBuilder::default();
        builder.add(&all.findings[1].located(&FindingFile::new("a.cubin", None)));
        let mut known = builder.finish("verify").known();
        let mut new = summed(&[]);
        new.remove_known("a.cubin", &mut known);
        assert_eq!((new.errors, new.notes, new.findings.len(), new.in_baseline), (1, 1, 2, Some(1)));
    }
}
