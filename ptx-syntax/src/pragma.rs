//! `.pragma`.

use crate::lexer::TokenKind;
use crate::name_tokens::NameTokens;
use crate::text_range::TextRange;

/// A directive `.pragma "nounroll", "b";` (PTX ISA §.pragma), in a module or a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pragma<'a> {
    /// The range of the directive, with the `;`.
    pub range: TextRange,
    /// The text of `range`.
    pub(crate) text: &'a str,
}

impl<'a> Pragma<'a> {
    /// Iterates over the strings of the `.pragma`, without their quotes.
    pub fn strings(&self) -> NameTokens<'a> {
        NameTokens::new(self.text, self.range.start, TokenKind::String)
    }
}
