//! The report of `check` with places as lines and columns: an answer for programs, by way of serde.
//! `docs/json.md` has its members.

use super::{GATES, Mode, Report, Verdict};
use crate::{LineIndex, TextRange, TextSpan};
use findings::Severity;
use schemars::JsonSchema;
use serde::Serialize;

/// The findings of `check` in one module, as a serializable value.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CheckAnswer {
    /// The release whose ptxas the verdicts are of, such as `13.0`.
    release: &'static str,
    /// The verdicts of that ptxas on the module.
    verdict: Verdicts,
    /// The least `.version` that the module can have.
    min_version: MinVersion,
    /// The findings, in text order.
    findings: Vec<Finding>,
    /// The findings beyond the first 1000 of a rule and severity, which are only counted. Absent
    /// where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<More>,
    /// The number of findings that were left out because a baseline has them. Absent without a
    /// baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_baseline: Option<usize>,
}

/// The verdicts of the ptxas of a release on a module.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Verdicts {
    /// The code of the rule that refuses it first without debug options, or that it is not known
    /// whether the module is refused; `None` where it is accepted.
    none: Option<NotAccepted>,
    /// The verdict with `-lineinfo`; `None` where the module is accepted.
    lineinfo: Option<NotAccepted>,
    /// The verdict with `-g`; `None` where the module is accepted.
    g: Option<NotAccepted>,
}

/// A verdict other than that the module is accepted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
enum NotAccepted {
    /// ptxas refuses the module. The value is the code of the first rule for which it does.
    Refused(&'static str),
    /// The verdict is not known.
    NotKnown {
        /// The code of the rule about which this ptxas does otherwise than ptxas 13.0.88. Absent
        /// where the module is refused, and its rule is the value itself.
        not_known: &'static str,
    },
}

/// The least `.version` that a module can have, such as `7.5`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct MinVersion {
    /// The least one that ptxas 13.0.88 takes.
    enforced: String,
    /// The least one by the PTX ISA.
    documented: String,
    /// The features that need the version.
    uses: Vec<Use>,
}

/// A feature of PTX that asks for a `.version`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "FeatureUse")]
struct Use {
    /// The name of the feature.
    feature: String,
    /// The least `.version` by ptxas 13.0.88; `None` where it takes any.
    enforced: Option<String>,
    /// The least `.version` by the PTX ISA.
    documented: String,
    /// 1-based line of the first use.
    line: u32,
}

/// A finding in the text of a PTX module.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Finding {
    /// The code of the rule, as in [rules.md](rules.md).
    code: &'static str,
    /// The name of the rule.
    name: &'static str,
    /// How bad it is, which may be less than the rule says.
    #[schemars(with = "Severity")]
    severity: &'static str,
    /// The fault at this place, in words.
    message: String,
    #[serde(flatten)]
    place: TextSpan,
    /// Another place that belongs to it. Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    related: Option<Related>,
    /// The way to fix it. Absent where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    /// Whether there is a repair for the rule, made by `--fix` or by name (`check --repairs`).
    fixable: bool,
}

/// Another place that belongs to a finding.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "RelatedPlace")]
struct Related {
    /// The meaning of the position, in words.
    message: String,
    #[serde(flatten)]
    place: TextSpan,
}

/// The findings of one rule and severity that are only counted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "MoreFindings")]
struct More {
    /// The code of the rule.
    code: &'static str,
    /// How bad they are.
    #[schemars(with = "Severity")]
    severity: &'static str,
    /// The number of findings that are not listed.
    count: usize,
}

impl CheckAnswer {
    /// Converts a report on `text` to a serializable value. `lines` are the lines of the text.
    pub fn new(report: &Report, text: &str, lines: &LineIndex) -> Self {
        let reject = |mode| match report.verdict(mode) {
            Verdict::Accept => None,
            Verdict::Reject(rule) => Some(NotAccepted::Refused(rule.code)),
            Verdict::NotKnown(rule) => Some(NotAccepted::NotKnown { not_known: rule.code }),
        };
        let place = |range| TextSpan::new(lines, range);
        let findings = report.findings.iter().map(|finding| Finding {
            code: finding.rule.code,
            name: finding.rule.name,
            severity: finding.severity.as_str(),
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
            release: report.release.name(),
            verdict: Verdicts { none, lineinfo, g },
            min_version: MinVersion::new(&report.min_version, text, lines),
            findings: findings.collect(),
            more: report
                .more
                .iter()
                .map(|more| More {
                    code: more.rule.code,
                    severity: more.severity.as_str(),
                    count: more.count,
                })
                .collect(),
            in_baseline: report.in_baseline,
        }
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
