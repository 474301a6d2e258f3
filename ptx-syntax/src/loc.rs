//! Source positions: `.file` and `.loc`.

use crate::text::{Name, TextRange};

/// `.file INDEX "PATH" [, TIMESTAMP [, SIZE]]` (PTX ISA §.file; ptxas 13.0.88 takes a time alone).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDirective<'a> {
    /// The number that `.loc` uses, as ptxas reads it (32 bits).
    pub index: u64,
    /// The text between the quotes: ptxas decodes no escapes.
    pub path: &'a str,
    /// Where `path` stands, without the quotes.
    pub path_range: TextRange,
    /// When the file was last changed: seconds since 1970, modulo 2^64.
    pub timestamp: Option<u64>,
    /// Bytes of the source file, modulo 2^64.
    pub size: Option<u64>,
    /// No error cut it short.
    pub(crate) is_complete: bool,
    /// The whole directive.
    pub range: TextRange,
}

/// `.loc FILE LINE COLUMN [, function_name NAME[+N], inlined_at FILE LINE COLUMN]` (PTX ISA §.loc).
///
/// Numbers are those ptxas sees: 32 bits, an error where it reports an overflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocDirective<'a> {
    /// Index of a `.file`, which need not exist.
    pub file: u64,
    /// 1-based line; 0 for none.
    pub line: u64,
    /// 1-based column; 0 for none.
    pub column: u64,
    /// The call this place was inlined at.
    pub inlined_at: Option<Box<InlinedAt<'a>>>,
    /// The whole directive.
    pub range: TextRange,
}

/// The part `inlined_at FILE LINE COLUMN` of a `.loc`, with the inlined function's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlinedAt<'a> {
    /// A label of `.debug_str`, or `.debug_str` itself.
    pub function_name: Name<'a>,
    /// Bytes added to it, cut to 32 bits as ptxas does.
    pub name_offset: u64,
    /// File of the call.
    pub file: u64,
    /// Line of the call.
    pub line: u64,
    /// Column of the call.
    pub column: u64,
    /// From `function_name` to the last number.
    pub range: TextRange,
}
