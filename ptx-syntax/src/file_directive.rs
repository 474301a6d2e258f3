//! `.file`.

use crate::text_range::TextRange;

/// A source file: `.file INDEX "PATH" [, TIMESTAMP [, SIZE]]` (PTX ISA §.file; ptxas 13.0.88
/// accepts a time without a size).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDirective<'a> {
    /// The number by which `.loc` directives name the file, as ptxas reads it (32 bits).
    pub index: u64,
    /// The path of the file: the text between the quotes, in which ptxas decodes no escapes.
    pub path: &'a str,
    /// The range of the path in the text, without the quotes.
    pub path_range: TextRange,
    /// The time of the file's last change, in seconds since 1970, modulo 2^64.
    pub timestamp: Option<u64>,
    /// The size of the file in bytes, modulo 2^64.
    pub size: Option<u64>,
    /// No error cut it short.
    pub(crate) is_complete: bool,
    /// The range of the directive.
    pub range: TextRange,
}
