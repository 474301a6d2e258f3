//! Repairs of paths and times of `.file`, and of text outside ASCII.

use std::fmt::Write;

use super::{Edit, FixSelection};
use crate::error::SyntaxErrorKind;
use crate::file_directive::FileDirective;
use crate::file_folder::FileParts;
use crate::lexer::{Lexer, Token, TokenKind, tokenize};
use crate::parser::Parsed;
use crate::raw_byte::raw_byte;
use crate::text_range::TextRange;
use dwarf2_reader::PathMap;

/// The `.file` directives whose path has both its quotes.
fn files<'m>(parsed: &'m Parsed<'_>) -> impl Iterator<Item = &'m FileDirective<'m>> {
    let text = parsed.module.text.as_bytes();
    parsed.module.files().filter(|file| {
        let TextRange { start, end } = file.path_range;
        let quote = |at: Option<u32>| at.and_then(|at| text.get(at as usize)) == Some(&b'"');
        quote(start.checked_sub(1)) && quote(Some(end)) && end < file.range.end
    })
}

/// One name in place of a folder, a name and a checksum. Comments between them stay.
pub(super) fn join(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let text = parsed.module.text;
    let mut edits = Vec::new();
    for error in parsed.errors.iter().filter(|error| error.kind == SyntaxErrorKind::FileFolder) {
        let Some(name) = FileParts::read(text, error.range).name() else { continue };
        let name = format!("\"{name}\"");
        let is_comment =
            |token: &Token| matches!(token.kind, TokenKind::LineComment | TokenKind::BlockComment);
        if !tokenize(error.range.slice(text)).any(|token| is_comment(&token)) {
            edits.push(Edit::new(error.range, name));
            continue;
        }
        let mut lexer = Lexer::new(text, error.range.start);
        edits.push(Edit::new(lexer.next_significant().range, name));
        let rest = std::iter::from_fn(|| Some(lexer.next_significant().range));
        edits.extend(rest.take_while(|part| part.start < error.range.end).map(|part| Edit::new(part, "")));
    }
    edits
}

/// NUL bytes after the end of the text, with the blanks between and after them.
pub(super) fn nul_bytes(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let text = parsed.module.text;
    let kept = text.trim_end_matches(|c: char| c == '\0' || c.is_ascii_whitespace());
    let Some(first) = text.get(kept.len()..).and_then(|tail| tail.find('\0')) else { return Vec::new() };
    vec![Edit::new(TextRange::new((kept.len() + first) as u32, text.len() as u32), "")]
}

pub(super) fn path_map(parsed: &Parsed<'_>, fixes: &FixSelection) -> Vec<Edit> {
    let mapped = files(parsed)
        .filter_map(|file| Some(Edit::new(file.path_range, map_path(file.path, &fixes.path_map)?)));
    mapped.collect()
}

/// Maps a path. A map does not count if a string of PTX cannot hold what it writes.
pub(super) fn map_path(path: &str, maps: &[PathMap]) -> Option<String> {
    let is_writable = |map: &&PathMap| map.new.is_ascii() && !map.new.contains('"');
    let maps: Vec<PathMap> = maps.iter().filter(is_writable).cloned().collect();
    String::from_utf8(PathMap::apply(&maps, path.as_bytes())?).ok()
}

pub(super) fn ascii(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let text = parsed.module.text;
    if text.is_ascii() {
        return Vec::new();
    }
    let mut edits = Vec::new();
    if text.starts_with('\u{feff}') {
        edits.push(Edit::new(TextRange::new(0, 3), ""));
    }
    for token in tokenize(text) {
        match token.kind {
            TokenKind::LineComment | TokenKind::BlockComment => {
                escape(text, token.range, in_comment, &mut edits);
            }
            TokenKind::LineMarker => escape(text, token.range, in_name, &mut edits),
            _ => {}
        }
    }
    for file in files(parsed) {
        escape(text, file.path_range, in_name, &mut edits);
    }
    edits
}

/// An edit for each run of characters outside ASCII.
fn escape(text: &str, range: TextRange, write: fn(char, &mut String), edits: &mut Vec<Edit>) {
    let word = range.slice(text);
    if word.is_ascii() {
        return;
    }
    let mut run: Option<Edit> = None;
    for (at, c) in word.char_indices() {
        if c.is_ascii() {
            edits.extend(run.take());
            continue;
        }
        let start = range.start + at as u32;
        let edit = run.get_or_insert_with(|| Edit::insert(start, ""));
        edit.range.end = start + c.len_utf8() as u32;
        write(c, &mut edit.replacement);
    }
    edits.extend(run);
}

fn in_comment(c: char, out: &mut String) {
    match raw_byte(c) {
        Some(byte) => out.extend(std::ascii::escape_default(byte).map(char::from)),
        None => out.extend(c.escape_unicode()),
    }
}

/// As in a URI, so that two names stay two, and the name can be had back.
fn in_name(c: char, out: &mut String) {
    let mut utf8 = [0; 4];
    let raw = raw_byte(c).map(|byte| [byte]);
    let bytes = match &raw {
        Some(raw) => raw,
        None => c.encode_utf8(&mut utf8).as_bytes(),
    };
    for byte in bytes {
        let _ = write!(out, "%{byte:02X}"); // a String takes everything
    }
}

/// ptxas looks at the source file only for a time that is 0 or missing.
pub(super) fn time(parsed: &Parsed<'_>, fixes: &FixSelection) -> Vec<Edit> {
    let (time, size) = fixes.file_time;
    let known =
        super::versions::version(&parsed.module).is_some_and(|v| v >= crate::check::PtxVersion::new(3, 2));
    if time == 0 || !known {
        return Vec::new();
    }
    let text = parsed.module.text;
    let mut edits = Vec::new();
    for file in files(parsed) {
        let mut lexer = Lexer::new(text, file.path_range.end + 1);
        let comma = lexer.next_significant().kind == TokenKind::Comma;
        match (file.timestamp, file.size) {
            (None, _) if !comma => {
                edits.push(Edit::insert(file.path_range.end + 1, format!(", {time}, {size}")));
            }
            (Some(0), known) if comma => {
                let size = if known.is_none() { format!(", {size}") } else { String::new() };
                edits.push(Edit::new(lexer.next_significant().range, format!("{time}{size}")));
            }
            _ => {}
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_that_no_string_could_hold() {
        let map = |new: &str| map_path("a", &[PathMap { old: "a".into(), new: new.into() }]);
        assert_eq!(map("b").as_deref(), Some("b"));
        assert_eq!(map("\""), None);
        assert_eq!(map("\u{e9}"), None, "ptxas refuses it");
    }
}
