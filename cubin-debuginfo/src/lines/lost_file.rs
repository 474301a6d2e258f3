//! A change of file that a PTX states and the cubin made from it does not have.

use crate::names::Name;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// A source line of the PTX whose code the cubin shows at the same line of another file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LostFile {
    /// The path of the file in the PTX; `None` for a file that is not declared.
    pub file: Option<String>,
    /// The 1-based line.
    pub line: u32,
    /// The path of the file in the cubin; `None` for a file that is not declared.
    pub shown: Option<String>,
    /// The number of instructions that are shown in the other file.
    pub instructions: u64,
    /// The name of the code section of the first of these instructions.
    pub section: String,
    /// Byte offset in the code section of the first of these instructions.
    pub offset: u64,
    /// The function that has the code of the first of these instructions; `None` where no symbol
    /// covers it.
    pub function: Option<Name>,
}

impl fmt::Display for LostFile {
    /// `b.cuh:7 shown at a.cu:7`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, shown, .. } = self;
        let [file, shown] = [file, shown].map(|file| file.as_deref().unwrap_or("??"));
        write!(f, "{file}:{line} shown at {shown}:{line}")
    }
}
