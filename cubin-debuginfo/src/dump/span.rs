//! The byte ranges of items in their section, and the bytes between them.

use schemars::JsonSchema;
use serde::Serialize;

/// The byte range of an item in its section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Span {
    /// Byte offset of the item from the start of the section.
    pub offset: u64,
    /// Number of bytes of the item.
    pub size: u64,
}

impl From<dwarf2_reader::Span> for Span {
    fn from(span: dwarf2_reader::Span) -> Self {
        Self::between(span.start, span.end)
    }
}

impl Span {
    /// From one offset up to another.
    pub(super) fn between(offset: u64, end: u64) -> Self {
        Self { offset, size: end.saturating_sub(offset) }
    }

    /// From `start`, which is moved to `end`, up to that.
    pub(super) fn until(start: &mut u64, end: u64) -> Self {
        Self::between(std::mem::replace(start, end), end)
    }

    /// The item of that size at `start`, which is moved to its end.
    pub(super) fn next(start: &mut u64, size: u64) -> Self {
        let end = start.saturating_add(size);
        Self::until(start, end)
    }

    /// The byte offset in the section of the first byte after the item.
    pub fn end(self) -> u64 {
        self.offset.saturating_add(self.size)
    }

    /// Whether the byte at this offset of the section belongs to the item.
    pub fn has(self, offset: u64) -> bool {
        (self.offset..self.end()).contains(&offset)
    }
}
