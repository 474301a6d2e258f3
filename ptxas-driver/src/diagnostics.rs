//! Messages about PTX: what is wrong, where in the text, and the line at fault.

use std::borrow::Cow;

use crate::limits::{MAX_SOURCE_CONTEXT, SOURCE_MARGIN};
use crate::printable_text::{is_steering, printable};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use nvdwarf_compile::{Diagnostic, Severity};
use ptx_syntax::{LineIndex, TextRange, raw_byte};

/// Renders error messages about one text: `error: ...`, `--> FILE:LINE:COLUMN`, the source line, a
/// caret.
#[derive(Debug)]
pub struct Reporter<'a> {
    /// Name shown for the text.
    name: Cow<'a, str>,
    text: &'a str,
    lines: &'a LineIndex,
    renderer: Renderer,
}

/// A character of a text that was cut: tabs have no width that is known.
fn shown_as(c: char) -> char {
    if c == '\t' || is_steering(c) || raw_byte(c).is_some() { char::REPLACEMENT_CHARACTER } else { c }
}

/// A source line with the same number of bytes, in which nothing steers a terminal.
fn harmless(line: &str) -> Cow<'_, str> {
    // Control characters of ASCII have pictures of their own in the renderer.
    let is_replaced = |c: char| raw_byte(c).is_some() || !c.is_ascii() && is_steering(c);
    if !line.contains(is_replaced) {
        return line.into();
    }
    let mut shown = String::with_capacity(line.len());
    for c in line.chars() {
        match c.len_utf8() {
            _ if !is_replaced(c) => shown.push(c),
            2 => shown.push_str("??"),
            // The replacement character has three bytes.
            3 => shown.push(char::REPLACEMENT_CHARACTER),
            _ => shown.extend([char::REPLACEMENT_CHARACTER, '?']),
        }
    }
    shown.into()
}

impl<'a> Reporter<'a> {
    /// The line index of the text that messages are about.
    pub fn lines(&self) -> &'a LineIndex {
        self.lines
    }

    /// The text that messages are about.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Creates a reporter for messages about `text`, whose lines are `lines`. `color` turns on
    /// terminal colours.
    pub fn new(name: &'a str, text: &'a str, lines: &'a LineIndex, color: bool) -> Self {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        Self { name: printable(name), text, lines, renderer }
    }

    /// Returns the message with its source line as text, without a newline at the end. Names in it
    /// cannot control a terminal.
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        let escaped = |text: &str| printable(text).into_owned();
        let diagnostic = &Diagnostic {
            message: escaped(&diagnostic.message),
            related: diagnostic.related.as_ref().map(|(range, what)| (*range, escaped(what))),
            help: diagnostic.help.as_deref().map(escaped),
            ..*diagnostic
        };
        let level = match diagnostic.severity {
            Severity::Note => Level::NOTE,
            Severity::Warning => Level::WARNING,
            Severity::Error => Level::ERROR,
        };
        let title = level.primary_title(diagnostic.message.as_str());
        let title = match diagnostic.code {
            Some(code) => title.id(code),
            None => title,
        };
        let mut group = match diagnostic.range {
            None => title.element(annotate_snippets::Origin::path(&*self.name)),
            Some(range) => match self.snippet(range, AnnotationKind::Primary, None) {
                Some(snippet) => title.element(snippet),
                None => return self.render_inside_long_line(diagnostic, range),
            },
        };
        if let Some((range, what)) = &diagnostic.related
            && let Some(snippet) = self.snippet(*range, AnnotationKind::Context, Some(what))
        {
            group = group.element(snippet);
        }
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        self.renderer.render(&[group])
    }

    /// The line of `range` with the range marked. None where the line is too long to show from its
    /// start.
    fn snippet<'t>(
        &'t self,
        range: TextRange,
        kind: AnnotationKind,
        label: Option<&'t str>,
    ) -> Option<Snippet<'t, annotate_snippets::Annotation<'t>>> {
        let line = self.lines.line(range.start);
        let whole = self.lines.line_range(line);
        let shown = self.shown(range, whole);
        if shown.start != whole.start {
            return None;
        }
        let start = (range.start.clamp(shown.start, shown.end) - shown.start) as usize;
        let end = (range.end.clamp(shown.start, shown.end) - shown.start) as usize;
        let annotation = kind.span(start..end.max(start));
        let annotation = match label {
            Some(label) => annotation.label(label),
            None => annotation,
        };
        let source = shown.slice(self.text).trim_end_matches(['\n', '\r']);
        Some(
            Snippet::source(harmless(source))
                .line_start(line as usize)
                .path(&*self.name)
                .annotation(annotation),
        )
    }

    /// The piece of a line around `range` that is shown.
    fn shown(&self, range: TextRange, whole: TextRange) -> TextRange {
        TextRange::new(
            self.boundary(whole.start.max(range.start.saturating_sub(MAX_SOURCE_CONTEXT))),
            self.boundary(whole.end.min(range.start.saturating_add(MAX_SOURCE_CONTEXT))),
        )
    }

    /// A line too long to show from its start: the text around the place.
    fn render_inside_long_line(&self, diagnostic: &Diagnostic, range: TextRange) -> String {
        let (line, column) = self.lines.line_col(range.start);
        let level = diagnostic.severity.as_str();
        let code = diagnostic.code.map(|code| format!("[{code}]")).unwrap_or_default();
        let whole = self.lines.line_range(line);
        let piece =
            |from: u32, to: u32| TextRange::new(self.boundary(from), self.boundary(to)).slice(self.text);
        let before = piece(whole.start.max(range.start.saturating_sub(SOURCE_MARGIN)), range.start);
        let end = whole.end.min(range.start.saturating_add(MAX_SOURCE_CONTEXT));
        let marked = piece(range.start, range.end.min(end));
        let after = piece(range.end.min(end), end).trim_end();
        let excerpt: String =
            [before, marked, after].into_iter().flat_map(str::chars).map(shown_as).collect();
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        let blanks = " ".repeat(before.chars().count());
        let carets = "^".repeat(marked.chars().count().max(1));
        let mut text = format!(
            "{level}{code}: {}\n{gutter}--> {}:{line}:{column}\n{gutter} |\n{number} | ...{excerpt}\n{gutter} |    {blanks}{carets}",
            diagnostic.message, self.name
        );
        if let Some(help) = &diagnostic.help {
            text = format!("{text}\n{gutter} |\n{gutter} = help: {help}");
        }
        text
    }

    fn boundary(&self, offset: u32) -> u32 {
        let mut offset = offset.min(self.text.len() as u32);
        while !self.text.is_char_boundary(offset as usize) {
            offset -= 1;
        }
        offset
    }
}
