//! Lists of integers in a node of the tree, read from the text on demand.

use crate::lexer::{Lexer, TokenKind};
use crate::number::Literal;

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
