//! Findings as JSON (docs/json.md).

use super::{Checked, Options};
use crate::commands::read::JSON_VERSION;
use crate::plain::write_json;
use anyhow::Result;
use ptx_syntax::TextRange;
use ptx_syntax::check::{GATES, Mode, PtxVersion, RULES, Rule, Verdict};
use serde::Serialize;
use std::io::Write;
use std::path::Path;

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    schema_version: u32,
    files: Vec<File>,
}

#[derive(Serialize)]
struct File {
    #[serde(rename = "file")]
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdicts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_version: Option<MinVersion>,
    findings: Vec<Finding>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<More>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<Fix>,
}

#[derive(Serialize)]
struct Fix {
    changed: bool,
    repairs: Vec<Applied>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize)]
struct Applied {
    name: &'static str,
    edits: u32,
}

#[derive(Serialize)]
struct Verdicts {
    none: Reject,
    lineinfo: Reject,
    g: Reject,
}

/// `null` for accepted, else the rule's code.
type Reject = Option<&'static str>;

#[derive(Serialize)]
struct MinVersion {
    enforced: String,
    documented: String,
    uses: Vec<Use>,
}

#[derive(Serialize)]
struct Use {
    feature: String,
    enforced: Option<String>,
    documented: String,
    line: u32,
}

#[derive(Serialize)]
struct Finding {
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    message: String,
    #[serde(flatten)]
    place: Place,
    #[serde(skip_serializing_if = "Option::is_none")]
    related: Option<Related>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    fixable: bool,
}

#[derive(Serialize)]
struct Related {
    message: String,
    #[serde(flatten)]
    place: Place,
}

/// Byte offsets, and lines and columns from 1, columns in characters.
#[derive(Serialize)]
struct Place {
    start: u32,
    end: u32,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Serialize)]
struct More {
    code: &'static str,
    count: usize,
}

/// The files of one run.
pub(super) struct Documents {
    wanted: bool,
    files: Vec<File>,
}

impl Documents {
    /// Without `wanted` nothing is kept or written.
    pub(super) fn new(wanted: bool) -> Self {
        Self { wanted, files: Vec::new() }
    }

    /// A file that could not be read.
    pub(super) fn unreadable(&mut self, path: &Path, error: &anyhow::Error) {
        self.files.push(File {
            name: path.display().to_string(),
            error: Some(format!("{error:#}")),
            verdict: None,
            min_version: None,
            findings: Vec::new(),
            more: Vec::new(),
            fix: None,
        });
    }

    pub(super) fn add(&mut self, checked: &Checked<'_>, options: &Options) {
        let report = &checked.report;
        let reject = |mode| match report.verdict(mode) {
            Verdict::Accept => None,
            Verdict::Reject(rule) => Some(rule.code),
        };
        let shown = |text: &str| checked.file.shown(text).into_owned();
        let findings = report.findings.iter().map(|finding| Finding {
            code: finding.rule.code,
            name: finding.rule.name,
            severity: finding.severity.word(),
            message: finding.message.clone(),
            place: place(checked, finding.range),
            related: finding
                .related
                .as_ref()
                .map(|(range, message)| Related { message: message.clone(), place: place(checked, *range) }),
            help: finding.help.clone(),
            fixable: finding.rule.details.fixable,
        });
        self.files.push(File {
            name: checked.file.name.clone(),
            error: None,
            verdict: Some(Verdicts {
                none: reject(Mode::None),
                lineinfo: reject(Mode::Lineinfo),
                g: reject(Mode::G),
            }),
            min_version: Some(min_version(checked, checked.text())),
            findings: findings.collect(),
            more: report.more.iter().map(|&(rule, count)| More { code: rule.code, count }).collect(),
            fix: checked.repaired.as_ref().map(|repaired| Fix {
                changed: repaired.text != checked.file.text,
                repairs: repaired
                    .applied
                    .iter()
                    .map(|&(repair, edits)| Applied { name: repair.info().name, edits })
                    .collect(),
                diff: options.diff.then(|| shown(&repaired.diff(&checked.file.name, &checked.file.text))),
                text: (checked.file.is_stdin() && !options.diff).then(|| shown(&repaired.text)),
            }),
        });
    }

    pub(super) fn write(self, out: &mut dyn Write) -> Result<()> {
        if !self.wanted {
            return Ok(());
        }
        let document = Document { schema: "nvdwarf.check", schema_version: JSON_VERSION, files: self.files };
        Ok(write_json(out, &document)?)
    }
}

fn place(checked: &Checked<'_>, range: TextRange) -> Place {
    let (line, column) = checked.lines.line_col(range.start);
    let (end_line, end_column) = checked.lines.line_col(range.end);
    Place { start: range.start, end: range.end, line, column, end_line, end_column }
}

fn min_version(checked: &Checked<'_>, text: &str) -> MinVersion {
    let least = &checked.report.min_version;
    let line = |range: TextRange| checked.lines.line(range.start);
    let target = least.target.map(|(version, range)| Use {
        feature: format!(".target {}", range.slice(text)),
        enforced: Some(version.to_string()),
        documented: version.to_string(),
        line: line(range),
    });
    let gates = GATES.iter().filter_map(|gate| {
        let used = least.uses.iter().find(|used| used.gate == gate)?;
        Some(Use {
            feature: gate.feature.to_owned(),
            enforced: gate.enforced.map(|version| version.to_string()),
            documented: gate.documented.to_string(),
            line: line(used.range),
        })
    });
    MinVersion {
        enforced: least.enforced().to_string(),
        documented: least.documented().to_string(),
        uses: target.into_iter().chain(gates).collect(),
    }
}

#[derive(Serialize)]
struct RuleRow {
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    summary: &'static str,
    since: Option<String>,
    until: Option<String>,
    reference: &'static str,
    ptxas: &'static str,
    fixable: bool,
}

#[derive(Serialize)]
struct RuleTable {
    schema: &'static str,
    schema_version: u32,
    rules: Vec<RuleRow>,
}

/// The table of rules.
pub(super) fn rules(out: &mut dyn Write) -> Result<()> {
    let version = |version: Option<PtxVersion>| version.map(|version| version.to_string());
    let row = |rule: &'static Rule| RuleRow {
        code: rule.code,
        name: rule.name,
        severity: rule.severity.word(),
        summary: rule.summary,
        since: version(rule.details.since),
        until: version(rule.details.until),
        reference: rule.details.reference,
        ptxas: rule.details.ptxas,
        fixable: rule.details.fixable,
    };
    let table = RuleTable {
        schema: "nvdwarf.check.rules",
        schema_version: JSON_VERSION,
        rules: RULES.iter().map(row).collect(),
    };
    Ok(write_json(out, &table)?)
}
