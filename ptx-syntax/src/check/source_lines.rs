//! The number of lines of a source file.

/// A function that returns the number of lines of a source file, by its path in `.file`; `None` if
/// the file is not available.
pub type SourceLines<'c> = dyn Fn(&str) -> Option<u32> + 'c;
