//! What `verify` says, as `--json` has it.

use cubin_debuginfo::verify as native;
use findings::{Finding, Report, Rule, RuleTable, Severity};
use nv_debug_sections::cubin::Cubin;
use serde::Serialize;

/// The document of `--json`.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    pub(super) schema: &'static str,
    pub(super) schema_version: u32,
    pub(super) files: Vec<Verified>,
}

/// One file.
#[derive(Debug, Serialize)]
pub(super) struct Verified {
    pub(super) file: String,
    pub(super) sm: Option<u32>,
    /// Where the code is; absent of a file that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<&'static str>,
    /// What a file without code is.
    #[serde(skip)]
    pub(super) debug_only: Option<String>,
    /// Why it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    pub(super) errors: usize,
    pub(super) warnings: usize,
    pub(super) notes: usize,
    pub(super) findings: Vec<Listed>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) more: Vec<More>,
}

/// One finding.
#[derive(Debug, Serialize)]
pub(super) struct Listed {
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    pub(super) severity: &'static str,
    pub(super) section: String,
    pub(super) offset: u64,
    pub(super) function: Option<String>,
    pub(super) found: String,
    pub(super) expected: String,
    pub(super) known_fault_of: Option<&'static str>,
}

/// Findings of a rule that are only counted.
#[derive(Debug, Serialize)]
pub(super) struct More {
    pub(super) code: &'static str,
    pub(super) count: usize,
}

/// The document of `--known-faults --json`.
#[derive(Debug, Serialize)]
pub(super) struct KnownFaults {
    pub(super) schema: &'static str,
    pub(super) schema_version: u32,
    pub(super) rules: Vec<KnownFault>,
}

/// What a tool is known to do wrong.
#[derive(Debug, Serialize)]
pub(super) struct KnownFault {
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    pub(super) fault_of: &'static str,
    pub(super) summary: &'static str,
    pub(super) text: &'static str,
}

impl Verified {
    /// A file that can be read, without findings.
    pub(super) fn new(file: String, cubin: &Cubin<'_>) -> Self {
        Self {
            file,
            sm: Some(cubin.header.sm()),
            code: Some(cubin.code_place().word()),
            debug_only: cubin.debug_only_words(),
            error: None,
            errors: 0,
            warnings: 0,
            notes: 0,
            findings: Vec::new(),
            more: Vec::new(),
        }
    }

    /// Adds findings, but not those of rules whose codes are in `ignore`.
    pub(super) fn add<I: RuleTable>(
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
        self.findings.extend(findings.map(|finding| Listed::new(finding, fault_of(finding.rule))));
        let more = report.more().filter(|(rule, _)| is_listed(rule));
        self.more.extend(more.map(|(rule, count)| More { code: rule.code, count }));
    }

    pub(super) fn unreadable(name: &str, error: String) -> Self {
        Self {
            file: name.to_owned(),
            sm: None,
            code: None,
            debug_only: None,
            error: Some(error),
            errors: 0,
            warnings: 0,
            notes: 0,
            findings: Vec::new(),
            more: Vec::new(),
        }
    }

    /// Whether the exit status is 1 for it.
    pub(super) fn fails(&self) -> bool {
        self.error.is_some() || self.errors > 0
    }
}

impl Listed {
    fn new<I: RuleTable>(finding: &Finding<I>, known_fault_of: Option<&'static str>) -> Self {
        let Finding { rule, section, offset, function, found, expected } = finding.clone();
        Self {
            code: rule.code,
            name: rule.name,
            severity: rule.severity.word(),
            section,
            offset,
            function,
            found,
            expected,
            known_fault_of,
        }
    }
}

impl KnownFault {
    /// `None` of a rule that no tool is known to break.
    pub(super) fn new(rule: &native::Rule) -> Option<Self> {
        let native::Rule { code, name, summary, ref details, .. } = *rule;
        Some(Self { code, name, fault_of: details.fault_of?, summary, text: details.why })
    }
}
