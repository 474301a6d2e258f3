//! Source positions: `.file` and `.loc`.

use crate::name::Name;
use crate::text_range::TextRange;

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
