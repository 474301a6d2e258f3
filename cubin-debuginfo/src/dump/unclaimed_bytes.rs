//! Bytes of a section between its items.

use super::span::Span;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::borrow::Cow;

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

/// Which of the bytes between the items of a section to show, such as padding and list ends.
#[derive(Debug)]
pub enum ShownUnclaimed {
    /// All bytes between the items are shown.
    All,
    /// Only the run of bytes between items that contains this byte offset is shown.
    At(u64),
    /// Only these bytes of a section without a decoder are shown: the piece of it that the user
    /// asked for.
    Bytes(UnclaimedBytes),
    /// No bytes between items are shown, since only the items of a function are wanted.
    None,
}

impl ShownUnclaimed {
    /// Whether this run of bytes between the items of a section is to be shown.
    pub fn shows(&self, rest: &UnclaimedBytes) -> bool {
        match self {
            Self::All => true,
            Self::At(offset) => rest.at.has(*offset),
            Self::Bytes(_) | Self::None => false,
        }
    }
}
