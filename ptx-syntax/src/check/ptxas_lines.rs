//! The line numbers in ptxas' messages: line markers start the count anew.

use crate::lexer::{TokenKind, tokenize};
use crate::line_index::LineIndex;

/// The line numbers and file names that ptxas gives in messages. Line markers such as `# 1 "file"`
/// change them.
#[derive(Debug)]
pub struct PtxasLines<'a> {
    lines: &'a LineIndex,
    /// For each marker: the line it stands on, the number of the line after it, the file.
    markers: Vec<(u32, u32, &'a str)>,
}

impl<'a> PtxasLines<'a> {
    /// Indexes the line markers of `text`. `lines` are its lines.
    pub fn new(text: &'a str, lines: &'a LineIndex) -> Self {
        let mut markers = Vec::new();
        // Reading all tokens is worth it only where there can be a marker.
        if memchr::memchr_iter(b'#', text.as_bytes()).any(|at| may_be_marker(&text.as_bytes()[at..])) {
            for token in tokenize(text).filter(|token| token.kind == TokenKind::LineMarker) {
                markers.extend(
                    read_marker(token.range.slice(text))
                        .map(|(number, file)| (lines.line(token.range.start), number, file)),
                );
            }
        }
        Self { lines, markers }
    }

    /// Returns the 1-based line of the last line marker before a line.
    pub fn marker_before(&self, line: u32) -> Option<u32> {
        self.last_before(line).map(|&(at, _, _)| at)
    }

    /// Whether the text has line markers, so that ptxas counts lines in another way than from the
    /// start of the text.
    pub fn has_markers(&self) -> bool {
        !self.markers.is_empty()
    }

    /// The file of the last marker.
    pub(super) fn last_file(&self) -> Option<&'a str> {
        self.markers.last().map(|&(_, _, file)| file)
    }

    /// Returns the 1-based line number that ptxas gives for a byte offset, and the file that the
    /// last line marker before it names.
    pub fn line(&self, offset: u32) -> (Option<&'a str>, u32) {
        self.marked(self.lines.line(offset))
    }

    /// Returns the number that ptxas gives to a line, by its 1-based number in the text.
    pub fn number(&self, line: u32) -> u32 {
        self.marked(line).1
    }

    fn last_before(&self, line: u32) -> Option<&(u32, u32, &'a str)> {
        let before = self.markers.partition_point(|&(at, _, _)| at < line);
        self.markers.get(before.checked_sub(1)?)
    }

    fn marked(&self, line: u32) -> (Option<&'a str>, u32) {
        match self.last_before(line) {
            Some(&(at, number, file)) => (Some(file), number.wrapping_add(line - at - 1)),
            None => (None, line),
        }
    }
}

/// Whether what begins with a `#` goes on as a marker does.
fn may_be_marker(rest: &[u8]) -> bool {
    let words = rest.strip_prefix(b"#line").or(rest.strip_prefix(b"#")).unwrap_or(rest);
    words.trim_ascii_start().first().is_some_and(u8::is_ascii_digit)
}

/// Number and file of `# 77 "a.cu" 1` or `#line 77 "a.cu"`. The number is cut to 32 bits, after
/// `strtol` (observed: ptxas 13.0.88).
fn read_marker(marker: &str) -> Option<(u32, &str)> {
    let words = marker.strip_prefix('#')?;
    let words = words.strip_prefix("line").unwrap_or(words).trim_start();
    let (number, rest) = words.split_once('"')?;
    let (file, _) = rest.split_once('"')?;
    let digits = number.trim_end();
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(())?;
    Some((digits.parse::<i64>().unwrap_or(i64::MAX) as u32, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_start_the_count_anew() {
        let text = "one\n# 77 \"foo.cu\"\ntwo\n  three\n#line 5 \"bar.cu\" 1\nfour";
        let index = LineIndex::new(text);
        let lines = PtxasLines::new(text, &index);
        let at = |word: &str| lines.line(text.find(word).unwrap() as u32);
        assert_eq!(at("one"), (None, 1));
        assert_eq!(at("two"), (Some("foo.cu"), 77));
        assert_eq!(at("three"), (Some("foo.cu"), 78));
        assert_eq!(at("four"), (Some("bar.cu"), 5));
        assert_eq!(
            [1, 2, 3, 5, 6].map(|line| lines.marker_before(line)),
            [None, None, Some(2), Some(2), Some(5)]
        );
    }
}
