//! Findings as JSON (docs/json.md).

use super::{Checked, repair};
use findings::{RuleDetails, RuleText};
use ptx_syntax::check::{CheckAnswer, RuleId, RuleRow, RuleTable as _};
use ptx_syntax::fix::Repair;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// What `check` finds in a PTX file. With `--fix` verdict and findings are those of the repaired
/// text, with `--diff` those of the text as it is.
#[derive(Serialize, JsonSchema)]
struct OneFile {
    #[serde(flatten)]
    answer: CheckAnswer,
    /// What was repaired. Absent without `--fix` and `--diff`.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<Fix>,
}

/// Repairs of a text.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Repairs")]
struct Fix {
    /// Whether the text was changed.
    changed: bool,
    /// The repairs that changed something.
    repairs: Vec<Applied>,
    /// With `--diff`: the changes as a unified diff. Absent without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// With `--fix` of standard input: the repaired text. Absent without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// A repair that was made.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Repair")]
struct Applied {
    /// The name of the repair.
    name: &'static str,
    /// The number of places in the text that the repair changed.
    edits: u32,
}

impl OneFile {
    fn new(checked: &Checked<'_>) -> Self {
        let options = checked.options;
        let shown = |text: &str| checked.file.shown(text).into_owned();
        let applied = |&(repair, edits): &(Repair, u32)| Applied { name: repair.info().name, edits };
        let fix = checked.repaired.as_ref().map(|repaired| Fix {
            changed: repaired.text != checked.file.text,
            repairs: repaired.applied.iter().map(applied).collect(),
            diff: options.diff.then(|| {
                let file = &checked.file;
                shown(&repair::diff(&file.name, &file.text, &repaired.text))
            }),
            text: (checked.file.is_stdin() && !options.diff).then(|| shown(&repaired.text)),
        });
        let answer = CheckAnswer::new(&checked.report, checked.text(), &checked.lines);
        Self { answer, fix }
    }
}

impl Serialize for Checked<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        OneFile::new(self).serialize(serializer)
    }
}

impl JsonSchema for Checked<'_> {
    fn schema_name() -> Cow<'static, str> {
        OneFile::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        OneFile::json_schema(generator)
    }
}

/// A rule of `check`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CheckRule<'c> {
    #[serde(flatten)]
    row: RuleRow,
    /// Why the rule exists, or the consequence of breaking it. Absent where the summary says all.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'c str>,
    /// What a user can do about a finding, in one sentence each.
    mend: &'c [Cow<'static, str>],
    /// PTX text that breaks the rule. Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<&'c str>,
}

impl<'c> CheckRule<'c> {
    /// `None` for a rule of another table.
    pub(super) fn new(rule: &'c RuleText) -> Option<Self> {
        let RuleDetails { why, mend, example, .. } = &rule.more;
        let row = RuleRow::from(RuleId::named(rule.code)?);
        Some(Self { row, why: why.as_deref(), mend, example: example.as_deref() })
    }
}
