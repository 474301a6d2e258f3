//! A report with its places as lines and columns: an answer for programs, by way of serde. `docs/json.md` has its
//! members.

use super::{GATES, Mode, PtxVersion, Report, Rule, Verdict};
use crate::{LineIndex, TextRange};
use serde::Serialize;

/// What was found in one module.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdicts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_version: Option<MinVersion>,
    findings: Vec<Finding>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<More>,
}

#[derive(Debug, Clone, Serialize)]
struct Verdicts {
    none: Reject,
    lineinfo: Reject,
    g: Reject,
}

/// `null` for accepted, else the rule's code.
type Reject = Option<&'static str>;

#[derive(Debug, Clone, Serialize)]
struct MinVersion {
    enforced: String,
    documented: String,
    uses: Vec<Use>,
}

#[derive(Debug, Clone, Serialize)]
struct Use {
    feature: String,
    enforced: Option<String>,
    documented: String,
    line: u32,
}

#[derive(Debug, Clone, Serialize)]
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

#[derive(Debug, Clone, Serialize)]
struct Related {
    message: String,
    #[serde(flatten)]
    place: Place,
}

/// Byte offsets, and lines and columns from 1, columns in characters.
#[derive(Debug, Clone, Serialize)]
struct Place {
    start: u32,
    end: u32,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Debug, Clone, Serialize)]
struct More {
    code: &'static str,
    count: usize,
}

impl Answer {
    /// The answer of a report on `text`, whose lines are `lines`.
    pub fn new(report: &Report, text: &str, lines: &LineIndex) -> Self {
        let reject = |mode| match report.verdict(mode) {
            Verdict::Accept => None,
            Verdict::Reject(rule) => Some(rule.code),
        };
        let place = |range| Place::new(lines, range);
        let findings = report.findings.iter().map(|finding| Finding {
            code: finding.rule.code,
            name: finding.rule.name,
            severity: finding.severity.word(),
            message: finding.message.clone(),
            place: place(finding.range),
            related: finding
                .related
                .as_ref()
                .map(|(range, message)| Related { message: message.clone(), place: place(*range) }),
            help: finding.help.clone(),
            fixable: finding.rule.details.fixable,
        });
        let [none, lineinfo, g] = [Mode::None, Mode::Lineinfo, Mode::G].map(reject);
        Self {
            verdict: Some(Verdicts { none, lineinfo, g }),
            min_version: Some(MinVersion::new(&report.min_version, text, lines)),
            findings: findings.collect(),
            more: report.more.iter().map(|&(rule, count)| More { code: rule.code, count }).collect(),
        }
    }
}

impl Place {
    fn new(lines: &LineIndex, range: TextRange) -> Self {
        let (line, column) = lines.line_col(range.start);
        let (end_line, end_column) = lines.line_col(range.end);
        Self { start: range.start, end: range.end, line, column, end_line, end_column }
    }
}

impl MinVersion {
    fn new(least: &super::MinVersion, text: &str, lines: &LineIndex) -> Self {
        let line = |range: TextRange| lines.line(range.start);
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
        Self {
            enforced: least.enforced().to_string(),
            documented: least.documented().to_string(),
            uses: target.into_iter().chain(gates).collect(),
        }
    }
}

/// A rule, as an answer for programs.
#[derive(Debug, Clone, Serialize)]
pub struct RuleRow {
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

impl From<&'static Rule> for RuleRow {
    fn from(rule: &'static Rule) -> Self {
        let version = |version: Option<PtxVersion>| version.map(|version| version.to_string());
        Self {
            code: rule.code,
            name: rule.name,
            severity: rule.severity.word(),
            summary: rule.summary,
            since: version(rule.details.since),
            until: version(rule.details.until),
            reference: rule.details.reference,
            ptxas: rule.details.ptxas,
            fixable: rule.details.fixable,
        }
    }
}
