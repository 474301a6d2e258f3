//! Places in the text: byte ranges, names with their range, and the line index.

use memchr::memchr_iter;

/// A half-open range of byte offsets into the module text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct TextRange {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl TextRange {
    /// The range `start..end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The empty range at `offset`.
    pub const fn empty(offset: u32) -> Self {
        Self { start: offset, end: offset }
    }

    /// Length in bytes; 0 for a range whose end lies before its start.
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the range holds no byte.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The same range of a text that begins at `base`.
    pub(crate) const fn shifted(self, base: u32) -> Self {
        Self { start: self.start + base, end: self.end + base }
    }

    /// Whether `offset` lies inside.
    pub const fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }

    /// The text of the range; empty where it does not lie inside `text` or cuts a character.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

/// A name as written, with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'a> {
    /// The characters, unchanged.
    pub text: &'a str,
    /// Where they stand.
    pub range: TextRange,
}

/// Byte offsets to lines and columns, for messages and for tables that count lines.
///
/// A line ends at `\n` only, as ptxas counts (observed: ptxas 13.0.88; a lone `\r` is a blank). Costs 4 bytes a line
/// and 4 bytes for each byte beyond the first of a non-ASCII character.
#[derive(Debug, Clone)]
pub struct LineIndex {
    /// Offset of the first byte of each line; never empty.
    starts: Vec<u32>,
    /// Offsets of UTF-8 continuation bytes, ascending.
    continuations: Vec<u32>,
    len: u32,
}

impl LineIndex {
    /// Indexes the first 4 GiB of `text`; [`crate::parse`] refuses longer ones.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let bytes = bytes.get(..u32::MAX as usize).unwrap_or(bytes);
        let mut starts = vec![0];
        starts.extend(memchr_iter(b'\n', bytes).map(|at| at as u32 + 1));
        let continuations = if bytes.is_ascii() {
            Vec::new()
        } else {
            (0..).zip(bytes).filter(|&(_, b)| b & 0xc0 == 0x80).map(|(at, _)| at).collect()
        };
        Self { starts, continuations, len: bytes.len() as u32 }
    }

    /// Number of lines; the empty text has one, and so has what follows a last `\n`.
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The 1-based line of a byte offset. An offset past the end belongs to the last line.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32
    }

    /// The 1-based line and the 1-based column, counted in characters, of a byte offset.
    pub fn line_col(&self, offset: u32) -> (u32, u32) {
        let line = self.line(offset);
        let start = self.line_range(line).start;
        let before = |at: u32| self.continuations.partition_point(|&c| c < at) as u32;
        let offset = offset.min(self.len);
        let inside_characters = before(offset).saturating_sub(before(start));
        (line, offset.saturating_sub(start).saturating_sub(inside_characters).saturating_add(1))
    }

    /// Where the 1-based line stands, without its `\n`. Line 0 or one past the end is empty, at the nearest end.
    pub fn line_range(&self, line: u32) -> TextRange {
        let Some(index) = (line as usize).checked_sub(1) else { return TextRange::empty(0) };
        let Some(&start) = self.starts.get(index) else { return TextRange::empty(self.len) };
        let end = self.starts.get(index + 1).map_or(self.len, |next| next - 1);
        TextRange::new(start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns() {
        let text = "ab\n\u{e9}c\r\n\nlast";
        let index = LineIndex::new(text);
        assert_eq!(index.line_count(), 4);
        assert_eq!(index.line_col(0), (1, 1));
        assert_eq!(index.line_col(2), (1, 3));
        assert_eq!(index.line_col(3), (2, 1));
        assert_eq!(index.line_col(5), (2, 2), "one character, two bytes");
        assert_eq!(index.line_range(2).slice(text), "\u{e9}c\r");
        assert_eq!(index.line_range(4).slice(text), "last");
        assert_eq!(index.line_col(999), (4, 5));
        assert_eq!(index.line_range(9), TextRange::empty(text.len() as u32));
        assert_eq!(LineIndex::new("").line_col(0), (1, 1));
    }
}
