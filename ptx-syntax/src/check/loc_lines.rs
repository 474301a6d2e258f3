//! Lines of PTX whose instructions have more than one `.loc`: the tables know lines only.

use super::rules::RuleId;
use super::sink::Sink;
use crate::nodes::{Function, LocDirective, Module};
use crate::statement::Statement;
use crate::text::TextRange;

/// Checks every body.
pub(super) fn check(module: &Module<'_>, sink: &mut Sink<'_>) {
    for function in module.functions() {
        body(function, sink);
    }
}

fn body(function: &Function<'_>, sink: &mut Sink<'_>) {
    let mut current: Option<&LocDirective<'_>> = None;
    // The last instruction: where its line is known by, and what its `.loc` is.
    let mut last: Option<(u32, &LocDirective<'_>)> = None;
    // The earlier ones of its line.
    let mut others: Vec<&LocDirective<'_>> = Vec::new();
    for statement in function.body.iter().flat_map(|body| &body.statements) {
        let instruction = match statement {
            // Line 0 makes no row, so there is none to lose.
            Statement::Loc(loc) => {
                current = (loc.line != 0).then_some(loc);
                continue;
            }
            Statement::Instruction(instruction) => instruction,
            _ => continue,
        };
        let anchor = instruction.line_anchor;
        let Some(loc) = current else { continue };
        if let Some((before, earlier)) = last.replace((anchor, loc)) {
            if !is_one_line(before, anchor, sink.text) {
                if !others.is_empty() {
                    report(&others, earlier, sink);
                    others.clear();
                }
            } else if !same_row(earlier, loc) {
                others.push(earlier);
            }
        }
    }
    if let Some((_, kept)) = last {
        report(&others, kept, sink);
    }
}

fn report(others: &[&LocDirective<'_>], kept: &LocDirective<'_>, sink: &mut Sink<'_>) {
    let mut lost = others.iter().filter(|other| !same_row(other, kept));
    let Some(first) = lost.next() else { return };
    let more = lost.count();
    let others = match more {
        0 => String::new(),
        1 => " and another".to_owned(),
        more => format!(" and {more} others"),
    };
    let (lost_line, line) = (first.line, kept.line);
    let message = format_args!(
        "line {lost_line}{others} is lost: ptxas keeps one `.loc` for each line of PTX, here that of line {line}"
    );
    if let Some(finding) = sink.find(RuleId::LocsOnALine, first.range, message) {
        finding.related = Some((kept.range, "this one is kept".into()));
        finding.help = Some("put each `.loc` and its instructions on lines of their own".into());
    }
}

fn is_one_line(from: u32, to: u32, text: &str) -> bool {
    let between = TextRange::new(from.min(to), to.max(from));
    memchr::memchr(b'\n', between.slice(text).as_bytes()).is_none()
}

/// Whether two directives make the same row; no row has a column.
fn same_row(a: &LocDirective<'_>, b: &LocDirective<'_>) -> bool {
    match (&a.inlined_at, &b.inlined_at) {
        (None, None) => (a.file, a.line) == (b.file, b.line),
        _ => super::same_loc(a, b),
    }
}
