//! The faults of a module that stop `compile`: those that stop ptxas (`ptx_syntax::check`), and
//! those that only this project rejects.

use crate::diagnostic::Diagnostic;
use crate::options::Options;
use cuda_releases::arch::{self, Arch};
use nv_debug_sections::level::LevelDirectives;
use ptx_syntax::check::{self, Report, RuleId, Severity};
use ptx_syntax::{Module, Parsed, Statement};

/// Findings that refuse the module. The others are `ptxas-driver check`'s to tell.
pub(crate) fn refused(parsed: &Parsed<'_>, options: &Options, diagnostics: &mut Vec<Diagnostic>) -> Report {
    let mode = options.mode();
    let report = check::check(parsed, &options.check_context());
    for finding in &report.findings {
        let rule = finding.rule.id;
        // A limit of our parser leaves part of the module unread.
        let is_limit = matches!(rule, RuleId::NestingTooDeep | RuleId::TooLarge | RuleId::TooManyErrors);
        // Opcodes are judged by whoever makes the code.
        if rule == RuleId::UnknownOpcode || !is_limit && !report.is_rejected_for(mode, rule) {
            continue;
        }
        // Without ptxas there is nothing in newer PTX that keeps us from reading its debug
        // directives.
        let is_error = is_limit || finding.severity == Severity::Error;
        let mut diagnostic = if is_error {
            Diagnostic::error(finding.range, finding.message.clone())
        } else {
            Diagnostic::warning(finding.range, finding.message.clone())
        };
        diagnostic.code = Some(finding.rule.code);
        diagnostic.related.clone_from(&finding.related);
        diagnostic.help.clone_from(&finding.help);
        diagnostics.push(diagnostic);
    }
    report
}

/// Whether the `.target` runs on `-arch`.
pub(crate) fn target(module: &Module<'_>, options: &Options, diagnostics: &mut Vec<Diagnostic>) {
    let Some(word) = module.arch() else { return };
    if let Ok(wanted) = Arch::parse_target(word.text)
        && let Err(cannot) = arch::can_run(wanted, options.arch)
    {
        diagnostics.push(Diagnostic::error(
            word.range,
            format!("{cannot} ({})", cannot.hint(options.release.archs())),
        ));
    }
}

/// What of the module decides how much debug information is written.
pub(crate) fn ptx_kind(module: &Module<'_>) -> LevelDirectives {
    LevelDirectives {
        version: module.version().map_or((0, 0), |version| (version.major, version.minor)),
        has_loc: has_loc(module),
        target_debug: module.is_debug(),
    }
}

/// Whether a `.loc` occurs.
fn has_loc(module: &Module<'_>) -> bool {
    let bodies = module.functions().filter_map(|function| function.body.as_ref());
    bodies.flat_map(|body| &body.statements).any(|statement| matches!(statement, Statement::Loc(_)))
}
