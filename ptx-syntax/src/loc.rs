//! Source positions: `.file` and `.loc`.

use crate::text::{Name, TextRange};

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

/// A source position of the code that follows: `.loc FILE LINE COLUMN [, function_name NAME[+N],
/// inlined_at FILE LINE COLUMN]` (PTX ISA §.loc).
///
/// Numbers are those ptxas sees: 32 bits, an error where it reports an overflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocDirective<'a> {
    /// The index of a `.file`, which need not exist.
    pub file: u64,
    /// The 1-based line in the source file; 0 for none.
    pub line: u64,
    /// The 1-based column in the source file; 0 for none.
    pub column: u64,
    /// The call through which the code was inlined; `None` for code that is not inlined.
    pub inlined_at: Option<Box<InlinedAt<'a>>>,
    /// The range of the directive.
    pub range: TextRange,
}

/// The end of a `.loc` of inlined code: the name of the inlined function, and the file, line and
/// column of the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlinedAt<'a> {
    /// The label that marks the inlined function's name in a section; or `.debug_str`, for the
    /// start of that section.
    pub function_name: Name<'a>,
    /// The number of bytes from the label to the name, cut to 32 bits as ptxas does.
    pub name_offset: u64,
    /// The index of the `.file` of the call.
    pub file: u64,
    /// The line of the call.
    pub line: u64,
    /// The column of the call.
    pub column: u64,
    /// The range from `function_name` to the last number.
    pub range: TextRange,
}
