//! Edits of a text: ranges are replaced, and the rest does not change.

use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::lexer::{Lexer, TokenKind};
use crate::text_range::TextRange;

/// A replacement of one range of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The range of text that is replaced, on character boundaries; empty where text is only
    /// inserted.
    pub range: TextRange,
    /// The text that is written in place of the range.
    pub replacement: String,
}

impl Edit {
    pub(super) fn new(range: TextRange, replacement: impl Into<String>) -> Self {
        Self { range, replacement: replacement.into() }
    }

    pub(super) fn insert(at: u32, text: impl Into<String>) -> Self {
        Self::new(TextRange::empty(at), text)
    }

    /// Takes a directive away: with its whole line if nothing else stands there.
    pub(super) fn delete(text: &str, range: TextRange) -> Self {
        let bytes = text.as_bytes();
        let blank = |b: &u8| matches!(b, b' ' | b'\t');
        let (before, after) = (bytes.get(..range.start as usize), bytes.get(range.end as usize..));
        let (before, after) = (before.unwrap_or(&[]), after.unwrap_or(&[]));
        let indent = before.iter().rev().take_while(|b| blank(b)).count();
        let tail = after.iter().take_while(|b| blank(b) || **b == b'\r').count();
        let begins = indent == before.len() || before.get(before.len() - indent - 1) == Some(&b'\n');
        let next = after.get(tail);
        if begins && matches!(next, None | Some(b'\n')) {
            let end = range.end + tail as u32 + u32::from(next.is_some());
            return Self::new(TextRange::new(range.start - indent as u32, end), "");
        }
        // Two tokens must not become one.
        let solid = |b: Option<&u8>| b.is_some_and(|b| !b.is_ascii_whitespace());
        let glue = solid(before.last()) && solid(after.first());
        Self::new(range, if glue { " " } else { "" })
    }
}

/// Returns the text with the edits made. They must be ascending and disjoint, as [`super::edits`]
/// returns them; an edit that is not is skipped.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for Edit { range, replacement } in edits {
        let (start, end) = (range.start as usize, range.end as usize);
        let (Some(kept), true) = (text.get(at..start), text.is_char_boundary(end) && start <= end) else {
            continue;
        };
        out.push_str(kept);
        out.push_str(replacement);
        at = end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

/// `\r\n` in a text whose first line ends so.
pub(super) fn line_end(text: &str) -> &'static str {
    match memchr::memchr(b'\n', text.as_bytes()) {
        Some(at) if text.as_bytes().get(..at).is_some_and(|line| line.last() == Some(&b'\r')) => "\r\n",
        _ => "\n",
    }
}

/// Inserts complete lines after what ends at `at`: after the comments of its line, or directly
/// after it if something else follows on the line.
pub(super) fn insert_lines(text: &str, at: u32, lines: &str) -> Edit {
    let end = line_end(text);
    let mut lexer = Lexer::new(text, at);
    let mut after = at;
    loop {
        let token = lexer.next_token();
        let word = token.range.slice(text);
        match token.kind {
            TokenKind::Whitespace if word.contains('\n') => break,
            TokenKind::Eof => break,
            TokenKind::Whitespace => {}
            TokenKind::LineComment => after = token.range.start + word.trim_end_matches('\r').len() as u32,
            TokenKind::BlockComment if !word.contains('\n') => after = token.range.end,
            _ => return Edit::insert(at, format!("{end}{lines}{end}")),
        }
    }
    Edit::insert(after, format!("{end}{lines}"))
}

/// Whether the parser reported an error inside a directive or at the token after it. `errors`
/// ascend.
pub(super) fn is_faulty(errors: &[SyntaxError], text: &str, range: TextRange) -> bool {
    let first = errors.partition_point(|error| error.range.start < range.start);
    let Some(error) = errors.get(first) else { return false };
    // A directive in the wrong place is well written, and ends what stands before it.
    let after = || Lexer::new(text, range.end).next_significant().range.start;
    let misplaced = matches!(error.kind, SyntaxErrorKind::Misplaced(_));
    error.range.start < range.end || error.range.start == after() && !misplaced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str, part: &str) -> String {
        let start = text.find(part).unwrap() as u32;
        apply(text, &[Edit::delete(text, TextRange::new(start, start + part.len() as u32))])
    }

    #[test]
    fn a_line_goes_with_its_directive() {
        assert_eq!(without("a\n\t.loc 1\t\r\nb\n", ".loc 1"), "a\nb\n");
        assert_eq!(without(".loc 1", ".loc 1"), "");
        assert_eq!(without("a\n.loc 1", ".loc 1"), "a\n");
        assert_eq!(without("a\n.loc 1 // why\nb", ".loc 1"), "a\n // why\nb");
        assert_eq!(without("L:.loc 1\nb", ".loc 1"), "L:\nb");
        assert_eq!(without("a;.loc 1/**/b", ".loc 1"), "a; /**/b");
    }

    #[test]
    fn lines_go_in_after_comments() {
        let put = |text: &str| apply(text, &[insert_lines(text, text.find('}').unwrap() as u32 + 1, "X")]);
        assert_eq!(put("}"), "}\nX");
        assert_eq!(put("a\r\n} // end \r\nb"), "a\r\n} // end \r\nX\r\nb");
        assert_eq!(put("} /* a */ // b\nc"), "} /* a */ // b\nX\nc");
        assert_eq!(put("} .func"), "}\nX\n .func");
        assert_eq!(put("} /*\n*/"), "}\nX\n /*\n*/");
    }

    #[test]
    fn edits_that_overlap_are_left_out() {
        let edit = |start, end| Edit::new(TextRange::new(start, end), "-");
        assert_eq!(apply("abcdef", &[edit(1, 3), edit(2, 4), edit(4, 9)]), "a-def");
        assert_eq!(apply("a\u{e9}", &[edit(2, 3)]), "a\u{e9}");
    }
}
