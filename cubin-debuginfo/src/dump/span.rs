//! The byte ranges of items in their section, and the bytes between them.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::borrow::Cow;

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

/// A run of bytes of a section between its items, such as the header of a set, the end of a list,
/// or padding.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Rest")]
pub struct UnclaimedBytes {
    /// The byte range of the bytes in the section.
    #[serde(flatten)]
    pub at: Span,
    /// The kind of bytes, in words: `end of children`, `end of list`, `end of sequence`, `padding`,
    /// `unknown` and others.
    pub what: Cow<'static, str>,
    /// The bytes as hexadecimal digits. Absent where `what` says which bytes they are.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "hex")]
    #[schemars(with = "String")]
    pub bytes: Vec<u8>,
}

impl UnclaimedBytes {
    pub(super) fn new(at: Span, what: impl Into<Cow<'static, str>>) -> Self {
        Self { at, what: what.into(), bytes: Vec::new() }
    }

    /// Bytes that mean nothing: padding if they are zeros.
    pub(super) fn filler(offset: u64, bytes: &[u8]) -> Self {
        let at = Span { offset, size: bytes.len() as u64 };
        if bytes.iter().all(|byte| *byte == 0) {
            return Self::new(at, "padding");
        }
        Self { bytes: bytes.to_vec(), ..Self::new(at, "unknown") }
    }
}

/// Writes bytes as one string of hexadecimal digits.
pub(super) fn hex<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    serializer.serialize_str(&text)
}
