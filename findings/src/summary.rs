//! The findings of one file by rules of any tables, as an answer for people and, with serde, for programs.

use crate::{Finding, Report, Rule, RuleTable, Severity};
use serde::Serialize;
use std::fmt;

/// The findings of one file, counted and listed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Summary {
    /// How many errors there are, those that are not listed included.
    pub errors: usize,
    /// How many warnings.
    pub warnings: usize,
    /// How many notes.
    pub notes: usize,
    /// The findings that are kept, in the order of the checks.
    pub findings: Vec<ListedFinding>,
    /// Those that are only counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<UnlistedFindings>,
}

/// One finding. [`Display`](fmt::Display) has all of it on one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedFinding {
    /// Code of its rule.
    pub code: &'static str,
    /// Name of its rule.
    pub name: &'static str,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// Name of the section it is in.
    pub section: String,
    /// Byte offset there.
    pub offset: u64,
    /// The function it is about, where that is known.
    pub function: Option<String>,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
    /// The tool that is known to make such files.
    pub known_fault_of: Option<&'static str>,
}

/// Findings of a rule that are only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct UnlistedFindings {
    /// Code of the rule.
    pub code: &'static str,
    /// How many.
    pub count: usize,
}

impl Summary {
    /// Adds what a report has, but nothing of rules whose codes are in `ignore`. `fault_of` names the tool that is
    /// known to break a rule.
    pub fn add<I: RuleTable>(
        &mut self,
        report: &Report<I>,
        ignore: &[&str],
        fault_of: impl Fn(&Rule<I>) -> Option<&'static str>,
    ) {
        let is_listed = |rule: &Rule<I>| !ignore.contains(&rule.code);
        for rule in I::rules().iter().filter(|rule| is_listed(rule)) {
            let count = match rule.severity {
                Severity::Error => &mut self.errors,
                Severity::Warning => &mut self.warnings,
                Severity::Note => &mut self.notes,
            };
            *count += report.count(rule.id);
        }
        let findings = report.findings().iter().filter(|finding| is_listed(finding.rule));
        self.findings.extend(findings.map(|finding| ListedFinding::new(finding, fault_of(finding.rule))));
        let more = report.more().filter(|(rule, _)| is_listed(rule));
        self.more.extend(more.map(|(rule, count)| UnlistedFindings { code: rule.code, count }));
    }
}

impl ListedFinding {
    fn new<I: RuleTable>(finding: &Finding<I>, known_fault_of: Option<&'static str>) -> Self {
        let Finding { rule, section, offset, function, found, expected } = finding.clone();
        let (code, name, severity) = (rule.code, rule.name, rule.severity.word());
        Self { code, name, severity, section, offset, function, found, expected, known_fault_of }
    }
}

impl fmt::Display for ListedFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, severity, section, offset, function, found, expected, known_fault_of, .. } = self;
        write!(f, "{severity}[{code}]: {section}+{offset:#x}: ")?;
        function.iter().try_for_each(|function| write!(f, "{function}: "))?;
        write!(f, "{found}; expected {expected}")?;
        known_fault_of.iter().try_for_each(|tool| write!(f, " (known fault of {tool})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn rules_that_are_ignored_count_nowhere() {
        let mut report = Report::default();
        for (row, offset) in [(0, 16), (1, 32), (1, 48)] {
            let rule = Row(row).rule();
            let (section, found, expected) = (".x".to_owned(), "1".to_owned(), "2".to_owned());
            report.push(Finding { rule, section, offset, function: None, found, expected });
        }
        let summed = |ignore: &[&str]| {
            let mut summary = Summary::default();
            summary.add(&report, ignore, |rule| (rule.code == "A001").then_some("ptxas"));
            summary
        };
        let all = summed(&[]);
        assert_eq!((all.errors, all.warnings, all.notes, all.findings.len()), (1, 0, 2, 3));
        assert_eq!(all.findings[0].to_string(), "error[A001]: .x+0x10: 1; expected 2 (known fault of ptxas)");
        let some = summed(&["A002"]);
        assert_eq!((some.errors, some.notes, some.findings.len(), some.more.len()), (1, 0, 1, 0));
    }
}
