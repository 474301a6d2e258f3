//! A range of a text in the form that people and other programs use.

use crate::{LineIndex, TextRange};
use schemars::JsonSchema;
use serde::Serialize;

/// A range of a text by offsets, and by lines and columns, as a serializable value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Place")]
pub struct TextSpan {
    /// Byte offset of the start in the text, in which a byte that is not UTF-8 counts as 3 (as
    /// U+FFFD does).
    pub start: u32,
    /// Byte offset of the end, in the same way.
    pub end: u32,
    /// 1-based line of the start.
    pub line: u32,
    /// 1-based column of the start, in characters.
    pub column: u32,
    /// 1-based line of the end.
    pub end_line: u32,
    /// 1-based column of the end, in characters.
    pub end_column: u32,
}

impl TextSpan {
    /// Converts a range to lines and columns. `lines` are the lines of the text.
    pub fn new(lines: &LineIndex, range: TextRange) -> Self {
        let (line, column) = lines.line_col(range.start);
        let (end_line, end_column) = lines.line_col(range.end);
        Self { start: range.start, end: range.end, line, column, end_line, end_column }
    }
}
