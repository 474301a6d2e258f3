//! `check` as text.

use super::{Checked, release};
use crate::commands::read::printable;
use crate::diagnostics::Reporter;
use crate::limits::{MAX_FINDINGS_SHOWN, MAX_TRIED_REPAIR};
use nvdwarf_compile::Diagnostic;
use ptx_syntax::check::{Finding, GATES, RuleId, RuleTable as _, Severity};
use ptx_syntax::fix::{self, FixSelection, REPAIRS, Repair, RepairInfo};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Result, Write};

/// All findings of a file, and their number; with colours where `out` takes them.
pub(super) fn findings(checked: &Checked<'_>, has_colors: bool, out: &mut dyn Write) -> Result<()> {
    let options = checked.options;
    let name = &*printable(&checked.file.name);
    let reporter = Reporter::new(name, checked.text(), &checked.lines, has_colors);
    let applied = checked.repaired.iter().filter(|_| !options.diff).flat_map(|repaired| &repaired.applied);
    for (repair, count) in applied {
        writeln!(out, "{name}: repaired by {}: {count}", repair.info().name)?;
    }
    let by_name = repairs_by_name(checked);
    // Shown and not shown, of each rule and severity: many notes of a rule do not hide its
    // warnings.
    let mut counts: BTreeMap<(RuleId, Severity), (usize, usize)> = BTreeMap::new();
    for finding in &checked.report.findings {
        let (shown, hidden) = counts.entry((finding.rule.id, finding.severity)).or_default();
        if options.all || *shown < MAX_FINDINGS_SHOWN {
            *shown += 1;
            writeln!(out, "{}\n", reporter.render(&diagnostic(finding, &by_name)))?;
        } else {
            *hidden += 1;
        }
    }
    for more in &checked.report.more {
        counts.entry((more.rule.id, more.severity)).or_default().1 += more.count;
    }
    for ((rule, severity), (_, hidden)) in counts.into_iter().filter(|(_, (_, hidden))| *hidden > 0) {
        let (rule, severity) = (rule.rule(), if hidden == 1 { severity.as_str() } else { plural(severity) });
        writeln!(out, "{name}: {hidden} more {severity} of {} {}", rule.code, rule.name)?;
    }
    for line in release::not_known(&checked.report) {
        writeln!(out, "{name}: {line}")?;
    }
    let known =
        checked.report.in_baseline.map(|count| format!("; {count} in the baseline")).unwrap_or_default();
    writeln!(out, "{name}: {}{known}", summary(checked))?;
    Ok(())
}

