//! Repairs of directives of module scope that stand inside a body or block.

use std::collections::HashMap;

use super::edit::{insert_lines, is_faulty, line_end};
use super::{Edit, FixSelection};
use crate::error::SyntaxErrorKind;
use crate::lexer::{Lexer, TokenKind};
use crate::parser::Parsed;
use crate::section::SectionBlock;
use crate::statement::Statement;
use crate::text_range::TextRange;

/// `.file` out of functions and sections.
pub(super) fn files(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let mut edits = out_of_functions(parsed, |statement| matches!(statement, Statement::File(_)));
    out_of_sections(parsed, &mut edits);
    edits
}

/// `.section` out of functions.
pub(super) fn sections(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let whole = |section: &SectionBlock<'_>| !section.close.is_empty();
    out_of_functions(parsed, |statement| matches!(statement, Statement::Section(section) if whole(section)))
}

/// How many `.file` there are of each index, wherever they stand.
fn files_by_index(parsed: &Parsed<'_>) -> HashMap<u64, u32> {
    let bodies = parsed.module.functions().filter_map(|function| function.body.as_ref());
    let inside = bodies.flat_map(|body| &body.statements).filter_map(|statement| match statement {
        Statement::File(file) => Some(file.index),
        _ => None,
    });
    let mut count = HashMap::new();
    for index in parsed.module.files().map(|file| file.index).chain(inside) {
        *count.entry(index).or_insert(0) += 1;
    }
    count
}

fn out_of_functions(parsed: &Parsed<'_>, wanted: impl Fn(&Statement<'_>) -> bool) -> Vec<Edit> {
    let text = parsed.module.text;
    let mut edits = Vec::new();
    if parsed.errors.is_empty() {
        return edits; // each misplaced directive is an error
    }
    let files = files_by_index(parsed);
    for function in parsed.module.functions() {
        let Some(body) = function.body.as_ref().filter(|body| !body.close.is_empty()) else { continue };
        let mut moved = Moved::new(text, function.range.end);
        for statement in body.statements.iter().filter(|statement| wanted(statement)) {
            let range = statement.range();
            // After the function it would no longer be the nearest to its `.loc`.
            if matches!(statement, Statement::File(file) if files.get(&file.index).copied().unwrap_or(0) > 1)
            {
                continue;
            }
            // The word itself is one error; another one means that the end is not known.
            let after_word = TextRange::new(range.start + 1, range.end);
            if matches!(statement, Statement::Section(_)) || !is_faulty(&parsed.errors, text, after_word) {
                moved.take(range, &mut edits);
            }
        }
        moved.put(&mut edits);
    }
    edits
}

/// `.file` among the data of a section, which has no node: the error tells where.
fn out_of_sections(parsed: &Parsed<'_>, edits: &mut Vec<Edit>) {
    let text = parsed.module.text;
    let mut errors = parsed.errors.iter().peekable();
    for section in parsed.module.sections().filter(|section| !section.close.is_empty()) {
        let mut moved = Moved::new(text, section.range.end);
        while errors.next_if(|error| error.range.start < section.open.end).is_some() {}
        while let Some(error) = errors.next_if(|error| error.range.end <= section.close.start) {
            let is_file =
                error.range.slice(text) == ".file" && matches!(error.kind, SyntaxErrorKind::Expected { .. });
            if let Some(range) = is_file.then(|| file_directive(text, error.range.start)).flatten() {
                moved.take(range, edits);
            }
        }
        moved.put(edits);
    }
}

/// `.file INDEX "PATH" [, TIME, SIZE]` at an offset.
fn file_directive(text: &str, start: u32) -> Option<TextRange> {
    use TokenKind as Kind;
    let mut lexer = Lexer::new(text, start);
    for kind in [Kind::DotIdent, Kind::Integer] {
        (lexer.next_significant().kind == kind).then_some(())?;
    }
    let path = lexer.next_significant();
    (path.kind == Kind::String).then_some(())?;
    let mut end = path.range.end;
    for kinds in [[Kind::Comma, Kind::Integer], [Kind::Comma, Kind::Integer]] {
        let tokens = kinds.map(|_| lexer.next_significant());
        if tokens.map(|token| token.kind) == kinds {
            end = tokens.last().map_or(end, |token| token.range.end);
        } else if end != path.range.end || tokens.first().is_some_and(|token| token.kind == Kind::Comma) {
            return None;
        } else {
            break;
        }
    }
    Some(TextRange::new(start, end))
}

/// The text that moves from its place to the lines after `at`.
struct Moved<'a> {
    text: &'a str,
    at: u32,
    lines: String,
}

impl<'a> Moved<'a> {
    fn new(text: &'a str, at: u32) -> Self {
        Self { text, at, lines: String::new() }
    }

    fn take(&mut self, range: TextRange, edits: &mut Vec<Edit>) {
        if !self.lines.is_empty() {
            self.lines.push_str(line_end(self.text));
        }
        self.lines.push_str(range.slice(self.text));
        edits.push(Edit::delete(self.text, range));
    }

    fn put(self, edits: &mut Vec<Edit>) {
        if !self.lines.is_empty() {
            edits.push(insert_lines(self.text, self.at, &self.lines));
        }
    }
}
