//! A file of LLVM IR in `check`: its findings, what libNVVM makes of it, and its repairs.

use super::{Options, repair};
use crate::commands::findings::{FindingList, FindingOutput};
use crate::commands::read::IrFile;
use crate::diagnostics::Reporter;
use crate::limits::MAX_FINDINGS_SHOWN;
use crate::output;
use crate::printable_text::{Plain, printable};
use crate::report::{Answer, Status};
use crate::stderr::has_colors;
use anyhow::{Result, bail};
use findings::{
    FindingFile, FindingPosition, KnownFindings, LocatedFinding, Region, Selection, Severity, subject_of_line,
};
use llvm_debug_metadata::check::{self, Finding, LibNvvmAnswer, LibNvvmOutcome, Report};
use llvm_debug_metadata::fix::{self, FixResult, REPAIRS, Repair};
use llvm_debug_metadata::{IrDialect, Module, TextRange};
use nvdwarf_compile::Diagnostic;
use ptx_syntax::{LineIndex, TextSpan};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// A module of LLVM IR, checked; after its repairs, if there are any.
pub(super) struct CheckedIr<'o> {
    options: &'o Options,
    pub(super) file: IrFile,
    repaired: Option<FixResult>,
    lines: LineIndex,
    report: Report,
    /// The number of findings that a baseline has.
    in_baseline: Option<usize>,
    /// Whether it is the repaired text that was checked.
    is_of_repaired: bool,
    pub(super) shown: FindingOutput,
}

impl<'o> CheckedIr<'o> {
    /// Checks a module: after its repairs, unless these are only shown.
    ///
    /// # Errors
    ///
    /// An option asks what only PTX can answer.
    pub(super) fn new(
        options: &'o Options,
        file: IrFile,
        repairs: Option<&[Repair]>,
        selection: &Selection,
        of_repaired: bool,
    ) -> Result<Self> {
        if let Some(option) = options.ptx_only_option() {
            bail!("{}: LLVM IR, and {option} works on PTX only", file.name);
        }
        let repaired = repairs.map(|repairs| fix::fix(&file.text, repairs));
        let text = match &repaired {
            Some(repaired) if of_repaired => &repaired.text,
            _ => &file.text,
        };
        let mut report = check::check(&Module::parse(text));
        let is_wanted =
            |code: &str, severity| selection.has(code) && !(options.no_notes && severity == Severity::Note);
        report.findings.retain(|finding| is_wanted(finding.rule.code, finding.severity));
        report.more.retain(|more| is_wanted(more.rule.code, more.severity));
        let lines = LineIndex::new(text);
        Ok(Self {
            options,
            repaired,
            lines,
            report,
            in_baseline: None,
            is_of_repaired: of_repaired,
            shown: FindingOutput::default(),
            file,
        })
    }

    fn text(&self) -> &str {
        match &self.repaired {
            Some(repaired) if self.is_of_repaired => &repaired.text,
            _ => &self.file.text,
        }
    }

