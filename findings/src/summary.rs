//! The findings of one file by rules of any tables, as an answer for people and, with serde, for
//! programs.

use crate::{Finding, KnownFindings, Report, Rule, RuleTable, Selection, Severity};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

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

/// A finding about a section of a cubin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CubinFinding")]
pub struct ListedFinding {
    /// The code of the broken rule, as in [verify.md](verify.md).
    pub code: &'static str,
    /// The name of the broken rule.
    pub name: &'static str,
    /// The severity of the broken rule.
    pub severity: Severity,
    /// The name of the section that breaks the rule; if a section is missing, the name that it
    /// would have.
    pub section: String,
    /// The byte offset in the section. For a row of a line table it is the offset of the address
    /// that begins the row's sequence.
    pub offset: u64,
    /// The symbol name of the function that the finding is about; `None` where none is known.
    pub function: Option<String>,
    /// What was found, in words.
    pub found: String,
    /// What was expected, in words.
    pub expected: String,
    /// The tool whose output is known to break the rule; `None` where there is none.
    pub known_fault_of: Option<&'static str>,
}

/// The findings of one rule that are counted and not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnlistedFindings {
    /// The code of the broken rule.
    pub code: &'static str,
    /// The severity of the findings.
    #[serde(skip)]
    pub severity: Severity,
    /// The number of findings that are not listed.
    pub count: usize,
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

    /// Removes the findings that a baseline has for the file with the name `file` in it.
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

impl ListedFinding {
    fn new<I: RuleTable>(finding: &Finding<I>, known_fault_of: Option<&'static str>) -> Self {
        let Finding { rule, section, offset, function, found, expected } = finding.clone();
        let (code, name, severity) = (rule.code, rule.name, rule.severity);
        Self { code, name, severity, section, offset, function, found, expected, known_fault_of }
    }

    /// Returns the finding in words, without its place.
    pub(crate) fn words(&self) -> String {
        let Self { found, expected, known_fault_of, .. } = self;
        let tool = known_fault_of.map(|tool| format!(" (known fault of {tool})")).unwrap_or_default();
        format!("{found}; expected {expected}{tool}")
    }
}

impl fmt::Display for ListedFinding {
    /// Writes the finding on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, severity, section, offset, function, .. } = self;
        write!(f, "{}[{code}]: {section}+{offset:#x}: ", severity.as_str())?;
        function.iter().try_for_each(|function| write!(f, "{function}: "))?;
        f.write_str(&self.words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
