//! Names as written.

use super::text_range::TextRange;

/// A name as written, with its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'a> {
    /// The characters of the name, unchanged.
    pub text: &'a str,
    /// The range of the name in the text.
    pub range: TextRange,
}
