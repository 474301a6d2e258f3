//! A rule of `check` as a value that serde writes.

use super::{PtxVersion, ReleaseBehaviour, ReleaseDifference, Rule};
use findings::Severity;
use schemars::JsonSchema;
use serde::Serialize;

/// A rule of `check`, as a serializable value.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "CheckRule")]
pub struct RuleRow {
    /// The stable code.
    code: &'static str,
    /// The stable name.
    name: &'static str,
    /// How bad it is as a rule; a finding may say less.
    #[schemars(with = "Severity")]
    severity: &'static str,
    /// The requirement, in one sentence.
    summary: &'static str,
    /// The first `.version` that the rule applies to; `None` where it applies to all.
    since: Option<String>,
    /// The first `.version` that it no longer applies to; `None` where there is none.
    until: Option<String>,
    /// The document that states the requirement.
    reference: &'static str,
    /// The behaviour of ptxas 13.0.88.
    ptxas: &'static str,
    /// The releases whose ptxas does otherwise. Absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    releases: Vec<ReleaseRow>,
    /// Whether there is a repair for it, made by `--fix` or by name (`check --repairs`).
    fixable: bool,
}

/// A run of releases whose ptxas does otherwise about a rule than ptxas 13.0.88.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ReleaseDifference")]
pub(super) struct ReleaseRow {
    /// The first release, such as `12.3`; `None` for the oldest that is known.
    first: Option<String>,
    /// The last release; `None` for the newest that is known, and later ones.
    last: Option<String>,
    /// Whether the verdict is still that of ptxas 13.0.88; if not, it is not known.
    same_verdict: bool,
    /// What their ptxas does.
    ptxas: &'static str,
}

impl From<&ReleaseDifference> for ReleaseRow {
    fn from(difference: &ReleaseDifference) -> Self {
        let name = |number: Option<(u32, u32)>| number.map(|(major, minor)| format!("{major}.{minor}"));
        Self {
            first: name(difference.first),
            last: name(difference.last),
            same_verdict: difference.behaviour == ReleaseBehaviour::Same,
            ptxas: difference.observed,
        }
    }
}

impl From<&'static Rule> for RuleRow {
    fn from(rule: &'static Rule) -> Self {
        let version = |version: Option<PtxVersion>| version.map(|version| version.to_string());
        Self {
            code: rule.code,
            name: rule.name,
            severity: rule.severity.as_str(),
            summary: rule.summary,
            since: version(rule.details.since),
            until: version(rule.details.until),
            reference: rule.details.reference,
            ptxas: rule.details.ptxas,
            releases: rule.details.releases.iter().map(ReleaseRow::from).collect(),
            fixable: rule.details.fixable,
        }
    }
}
