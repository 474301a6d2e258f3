//! `.branchtargets` and `.calltargets`.

use crate::lexer::TokenKind;
use crate::name::Name;
use crate::name_tokens::NameTokens;
use crate::text_range::TextRange;

/// A list of the places to which a branch or a call may go: `LABEL: .branchtargets L1, L2;` or
/// `LABEL: .calltargets f, g;` (PTX ISA §.branchtargets, §.calltargets).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Targets<'a> {
    /// The label right before the list. It is a statement of its own too. `None` where it is
    /// missing; a syntax error says so.
    pub label: Option<Name<'a>>,
    /// The range from the directive to the `;`, without the label.
    pub range: TextRange,
    /// The text of `range`.
    pub(crate) text: &'a str,
}

impl<'a> Targets<'a> {
    /// Iterates over the labels or functions in the list.
    pub fn names(&self) -> NameTokens<'a> {
        NameTokens::new(self.text, self.range.start, TokenKind::Ident)
    }
}
