//! A line of a source file that code covers.

/// A line of a source file that has code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoveredLine {
    /// Index of the source file in [`Coverage::files`](super::Coverage::files).
    pub file: usize,
    /// 1-based line in the source file.
    pub line: u32,
}
