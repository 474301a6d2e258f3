//! A line of a source file.

use std::fmt;

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// The path of the source file, as the cubin has it; `None` for a file number that no table
    /// has.
    pub file: Option<String>,
    /// The 1-based line in the source file; 0 for none.
    pub line: u64,
    /// The 1-based column in the source file; 0 for none. ptxas writes none.
    pub column: u64,
}

impl fmt::Display for SourceLine {
    /// `k.cu:18`, with a column where there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.as_deref().unwrap_or("??"), self.line)?;
        if self.column > 0 { write!(f, ":{}", self.column) } else { Ok(()) }
    }
}
