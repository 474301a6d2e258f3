//! The lines of a text: an index from byte offsets to lines and columns.

use super::text_range::TextRange;
use memchr::memchr_iter;

/// An index from byte offsets to lines and columns.
///
/// A line ends at `\n` only, as ptxas counts (observed: ptxas 13.0.88; a lone `\r` is a blank).
/// Costs 4 bytes a line and, where the text is not ASCII, 12 bytes for each 64 of text.
#[derive(Debug, Clone)]
pub struct LineIndex {
    /// Offset of the first byte of each line; never empty.
    starts: Vec<u32>,
    /// Which bytes are UTF-8 continuation bytes: a word of bits for 64 bytes, and how many there
    /// are before. Empty for ASCII.
    continuations: Vec<(u64, u32)>,
    len: u32,
}

impl LineIndex {
    /// Indexes the lines of the first 4 GiB of `text`; [`crate::parse`] refuses longer texts.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let bytes = bytes.get(..u32::MAX as usize).unwrap_or(bytes);
        let mut starts = vec![0];
        starts.extend(memchr_iter(b'\n', bytes).map(|at| at as u32 + 1));
        let continuations = if bytes.is_ascii() { Vec::new() } else { continuations(bytes) };
        Self { starts, continuations, len: bytes.len() as u32 }
    }

    /// The number of lines. The empty text has one line, and the text after a last `\n` counts as a
    /// line.
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Returns the 1-based line of a byte offset. An offset past the end belongs to the last line.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32
    }

    /// Returns a cursor that finds the lines of ascending offsets, each from the one before.
    pub fn cursor(&self) -> LineCursor<'_> {
        LineCursor { rest: &self.starts, line: 0 }
    }

    /// Returns the 1-based line and the 1-based column, counted in characters, of a byte offset.
    pub fn line_col(&self, offset: u32) -> (u32, u32) {
        let line = self.line(offset);
        let start = self.line_range(line).start;
        let offset = offset.min(self.len);
        let inside_characters = self.before(offset).saturating_sub(self.before(start));
        (line, offset.saturating_sub(start).saturating_sub(inside_characters).saturating_add(1))
    }

    /// How many continuation bytes stand before an offset.
    fn before(&self, at: u32) -> u32 {
        let word = self.continuations.get(at as usize / 64).or(self.continuations.last());
        let Some(&(bits, before)) = word else { return 0 };
        // The end of a text of whole words is bit 64 of the last.
        let bit = at - (self.continuations.len() as u32 - 1).min(at / 64) * 64;
        let mask = 1_u64.checked_shl(bit).map_or(u64::MAX, |bit| bit - 1);
        before + (bits & mask).count_ones()
    }

    /// Returns the range of a line by its 1-based number, without its `\n`. For line 0 it is empty
    /// at the start of the text, for a line past the end empty at the end.
    pub fn line_range(&self, line: u32) -> TextRange {
        let Some(index) = (line as usize).checked_sub(1) else { return TextRange::empty(0) };
        let Some(&start) = self.starts.get(index) else { return TextRange::empty(self.len) };
        let end = self.starts.get(index + 1).map_or(self.len, |next| next - 1);
        TextRange::new(start, end)
    }
}

/// Finds the lines of ascending offsets; see [`LineIndex::cursor`].
#[derive(Debug, Clone)]
pub struct LineCursor<'i> {
    /// The starts of the lines after the current one.
    rest: &'i [u32],
    /// The current one, 1-based; 0 before the first.
    line: u32,
}

impl LineCursor<'_> {
    /// Whether an offset is on the line that the cursor returned last, or on an earlier line.
    pub fn is_passed(&self, offset: u32) -> bool {
        self.rest.first().is_none_or(|&next| offset < next)
    }

    /// Returns the line of an offset as [`LineIndex::line`] does, but never less than the last
    /// result.
    pub fn line(&mut self, offset: u32) -> u32 {
        if self.is_passed(offset) {
            return self.line;
        }
        // Doubling steps: near lines cost as little as far ones in a search of the whole text.
        let mut step = 1;
        while self.rest.get(step).is_some_and(|&start| start <= offset) {
            step *= 2;
        }
        let near = self.rest.get(..step).unwrap_or(self.rest);
        let passed = near.partition_point(|&start| start <= offset);
        self.rest = self.rest.get(passed..).unwrap_or(&[]);
        self.line += passed as u32;
        self.line
    }
}

fn continuations(bytes: &[u8]) -> Vec<(u64, u32)> {
    let mut before = 0;
    let words = bytes.chunks(64).map(|chunk| {
        let bits = (0..)
            .zip(chunk)
            .filter(|&(_, byte)| byte & 0xc0 == 0x80)
            .fold(0, |bits, (at, _)| bits | 1_u64 << at);
        let word = (bits, before);
        before += bits.count_ones();
        word
    });
    words.collect()
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
        for step in [1, 2, 5] {
            let mut cursor = index.cursor();
            for at in (0..20).step_by(step) {
                assert_eq!(cursor.line(at), index.line(at), "{at}");
            }
        }
        let text = "x\n".to_owned() + &"\u{f7ff}\u{e9}a".repeat(64);
        let index = LineIndex::new(&text);
        for (column, (at, _)) in (1..).zip(text[2..].char_indices()) {
            assert_eq!(index.line_col(at as u32 + 2), (2, column));
        }
        let end = text.len() as u32; // 2 + 64 * 6
        assert_eq!(index.line_col(end), (2, 64 * 3 + 1));
        assert_eq!(LineIndex::new(&text[2..]).line_col(end), (1, 64 * 3 + 1), "whole words");
    }
}
