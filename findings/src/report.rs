//! Findings, and reports that hold them.

use super::counts::Counts;
use crate::{Finding, MAX_FINDINGS, Rule, RuleTable, Severity};

/// The findings of one file, by the rules of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report<I: RuleTable> {
    findings: Vec<Finding<I>>,
    counts: Counts<I>,
}

impl<I: RuleTable> Default for Report<I> {
    fn default() -> Self {
        Self { findings: Vec::new(), counts: Counts::new(MAX_FINDINGS) }
    }
}

impl<I: RuleTable> Report<I> {
    /// Adds a finding. If [`MAX_FINDINGS`] of its rule are listed already, it is only counted.
    pub fn push(&mut self, finding: Finding<I>) {
        if self.counts.add(finding.rule.id) {
            self.findings.push(finding);
        }
    }

    /// Whether the next finding of a rule would only be counted, so that its message need not be
    /// built.
    pub fn is_full(&self, rule: I) -> bool {
        self.counts.is_full(rule)
    }

    /// Counts a finding of a rule for which [`Report::is_full`] is true.
    pub fn count_one(&mut self, rule: I) {
        self.counts.add(rule);
    }

    /// The findings in the order of the checks.
    pub fn findings(&self) -> &[Finding<I>] {
        &self.findings
    }

    /// The number of all findings of a rule, kept or not.
    pub fn count(&self, rule: I) -> usize {
        self.counts.of(rule)
    }

    /// The number of findings whose rule has this severity.
    pub fn count_of(&self, severity: Severity) -> usize {
        I::rules().iter().filter(|rule| rule.severity == severity).map(|rule| self.count(rule.id)).sum()
    }

    /// Iterates over the rules with findings that are counted and not listed, each with the number
    /// of these findings, in the order of the table.
    pub fn more(&self) -> impl Iterator<Item = (&'static Rule<I>, usize)> {
        self.counts.more()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    struct One;

    static RULES: [Rule<One>; 1] = [Rule {
        id: One,
        code: "A001",
        name: "one",
        severity: Severity::Warning,
        summary: "A sentence.",
        details: (),
    }];

    impl RuleTable for One {
        type Details = ();
        const SUBJECTS: &'static [(char, &'static str)] = &[('A', "all")];

        fn rules() -> &'static [Rule<Self>] {
            &RULES
        }

        fn index(self) -> usize {
            0
        }
    }

    #[test]
    fn findings_beyond_the_limit_are_counted() {
        let mut report = Report::default();
        for offset in 0..102 {
            let (section, function) = (".x".to_owned(), Some("f".to_owned()));
            let (found, expected) = ("1".to_owned(), "2".to_owned());
            report.push(Finding { rule: One.rule(), section, offset, function, found, expected });
        }
        assert_eq!((report.findings().len(), report.count(One)), (MAX_FINDINGS, 102));
        assert_eq!((report.count_of(Severity::Warning), report.count_of(Severity::Error)), (102, 0));
        assert_eq!(report.more().collect::<Vec<_>>(), [(One.rule(), 2)]);
        assert_eq!(report.findings()[16].to_string(), "warning[A001]: .x+0x10: f: 1; expected 2");
    }
}
