//! Checks of the lines in inline assembly.

use super::rules::RuleId;
use super::sink::Sink;
use crate::loc::LocDirective;
use crate::module::Module;
use crate::statement::Statement;
use crate::text_range::TextRange;

/// Fewest places in a row that count as drift.
const LEAST_DRIFT: usize = 3;

/// Finds runs of `.loc` that rise by one per instruction between `// begin inline asm` and `// end
/// inline asm`. The `.loc` in effect before the first of these comments is that of the first
/// instruction, unless another one stands before it.
pub(super) fn check(module: &Module<'_>, sink: &mut Sink<'_>) {
    if memchr::memmem::find(module.text.as_bytes(), b"begin inline asm").is_none() {
        return;
    }
    for body in module.functions().filter_map(|function| function.body.as_ref()) {
        let mut run: Vec<&LocDirective<'_>> = Vec::new();
        let mut inside = false;
        // The `.loc` in effect that stands outside of assembly, and whether it is that of the code
        // of `run`.
        let (mut outside, mut is_inherited) = (None, false);
        let mut at = body.open.end;
        for statement in &body.statements {
            let range = statement.range();
            let between = TextRange::new(at, range.start).slice(module.text);
            at = range.end;
            if between.contains("inline asm") {
                drift(&run, sink);
                run.clear();
                inside = between.rfind("begin inline asm") > between.rfind("end inline asm");
                is_inherited = inside && outside.is_some();
                run.extend(outside.filter(|_| inside));
            }
            match statement {
                Statement::Loc(loc) if inside => {
                    // No instruction has the one before the assembly.
                    let is_other = is_inherited
                        || !run.last().is_some_and(|last| {
                            last.file == loc.file && last.line.checked_add(1) == Some(loc.line)
                        });
                    if is_other {
                        drift(&run, sink);
                        run.clear();
                    }
                    run.push(loc);
                    (outside, is_inherited) = (None, false);
                }
                Statement::Loc(loc) => outside = Some(loc),
                Statement::Instruction(_) => is_inherited = false,
                _ => {}
            }
        }
        drift(&run, sink);
    }
}

fn drift(run: &[&LocDirective<'_>], sink: &mut Sink<'_>) {
    let [first, .., last] = run else { return };
    if run.len() < LEAST_DRIFT {
        return;
    }
    let message = format_args!(
        "lines {} to {} count up with the instructions of one inline assembly",
        first.line, last.line
    );
    if let Some(finding) = sink.find(RuleId::InlineAsmDrift, first.range, message) {
        finding.related = Some((last.range, "up to here".into()));
    }
}
