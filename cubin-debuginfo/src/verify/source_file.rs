//! A source file as a line table names it, and its number of lines.

use ptx_syntax::check::SourceState;

/// A source file as a line table names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceFile<'a> {
    /// The path of the file: directory and name joined as one path.
    pub path: &'a str,
    /// The size of the file in bytes when the cubin was made; 0 when unknown. A file of another
    /// size is not the one that was compiled.
    pub size: u64,
}

/// A function that looks for a source file.
pub type SourceLines<'c> = dyn Fn(&SourceFile<'_>) -> SourceState + 'c;
