//! A line of PTX.

use cubin_debuginfo::symbolize;

/// A line of the PTX text that code comes from: its number, and the text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PtxLine {
    /// The 1-based number of the line.
    pub line: u32,
    /// The text of the line, if the file has the PTX text.
    pub text: Option<String>,
}

impl PtxLine {
    pub(crate) fn of(line: symbolize::PtxLine<'_>) -> Self {
        let text = line.text.map(|text| String::from_utf8_lossy(text).into_owned());
        Self { line: line.line, text }
    }
}
