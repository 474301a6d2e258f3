//! A range of a text in the form that people and other programs use.

use crate::{LineIndex, TextRange};
use schemars::JsonSchema;
use serde::Serialize;

/// A range of a text by offsets, and by lines and columns, as a serializable value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Place")]
pub struct TextSpan {
    /// The byte offset of the start of the range. A byte that is not UTF-8 counts as 3 bytes (as
    /// U+FFFD does).
    pub start: u32,
    /// The byte offset of the end of the range. A byte that is not UTF-8 counts as 3 bytes.
    pub end: u32,
    /// The 1-based line at which the range starts.
    pub line: u32,
    /// The 1-based column at which the range starts, in characters.
    pub column: u32,
    /// The 1-based line at which the range ends.
    pub end_line: u32,
    /// The 1-based column at which the range ends, in characters.
    pub end_column: u32,
}

impl TextSpan {
    /// Creates the span of a range. `lines` are the lines of the text.
    pub fn new(lines: &LineIndex, range: TextRange) -> Self {
        let (line, column) = lines.line_col(range.start);
        let (end_line, end_column) = lines.line_col(range.end);
        Self { start: range.start, end: range.end, line, column, end_line, end_column }
    }
}