/// The repairs that are made by name only, and would change something here.
fn repairs_by_name(checked: &Checked<'_>) -> Vec<&'static RepairInfo> {
    let text = checked.text();
    let rules: BTreeSet<RuleId> = checked.report.findings.iter().map(|finding| finding.rule.id).collect();
    let answers = |info: &&RepairInfo| !info.default && info.rules.iter().any(|rule| rules.contains(rule));
    let mut named: Vec<_> = REPAIRS.iter().filter(answers).collect();
    if !named.is_empty() && text.len() <= MAX_TRIED_REPAIR {
        let parsed = ptx_syntax::parse(text);
        // What a map changes it alone knows.
        named.retain(|info| {
            let repair = info.repair;
            repair == Repair::PathMap || !fix::edits(&parsed, repair, &FixSelection::of(&[repair])).is_empty()
        });
    }
    named
}

/// A finding with the repairs of its rule that are made by name only.
fn diagnostic(finding: &Finding, by_name: &[&RepairInfo]) -> Diagnostic {
    let mut help = finding.help.clone().unwrap_or_default();
    for info in by_name.iter().filter(|info| info.rules.contains(&finding.rule.id)) {
        if !help.is_empty() {
            help.push_str("; ");
        }
        help.push_str("--fix=");
        help.push_str(info.name);
    }
    Diagnostic {
        severity: finding.severity,
        message: finding.message.clone(),
        range: Some(finding.range),
        code: Some(finding.rule.code),
        related: finding.related.clone(),
        help: (!help.is_empty()).then_some(help),
        is_ptxas: false,
    }
}

/// `2 errors, 1 warning, 3 notes`, or that there are none.
pub(super) fn counted(counts: [(Severity, usize); 3]) -> String {
    let parts = counts.into_iter().filter(|(_, count)| *count > 0).map(|(severity, count)| match count {
        1 => format!("1 {}", severity.as_str()),
        _ => format!("{count} {}", plural(severity)),
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "nothing found".to_owned() } else { parts.join(", ") }
}

const fn plural(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "errors",
        Severity::Warning => "warnings",
        Severity::Note => "notes",
    }
}

/// `2 errors, 1 warning, 3 notes`
fn summary(checked: &Checked<'_>) -> String {
    let report = &checked.report;
    let count = |severity| {
        let listed = report.findings.iter().filter(|finding| finding.severity == severity).count();
        let more = report.more.iter().filter(|more| more.severity == severity);
        (severity, listed + more.map(|more| more.count).sum::<usize>())
    };
    let mut summary = counted([Severity::Error, Severity::Warning, Severity::Note].map(count));
    // A repair for the rule may have nothing to do here.
    let answers = |repair: &Repair| {
        let rules = repair.info().rules;
        report.findings.iter().any(|finding| rules.contains(&finding.rule.id))
    };
    let repairs: Vec<Repair> = FixSelection::default().repairs.into_iter().filter(answers).collect();
    let text = checked.text();
    let is_long = text.len() > MAX_TRIED_REPAIR;
    if !repairs.is_empty() && is_long {
        summary.push_str("; --fix may have repairs");
    } else if !repairs.is_empty() && fix::would_change(text, &FixSelection::of(&repairs)) {
        summary.push_str("; --fix has repairs");
    }
    summary
}

/// `FILE: 7.5 (PTX ISA: 7.5)`, and what asks for it.
pub(super) fn min_version(checked: &Checked<'_>, out: &mut dyn Write) -> Result<()> {
    let name = printable(&checked.file.name);
    let least = &checked.report.min_version;
    let (enforced, documented) = (least.enforced(), least.documented());
    writeln!(out, "{name}: {enforced} (PTX ISA: {documented})")?;
    if let Some((version, range)) = least.target {
        let line = checked.lines.line(range.start);
        writeln!(out, "  line {line}: .target {} needs {version}", range.slice(&checked.file.text))?;
    }
    for gate in &GATES {
        let Some(used) = least.uses.iter().find(|used| used.gate == gate) else { continue };
        let line = checked.lines.line(used.range.start);
        let needs = match gate.enforced {
            Some(enforced) => format!("{enforced} (PTX ISA: {})", gate.documented),
            None => format!("any version (PTX ISA: {})", gate.documented),
        };
        writeln!(out, "  line {line}: {} needs {needs}", gate.feature)?;
    }
    Ok(())
}

/// The table of repairs.
pub(super) fn repairs(out: &mut dyn Write) -> Result<()> {
    for info in &REPAIRS {
        let default = if info.default { "default" } else { "by name" };
        let codes: Vec<&str> = info.rules.iter().map(|rule| rule.rule().code).collect();
        writeln!(out, "{} ({default}) {}", info.name, codes.join(" "))?;
        writeln!(out, "    {}", info.summary)?;
        if let Some(name) = info.other_name {
            writeln!(out, "    Also named {name}, as in LLVM's opt.")?;
        }
    }
    for info in &llvm_debug_metadata::fix::REPAIRS {
        let default = if info.default { "default" } else { "by name" };
        let codes: Vec<&str> = info.rules.iter().map(|rule| rule.rule().code).collect();
        writeln!(out, "{} ({default}; LLVM IR) {}", info.name, codes.join(" "))?;
        writeln!(out, "    {}", info.summary)?;
    }
    Ok(())
}
