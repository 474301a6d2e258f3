//! Checks of line markers (`# 5 "a.cu"`) inside function bodies.

use super::ModuleFacts;
use super::ptxas_lines::PtxasLines;
use super::ptxas_transcript::Level;
use super::rules::RuleId;
use super::sink::Sink;
use crate::function::Body;
use crate::line_index::LineIndex;
use crate::module::Module;
use crate::statement::Statement;
use crate::text_range::TextRange;

/// ptxas makes tables from the first to the last line of a body and of the code of one `.loc`. It
/// crashes at the end of those of negative size; an empty one, whose last line is the one before
/// the first, passes.
pub(super) fn check(module: &Module<'_>, known: &ModuleFacts, sink: &mut Sink<'_>) {
    if memchr::memchr(b'#', module.text.as_bytes()).is_none() {
        return; // the usual case, which needs no index of the lines
    }
    let index = LineIndex::new(module.text);
    let lines = PtxasLines::new(module.text, &index);
    if !lines.has_markers() {
        return;
    }
    let mut spans = Spans { lines: &lines, known, sink };
    module.functions().filter_map(|function| function.body.as_ref()).for_each(|body| spans.body(body));
}

struct Spans<'s, 'l, 'a> {
    lines: &'s PtxasLines<'l>,
    known: &'s ModuleFacts,
    sink: &'s mut Sink<'a>,
}

/// What lies between, and the offset whose line ptxas takes.
type Span = Option<((TextRange, u32), (TextRange, u32))>;

impl Spans<'_, '_, '_> {
    fn body(&mut self, body: &Body<'_>) {
        let mut has_loc = false;
        let mut covers = false;
        let mut span: Span = None;
        for statement in &body.statements {
            match statement {
                Statement::Loc(loc) => {
                    self.end(span.take(), loc.range.end - 1);
                    // Line 0 has no table.
                    (has_loc, covers) = (true, loc.line != 0);
                }
                Statement::Instruction(instruction) if covers => {
                    let first = span
                        .map_or_else(|| (instruction.range, instruction.begin_anchor()), |(first, _)| first);
                    span = Some((first, (instruction.range, instruction.line_anchor())));
                }
                _ => {}
            }
        }
        let (open, close) = (body.open, body.close);
        self.end(span, close.start);
        if has_loc && !close.is_empty() {
            self.end(Some(((open, open.start), (close, close.start))), close.start);
        }
    }

    fn end(&mut self, span: Span, at: u32) {
        let Some(((first, first_at), (last, last_at))) = span else { return };
        let ((_, from), (_, to)) = (self.lines.line(first_at), self.lines.line(last_at));
        // From 2^31 on ptxas counts in another way.
        if to.saturating_add(1) >= from || from > i32::MAX as u32 {
            return;
        }
        let rule = RuleId::MarkerBack;
        let release = self.sink.release;
        let message =
            format_args!("a line marker makes this line {to}, after {from}: ptxas {release} crashes");
        if let Some(finding) = self.sink.find(rule, last, message) {
            finding.related = Some((first, format!("line {from}")));
            finding.help = Some("drop line markers inside of bodies: `.loc` tells the source line".into());
        }
        self.sink.ptxas_message_at(rule, at, Level::Crash, self.known.lines, format_args!(""));
    }
}
