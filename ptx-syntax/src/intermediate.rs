//! Lines of an intermediate language, which a compiler has between the source and PTX:
//! `.loc_intermediate` and `.nv_intermediate_source_section`.
//!
//! PTX 9.4 has both, and its ISA describes neither. Observed: ptxas 13.4.92 and 13.5.37
//! (docs/formats/intermediate-lines.md).

use crate::text::TextRange;

/// `.loc_intermediate FILE LINE COLUMN`: where the code that follows stands in the text of the
/// intermediate language.
///
/// Numbers are those ptxas sees, as of a [`LocDirective`](crate::LocDirective).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntermediateLoc {
    /// Index of a `.file`, which need not exist.
    pub file: u64,
    /// 1-based line; 0 for none.
    pub line: u64,
    /// 1-based column, which ptxas writes nowhere.
    pub column: u64,
    /// No error cut it short.
    pub(crate) is_complete: bool,
    /// The whole directive.
    pub range: TextRange,
}

/// `.nv_intermediate_source_section { ... }`: texts of the intermediate language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntermediateSources<'a> {
    /// The texts, in text order.
    pub blocks: Vec<CodeBlock<'a>>,
    /// From the directive to its `}`.
    pub range: TextRange,
}

/// `.code_block { .ir_name: "NAME" .sourceFileName: FILE .source_begin ... .source_end }`: one text
/// of the intermediate language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeBlock<'a> {
    /// What the language is called: the text between the quotes.
    pub ir_name: &'a str,
    /// Index of the `.file` that the text is of.
    pub file: u64,
    /// The text as ptxas keeps it: the lines between `.source_begin` and `.source_end`, without
    /// the last line break.
    pub text: &'a str,
    /// From `.source_begin` to `.source_end`.
    pub(crate) source: TextRange,
    /// Where the number of the file stands.
    pub file_range: TextRange,
    /// From the directive to its `}`.
    pub range: TextRange,
}