    /// Puts the repaired text in place of the file. What came from standard input is for standard
    /// output, and returned.
    ///
    /// # Errors
    ///
    /// The file is bitcode, or cannot be written.
    pub(super) fn write(&self) -> Result<Option<Cow<'_, [u8]>>> {
        let Some(repaired) = self.repaired.as_ref().filter(|_| !self.options.diff) else { return Ok(None) };
        if self.file.path == Path::new("-") {
            let is_json = self.options.findings.json;
            return Ok((!is_json).then(|| repaired.text.as_bytes().into()));
        }
        if repaired.text == self.file.text {
            return Ok(None);
        }
        if self.file.is_bitcode {
            bail!("this is bitcode; `llvm-dis` makes text of it, which can be repaired");
        }
        if !self.file.path.is_file() {
            bail!("not a regular file; `-` repairs standard input to standard output");
        }
        output::write_lasting(&self.file.path, repaired.text.as_bytes())?;
        Ok(None)
    }

    /// The changes of the repairs, as `patch` reads them.
    fn diff(&self) -> String {
        let repaired = self.repaired.as_ref();
        repaired
            .map(|repaired| repair::diff(&self.file.name, &self.file.text, &repaired.text))
            .unwrap_or_default()
    }

    pub(super) fn is_finding(&self) -> bool {
        self.shown.fails
    }

    /// All findings of the file and their number.
    pub(super) fn write_findings(&self, has_colors: bool, out: &mut dyn Write) -> io::Result<()> {
        let name = &*printable(&self.file.name);
        let reporter = Reporter::new(name, self.text(), &self.lines, has_colors);
        for (repair, count) in
            self.repaired.iter().filter(|_| !self.options.diff).flat_map(|fixed| &fixed.applied)
        {
            writeln!(out, "{name}: repaired by {}: {count}", repair.info().name)?;
        }
        let mut counts: BTreeMap<_, (usize, usize)> = BTreeMap::new();
        for finding in &self.report.findings {
            let (shown, hidden) = counts.entry((finding.rule.id, finding.severity)).or_default();
            if !self.options.all && *shown == MAX_FINDINGS_SHOWN {
                *hidden += 1;
                continue;
            }
            *shown += 1;
            let diagnostic = Diagnostic {
                severity: finding.severity,
                message: finding.message.clone(),
                range: Some(range(finding.range)),
                code: Some(finding.rule.code),
                related: finding.related.as_ref().map(|(place, words)| (range(*place), words.clone())),
                help: help(finding),
                is_ptxas: false,
            };
            writeln!(out, "{}\n", reporter.render(&diagnostic))?;
        }
        for more in &self.report.more {
            counts.entry((more.rule.id, more.severity)).or_default().1 += more.count;
        }
        for ((rule, severity), (_, hidden)) in counts.into_iter().filter(|(_, (_, hidden))| *hidden > 0) {
            use findings::RuleTable as _;
            let rule = rule.rule();
            writeln!(out, "{name}: {hidden} more of {} {} ({})", rule.code, rule.name, severity.as_str())?;
        }
        writeln!(out, "{name}: {}", libnvvm_summary(&self.report.libnvvm, self.report.dialect))?;
        let known = self.in_baseline.map(|count| format!("; {count} in the baseline")).unwrap_or_default();
        writeln!(out, "{name}: {}{known}", self.summary())
    }

    /// `2 errors, 1 warning; --fix has repairs`
    fn summary(&self) -> String {
        let count = |severity| {
            let listed = self.report.findings.iter().filter(|finding| finding.severity == severity).count();
            let more = self.report.more.iter().filter(|more| more.severity == severity);
            listed + more.map(|more| more.count).sum::<usize>()
        };
        let mut summary = super::text::counted(
            [Severity::Error, Severity::Warning, Severity::Note].map(|severity| (severity, count(severity))),
        );
        let rules: Vec<_> = self.report.findings.iter().map(|finding| finding.rule.id).collect();
        let answers =
            |info: &&fix::RepairInfo| info.default && info.rules.iter().any(|rule| rules.contains(rule));
        let repairs: Vec<Repair> = REPAIRS.iter().filter(answers).map(|info| info.repair).collect();
        if !repairs.is_empty() && !fix::fix(self.text(), &repairs).applied.is_empty() {
            summary.push_str("; --fix has repairs");
        }
        summary
    }
}

