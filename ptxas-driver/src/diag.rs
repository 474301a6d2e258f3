//! Messages: what is wrong, where in the PTX text, and the offending line.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use ptx_syntax::{LineIndex, TextRange};

/// How bad it is. Errors mean that nothing is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Warning,
    /// The input is refused.
    Error,
}

/// One message about the PTX text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong and what was expected.
    pub message: String,
    /// Bytes of the text it is about; `None` for the text as a whole.
    pub range: Option<TextRange>,
}

impl Diagnostic {
    /// An error about `range`.
    pub fn error(range: impl Into<Option<TextRange>>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), range: range.into() }
    }

    /// A warning about `range`.
    pub fn warning(range: impl Into<Option<TextRange>>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, message: message.into(), range: range.into() }
    }
}

/// Renders messages about one text: `error: ...`, `--> FILE:LINE:COLUMN`, the line, a caret.
#[derive(Debug)]
pub struct Reporter<'a> {
    /// Name shown for the text.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
    lines: &'a LineIndex,
    renderer: Renderer,
}

/// Longest piece of a source line that is shown, in bytes on either side of the place.
const CONTEXT: u32 = 200;

impl<'a> Reporter<'a> {
    /// `lines` are those of `text`; `color` turns on terminal colours.
    pub fn new(name: &'a str, text: &'a str, lines: &'a LineIndex, color: bool) -> Self {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        Self { name, text, lines, renderer }
    }

    /// The message as text, without a newline at the end.
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        let level = match diagnostic.severity {
            Severity::Warning => Level::WARNING,
            Severity::Error => Level::ERROR,
        };
        let title = level.primary_title(diagnostic.message.as_str());
        let Some(range) = diagnostic.range else {
            return self.renderer.render(&[title.element(annotate_snippets::Origin::path(self.name))]);
        };
        let (line, _) = self.lines.line_col(range.start);
        let whole = self.lines.line_range(line);
        let shown = TextRange::new(
            self.boundary(whole.start.max(range.start.saturating_sub(CONTEXT))),
            self.boundary(whole.end.min(range.start.saturating_add(CONTEXT))),
        );
        let start = (range.start.clamp(shown.start, shown.end) - shown.start) as usize;
        let end = (range.end.clamp(shown.start, shown.end) - shown.start) as usize;
        if shown.start != whole.start {
            return self.render_inside_long_line(diagnostic, shown, line);
        }
        let snippet = Snippet::source(shown.slice(self.text).trim_end_matches(['\n', '\r']))
            .line_start(line as usize)
            .path(self.name)
            .annotation(AnnotationKind::Primary.span(start..end.max(start)));
        self.renderer.render(&[title.element(snippet)])
    }

    /// A line too long to show: the place is given in words, and the text around it.
    fn render_inside_long_line(&self, diagnostic: &Diagnostic, shown: TextRange, line: u32) -> String {
        let column = diagnostic.range.map_or(1, |range| self.lines.line_col(range.start).1);
        let level = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
        let excerpt = shown.slice(self.text).trim_end();
        format!("{level}: {}\n --> {}:{line}:{column}\n  | ...{excerpt}", diagnostic.message, self.name)
    }

    fn boundary(&self, offset: u32) -> u32 {
        let mut offset = offset.min(self.text.len() as u32);
        while !self.text.is_char_boundary(offset as usize) {
            offset -= 1;
        }
        offset
    }
}
