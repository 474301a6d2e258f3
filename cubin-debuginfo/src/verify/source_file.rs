//! A source file as a line table names it, and its number of lines.

/// A source file as a line table names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceFile<'a> {
    /// The path of the file: directory and name joined by `/`.
    pub path: &'a str,
    /// The size of the file in bytes when the cubin was made; 0 when unknown. A file of another
    /// size is not the one that was compiled.
    pub size: u64,
}

/// A function that returns the number of lines of a source file; `None` if it is not available, or
/// is not the one that was compiled.
pub type SourceLines<'c> = dyn Fn(&SourceFile<'_>) -> Option<u32> + 'c;