/// What libNVVM says about a finding, and the repair that is made by its name only.
fn help(finding: &Finding) -> Option<String> {
    let by_name = REPAIRS.iter().find(|info| !info.default && info.rules.contains(&finding.rule.id));
    let said = (!finding.libnvvm.is_empty()).then(|| format!("libNVVM: {}", finding.libnvvm));
    let parts: Vec<String> =
        said.into_iter().chain(by_name.map(|info| format!("--fix={}", info.name))).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The range of another crate.
fn range(range: TextRange) -> ptx_syntax::TextRange {
    ptx_syntax::TextRange { start: range.start, end: range.end }
}

/// What libNVVM does, in one line.
fn libnvvm_summary(answer: &LibNvvmAnswer, dialect: IrDialect) -> String {
    let end = match (answer.outcome, answer.return_code) {
        (LibNvvmOutcome::Returns, Some(3)) => "refuses its version, with return code 3".to_owned(),
        (LibNvvmOutcome::Returns, Some(code)) if code != 0 => format!("refuses it with return code {code}"),
        (LibNvvmOutcome::Returns, _) if answer.has_lines => "takes it, and writes .loc".to_owned(),
        (LibNvvmOutcome::Returns, _) if !answer.sentences.is_empty() => {
            "returns success, drops all debug information, and says so on standard error only".to_owned()
        }
        (LibNvvmOutcome::Returns, _) => "takes it, and writes no .loc".to_owned(),
        (LibNvvmOutcome::Aborts, _) => "ends the process".to_owned(),
        (LibNvvmOutcome::NeverReturns, _) => "never returns".to_owned(),
        (LibNvvmOutcome::Undefined, _) => {
            "goes on with what is not valid, and mostly ends the process".to_owned()
        }
    };
    format!("libNVVM 13.0.88 {}: {end}", dialect.architectures())
}

impl FindingList for CheckedIr<'_> {
    fn located(&self, file: &FindingFile) -> Vec<LocatedFinding> {
        let region = |place: TextRange| {
            let (line, column) = self.lines.line_col(place.start);
            let (end_line, end_column) = self.lines.line_col(place.end);
            Region { line, column, end_line, end_column }
        };
        let located = self.report.findings.iter().map(|finding| {
            let place = region(finding.range);
            LocatedFinding {
                code: finding.rule.code,
                name: finding.rule.name,
                severity: finding.severity,
                message: finding.message.clone(),
                place: FindingPosition {
                    file: file.clone(),
                    region: Some(place),
                    ..FindingPosition::default()
                },
                related: finding.related.as_ref().map(|(place, words)| (region(*place), words.clone())),
                help: help(finding),
                subject: subject_of_line(self.lines.line_range(place.line).slice(self.text())),
            }
        });
        located.collect()
    }

    fn unlisted(&self) -> Vec<(&'static str, Severity, usize)> {
        self.report.more.iter().map(|more| (more.rule.code, more.severity, more.count)).collect()
    }

    fn leave_out(&mut self, file: &str, known: &mut KnownFindings) {
        let before = known.taken();
        let subjects: Vec<String> = self
            .report
            .findings
            .iter()
            .map(|finding| self.lines.line(finding.range.start))
            .map(|line| subject_of_line(self.lines.line_range(line).slice(self.text())))
            .collect();
        let mut subjects = subjects.iter();
        self.report.findings.retain(|finding| {
            subjects.next().is_none_or(|subject| !known.take(file, finding.rule.code, subject))
        });
        for more in &mut self.report.more {
            more.count = known.take_unlisted(file, more.rule.code, more.count);
        }
        self.report.more.retain(|more| more.count > 0);
        self.in_baseline = Some(known.taken() - before);
    }
}

impl Answer for CheckedIr<'_> {
    const SCHEMA: &'static str = "nvdwarf.check";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.options.diff {
            out.write_all(self.diff().as_bytes())
        } else if self.file.path == Path::new("-") && self.repaired.is_some() {
            let out = &mut io::stderr().lock();
            if self.shown.write(out)? { Ok(()) } else { self.write_findings(has_colors(&io::stderr()), out) }
        } else if self.shown.write(out)? {
            Ok(())
        } else {
            self.write_findings(has_colors(&io::stdout()), &mut Plain(out))
        }
    }

    fn status(&self) -> Status {
        Status { has_findings: self.is_finding(), ..Status::default() }
    }
}

