//! Lines of an intermediate language, which a compiler has between the source and PTX:
//! `.loc_intermediate` and `.nv_intermediate_source_section`.
//!
//! PTX 9.4 has both, and its ISA describes neither. Observed: ptxas 13.4.92 and 13.5.37
//! (docs/formats/intermediate-lines.md).

use crate::text_range::TextRange;

/// A directive `.loc_intermediate FILE LINE COLUMN`: the position in the text of the intermediate
/// language from which the code that follows was made.
///
/// The numbers are those that ptxas reads, as in [`LocDirective`](crate::LocDirective).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntermediateLoc {
    /// The index of the `.file` that the position is in. There need not be such a `.file`.
    pub file: u64,
    /// 1-based number of the line in the text; 0 for no line.
    pub line: u64,
    /// 1-based number of the column in the line. ptxas writes it nowhere.
    pub column: u64,
    /// Whether the directive has all three numbers.
    pub(crate) is_complete: bool,
    /// The range of the directive in the PTX text.
    pub range: TextRange,
}

/// A directive `.nv_intermediate_source_section { ... }`: the texts of the intermediate language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntermediateSources<'a> {
    /// The texts of the section, in the order of the PTX.
    pub blocks: Vec<CodeBlock<'a>>,
    /// The range from the directive to its `}` in the PTX text.
    pub range: TextRange,
}

/// A block `.code_block { .ir_name: "NAME" .sourceFileName: FILE .source_begin ... .source_end }`:
/// one text of the intermediate language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeBlock<'a> {
    /// The name of the intermediate language, without its quotes.
    pub ir_name: &'a str,
    /// The index of the `.file` whose text the block has.
    pub file: u64,
    /// The text of the intermediate language as ptxas keeps it: the lines between `.source_begin`
    /// and `.source_end`, without the last line break.
    pub text: &'a str,
    /// The range from `.source_begin` to `.source_end` in the PTX text.
    pub(crate) source: TextRange,
    /// The range of the number after `.sourceFileName:` in the PTX text.
    pub file_range: TextRange,
    /// The range from the directive to its `}` in the PTX text.
    pub range: TextRange,
}
