//! A line of a source file.

use schemars::JsonSchema;
use serde::Serialize;

/// A line of a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SourceLine")]
pub struct SourcePosition<'v> {
    /// The path of the source file, from the file table; `None` where the table has no such file or
    /// cannot be read (see `faults`).
    pub file: Option<&'v str>,
    /// 1-based line in the source file; 0 for none.
    pub line: u64,
}
