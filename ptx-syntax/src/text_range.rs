//! Byte ranges of a text.

/// A half-open range of byte offsets in the text of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct TextRange {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl TextRange {
    /// Creates the range `start..end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Creates the empty range at `offset`.
    pub const fn empty(offset: u32) -> Self {
        Self { start: offset, end: offset }
    }

    /// The length of the range in bytes; 0 if the end lies before the start.
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the range has no bytes.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The same range of a text that begins at `base`.
    pub(crate) const fn shifted(self, base: u32) -> Self {
        Self { start: self.start + base, end: self.end + base }
    }

    /// Whether `offset` lies inside the range.
    pub const fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }

    /// Returns the text of the range; empty if the range is not inside `text` or cuts a character.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}
