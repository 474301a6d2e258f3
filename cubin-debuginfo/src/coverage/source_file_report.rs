//! The coverage of a source file, as a part of a report.

use super::FileCoverage;
use crate::symbolize::TableFileName;
use schemars::JsonSchema;
use serde::Serialize;

/// The coverage of a source file, as a part of a report.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "SourceFileCoverage")]
pub struct SourceFileReport {
    /// The path of the source file; `None` where the file table has no such entry.
    pub path: Option<String>,
    /// The file number in the rows, if the file table does not have it. Absent where `path` is
    /// there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undeclared_file: Option<u64>,
    /// The number of functions that have instructions on lines of the file.
    pub functions: u64,
    /// The number of instructions on lines of the file.
    pub instructions: u64,
    /// The number of instructions on lines of the file that come from inlined code.
    pub inlined: u64,
    /// The number of lines of the file that have instructions.
    pub lines: usize,
    /// The lines of the file that rows name, but that no instruction and no call site has.
    pub lost_lines: Vec<u32>,
}

impl SourceFileReport {
    pub(super) fn new(file: &FileCoverage<'_>) -> Self {
        let undeclared_file = match file.name {
            TableFileName::Path(_) => None,
            TableFileName::Undeclared(number) => Some(number),
        };
        Self {
            path: file.name.path().map(str::to_owned),
            undeclared_file,
            functions: file.functions,
            instructions: file.instructions,
            inlined: file.inlined,
            lines: file.lines.len(),
            lost_lines: file.lost_lines.iter().copied().collect(),
        }
    }
}
