//! Checks of PTX lines whose instructions have more than one `.loc`, which the line tables cannot
//! tell apart.

use super::rules::RuleId;
use super::sink::Sink;
use crate::function::Function;
use crate::instruction::Instruction;
use crate::loc::LocDirective;
use crate::module::Module;
use crate::statement::Statement;
use crate::text_range::TextRange;

/// Checks every body.
pub(super) fn check(module: &Module<'_>, sink: &mut Sink<'_>) {
    for function in module.functions() {
        body(function, sink);
    }
}

/// The row of an instruction.
#[derive(Clone, Copy)]
struct Row<'l> {
    /// The `.loc` in effect.
    written: &'l LocDirective<'l>,
    /// The one that counts: code of line 0, which has no row, counts to that of the code before.
    counts: &'l LocDirective<'l>,
}

fn body(function: &Function<'_>, sink: &mut Sink<'_>) {
    let mut current: Option<Row<'_>> = None;
    // The last instruction and its row.
    let mut last: Option<(&Instruction<'_>, Row<'_>)> = None;
    // The earlier ones of its line.
    let mut others: Vec<Row<'_>> = Vec::new();
    for statement in function.body.iter().flat_map(|body| &body.statements) {
        let instruction = match statement {
            Statement::Loc(loc) => {
                let counts = if loc.line == 0 { last.map(|(_, row)| row.counts) } else { Some(loc) };
                current = counts.map(|counts| Row { written: loc, counts });
                continue;
            }
            Statement::Instruction(instruction) => instruction,
            _ => continue,
        };
        let Some(row) = current else { continue };
        if let Some((before, earlier)) = last.replace((instruction, row)) {
            // Most instructions have the `.loc` of the one before: then no line matters.
            if others.is_empty() && std::ptr::eq(earlier.counts, row.counts) {
                continue;
            }
            if !is_one_line(before, instruction, sink.text) {
                if !others.is_empty() {
                    report(&others, earlier.counts, sink);
                    others.clear();
                }
            } else if !same_row(earlier.counts, row.counts) {
                others.push(earlier);
            }
        }
    }
    if let Some((_, kept)) = last {
        report(&others, kept.counts, sink);
    }
}

fn report(others: &[Row<'_>], kept: &LocDirective<'_>, sink: &mut Sink<'_>) {
    let mut lost = others.iter().filter(|other| !same_row(other.counts, kept));
    let Some(Row { written, counts }) = lost.next() else { return };
    let more = lost.count();
    let others = match more {
        0 => String::new(),
        1 => " and another".to_owned(),
        more => format!(" and {more} others"),
    };
    let of_line_0 = if written.line == 0 { ", to which code of line 0 counts," } else { "" };
    let (lost_line, line) = (counts.line, kept.line);
    let message = format_args!(
        "line {lost_line}{of_line_0}{others} is lost: ptxas keeps one `.loc` for each line of PTX, here that of line {line}"
    );
    if let Some(finding) = sink.find(RuleId::LocsOnALine, written.range, message) {
        finding.related = Some((kept.range, "this one is kept".into()));
        finding.help = Some("put each `.loc` and its instructions on lines of their own".into());
    }
}

/// Whether ptxas knows two instructions by the same line; `before` stands before the other.
fn is_one_line(before: &Instruction<'_>, instruction: &Instruction<'_>, text: &str) -> bool {
    let is_one = |from, to| memchr::memchr(b'\n', TextRange::new(from, to).slice(text).as_bytes()).is_none();
    // Each is known by one of its own tokens, so a line end between the two tells, and is found
    // sooner.
    is_one(before.range.end, instruction.range.start)
        && is_one(before.line_anchor(), instruction.line_anchor())
}

/// Whether two directives make the same row; no row has a column.
fn same_row(a: &LocDirective<'_>, b: &LocDirective<'_>) -> bool {
    match (&a.inlined_at, &b.inlined_at) {
        (None, None) => (a.file, a.line) == (b.file, b.line),
        _ => super::same_loc(a, b),
    }
}
