//! Lists of names, strings or integers in a node of the tree, read from the text on demand.

use crate::lexer::{Lexer, TokenKind};
use crate::number::Literal;
use crate::text::{Name, TextRange};

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

/// Iterates over the integers of a directive's list, modulo 2^64; `WARP_SZ` is 32.
#[derive(Debug, Clone)]
pub struct IntegerTokens<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
}

impl<'a> IntegerTokens<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, lexer: Lexer::new(text, 0) }
    }
}

impl Iterator for IntegerTokens<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        loop {
            let token = self.lexer.next_token();
            match (token.kind, token.range.slice(self.text)) {
                (TokenKind::Eof, _) => return None,
                (TokenKind::Integer, digits) => return Some(Literal::read(digits).value),
                (TokenKind::Ident, "WARP_SZ") => return Some(32),
                _ => {}
            }
        }
    }
}