/// A module of LLVM IR. With `--fix` the findings are those of the repaired text, with `--diff`
/// those of the text as it is.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CheckedIr")]
struct IrAnswer<'c> {
    /// The dialect that the module is written in.
    dialect: IrDialect,
    /// What libNVVM 13.0.88 does with the module.
    libnvvm: &'c LibNvvmAnswer,
    /// The findings, in text order.
    findings: Vec<IrFinding<'c>>,
    /// The findings beyond the first 100 of a rule and severity, which are only counted. Absent
    /// where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<MoreIrFindings>,
    /// The number of findings that were left out because a baseline has them. Absent without a
    /// baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_baseline: Option<usize>,
    /// What was repaired. Absent without `--fix` and `--diff`.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<super::json::Fix>,
}

/// A finding in a module of LLVM IR.
#[derive(Serialize, JsonSchema)]
struct IrFinding<'c> {
    /// The code of the rule.
    code: &'static str,
    /// The name of the rule.
    name: &'static str,
    /// How bad it is.
    #[schemars(with = "Severity")]
    severity: &'static str,
    /// What is wrong.
    message: &'c str,
    #[serde(flatten)]
    place: TextSpan,
    /// What libNVVM 13.0.88 says about it. Absent where it says nothing.
    #[serde(skip_serializing_if = "str::is_empty")]
    libnvvm: &'c str,
    /// Another place that belongs to the finding. Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    related: Option<RelatedIrPlace<'c>>,
    /// Whether there is a repair for the rule, made by `--fix` or by name (`check --repairs`).
    fixable: bool,
}

/// Another place that belongs to a finding in a module of LLVM IR.
#[derive(Serialize, JsonSchema)]
struct RelatedIrPlace<'c> {
    /// What is there, in words.
    message: &'c str,
    #[serde(flatten)]
    place: TextSpan,
}

/// The findings of one rule and severity in a module of LLVM IR that are only counted.
#[derive(Serialize, JsonSchema)]
struct MoreIrFindings {
    /// The code of the rule.
    code: &'static str,
    /// How bad they are.
    #[schemars(with = "Severity")]
    severity: &'static str,
    /// The number of findings that are not listed.
    count: usize,
}

impl<'c> IrAnswer<'c> {
    fn new(checked: &'c CheckedIr<'_>) -> Self {
        let place = |place: TextRange| TextSpan::new(&checked.lines, range(place));
        let applied = |fixed: &FixResult| -> Vec<(&'static str, u32)> {
            fixed.applied.iter().map(|(repair, count)| (repair.info().name, *count)).collect()
        };
        let is_stdin = checked.file.path == Path::new("-");
        let fix = checked.repaired.as_ref().map(|fixed| {
            let diff = checked.options.diff.then(|| checked.diff());
            let text = (is_stdin && !checked.options.diff).then(|| fixed.text.clone());
            super::json::Fix::new(fixed.text != checked.file.text, applied(fixed), diff, text)
        });
        let findings = checked.report.findings.iter().map(|finding| IrFinding {
            code: finding.rule.code,
            name: finding.rule.name,
            severity: finding.severity.as_str(),
            message: &finding.message,
            place: place(finding.range),
            libnvvm: &finding.libnvvm,
            related: finding
                .related
                .as_ref()
                .map(|(range, message)| RelatedIrPlace { message, place: place(*range) }),
            fixable: finding.rule.details.fixable,
        });
        let more = checked.report.more.iter().map(|more| MoreIrFindings {
            code: more.rule.code,
            severity: more.severity.as_str(),
            count: more.count,
        });
        Self {
            dialect: checked.report.dialect,
            libnvvm: &checked.report.libnvvm,
            findings: findings.collect(),
            more: more.collect(),
            in_baseline: checked.in_baseline,
            fix,
        }
    }
}

impl Serialize for CheckedIr<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        IrAnswer::new(self).serialize(serializer)
    }
}

impl JsonSchema for CheckedIr<'_> {
    fn schema_name() -> Cow<'static, str> {
        IrAnswer::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        IrAnswer::json_schema(generator)
    }
}
