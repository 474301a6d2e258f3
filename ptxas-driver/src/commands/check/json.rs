//! Findings as JSON (docs/json.md).

use super::{Checked, repair};
use findings::{RuleDetails, RuleText, Severity};
use llvm_debug_metadata::check::RuleId as IrRuleId;
use ptx_syntax::check::{CheckAnswer, RuleId, RuleRow, RuleTable as _};
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
pub(super) struct Fix {
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

impl Fix {
    /// Repairs that were made, by their names and with the number of places of each.
    pub(super) fn new(
        changed: bool,
        repairs: impl IntoIterator<Item = (&'static str, u32)>,
        diff: Option<String>,
        text: Option<String>,
    ) -> Self {
        let repairs = repairs.into_iter().map(|(name, edits)| Applied { name, edits }).collect();
        Self { changed, repairs, diff, text }
    }
}

impl OneFile {
    fn new(checked: &Checked<'_>) -> Self {
        let options = checked.options;
        let shown = |text: &str| checked.file.shown(text).into_owned();
        let file = &checked.file;
        let fix = checked.repaired.as_ref().map(|repaired| {
            let applied = repaired.applied.iter().map(|(repair, edits)| (repair.info().name, *edits));
            let diff = options.diff.then(|| shown(&repair::diff(&file.name, &file.text, &repaired.text)));
            let text = (file.is_stdin() && !options.diff).then(|| shown(&repaired.text));
            Fix::new(repaired.text != file.text, applied, diff, text)
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
#[serde(untagged)]
pub(crate) enum CheckRule<'c> {
    /// A rule about PTX.
    Ptx(PtxRule<'c>),
    /// A rule about LLVM IR.
    LlvmIr(IrRule<'c>),
}

/// A rule about PTX.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PtxRule<'c> {
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

/// A rule about LLVM IR.
#[derive(Serialize, JsonSchema)]
pub(crate) struct IrRule<'c> {
    /// The stable code.
    code: &'static str,
    /// The stable name.
    name: &'static str,
    /// How bad it is as a rule; a finding may say less.
    #[schemars(with = "Severity")]
    severity: &'static str,
    /// The requirement, in one sentence.
    summary: &'static str,
    /// The document that states the requirement.
    reference: &'static str,
    /// What libNVVM 13.0.88 does where the rule is broken.
    libnvvm: &'static str,
    /// Whether there is a repair for it, made by `--fix` or by name (`check --repairs`).
    fixable: bool,
    /// Why the rule exists, or the consequence of breaking it. Absent where the summary says all.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'c str>,
    /// What a user can do about a finding, in one sentence each.
    mend: &'c [Cow<'static, str>],
}

impl<'c> CheckRule<'c> {
    /// `None` for a rule of another table.
    pub(super) fn new(rule: &'c RuleText) -> Option<Self> {
        let RuleDetails { why, mend, example, .. } = &rule.more;
        let why = why.as_deref();
        if let Some(row) = RuleId::named(rule.code) {
            let row = RuleRow::from(row);
            return Some(Self::Ptx(PtxRule { row, why, mend, example: example.as_deref() }));
        }
        let row = IrRuleId::named(rule.code)?;
        Some(Self::LlvmIr(IrRule {
            code: row.code,
            name: row.name,
            severity: row.severity.as_str(),
            summary: row.summary,
            reference: row.details.source,
            libnvvm: row.details.libnvvm,
            fixable: row.details.fixable,
            why,
            mend,
        }))
    }
}
