//! Lists of names or strings in a node of the tree, read from the text on demand.

use crate::lexer::{Lexer, TokenKind};
use crate::name::Name;
use crate::text_range::TextRange;

/// Iterates over the names, strings or suffixes in a piece of a statement, in text order. Other
/// tokens are skipped.
///
/// A string comes without its quotes, its range too; a suffix with its dot.
#[derive(Debug, Clone)]
pub struct NameTokens<'a> {
    text: &'a str,
    base: u32,
    lexer: Lexer<'a>,
    kind: TokenKind,
}

impl<'a> NameTokens<'a> {
    /// Tokens of `kind` in `text`, which begins at the offset `base` of the module.
    pub(crate) fn new(text: &'a str, base: u32, kind: TokenKind) -> Self {
        Self { text, base, lexer: Lexer::new(text, 0), kind }
    }
}

impl<'a> Iterator for NameTokens<'a> {
    type Item = Name<'a>;

    fn next(&mut self) -> Option<Name<'a>> {
        loop {
            let token = self.lexer.next_token();
            if token.kind == TokenKind::Eof {
                return None;
            }
            if token.kind != self.kind {
                continue;
            }
            let mut range = token.range;
            if self.kind == TokenKind::String {
                range = TextRange::new(range.start + 1, range.end - 1);
            }
            return Some(Name { text: range.slice(self.text), range: range.shifted(self.base) });
        }
    }
}
