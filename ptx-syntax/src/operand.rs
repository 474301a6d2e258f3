//! Operands, read from an instruction's text on demand.

use crate::lexer::{Lexer, Token, TokenKind};
use crate::text::TextRange;

/// What an operand looks like. Names are not looked up: `%r1` and `param_0` are both [`OperandKind::Name`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperandKind {
    /// A register, variable or label, with any component (`%tid.x`).
    Name,
    /// A number, with any sign.
    Number,
    /// `[base+offset]`
    Address,
    /// `{a, b}`
    Vector,
    /// `(a, b)`: arguments or results of a call.
    Arguments,
    /// Anything else: `%p|%q`, `!%p`, `a+4`, a constant expression.
    Expression,
}

/// One operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand<'a> {
    /// From its first to its last token.
    pub range: TextRange,
    /// The text of `range`; empty where an operand is missing.
    pub text: &'a str,
    /// Its shape.
    pub kind: OperandKind,
}

impl<'a> Operand<'a> {
    /// The parts inside the brackets of an address, a vector or arguments; else nothing.
    pub fn elements(&self) -> Operands<'a> {
        let inside = match self.kind {
            OperandKind::Address | OperandKind::Vector | OperandKind::Arguments => {
                self.text.get(1..self.text.len().saturating_sub(1)).unwrap_or("")
            }
            _ => "",
        };
        Operands::new(inside, self.range.start + 1)
    }
}

/// The operands of an instruction or the elements of an operand, split at the commas outside brackets.
#[derive(Debug, Clone)]
pub struct Operands<'a> {
    lexer: Lexer<'a>,
    text: &'a str,
    base: u32,
    /// A comma was read: one more operand follows, if only an empty one.
    pending: bool,
}

impl<'a> Operands<'a> {
    /// `text` begins at the offset `base` of the module.
    pub(crate) fn new(text: &'a str, base: u32) -> Self {
        Self { lexer: Lexer::new(text, 0), text, base, pending: false }
    }
}

impl<'a> Iterator for Operands<'a> {
    type Item = Operand<'a>;

    fn next(&mut self) -> Option<Operand<'a>> {
        let (mut first, mut last): (Option<Token>, Token) = (None, self.lexer.clone().next_token());
        let (mut depth, mut whole, mut count) = (0_u32, true, 0_u32);
        let comma = loop {
            let token = self.lexer.next_significant();
            match token.kind {
                TokenKind::Eof => break false,
                TokenKind::Comma if depth == 0 => break true,
                TokenKind::OpenBrace | TokenKind::OpenBracket | TokenKind::OpenParen => {
                    whole &= depth > 0 || first.is_none();
                    depth += 1;
                }
                TokenKind::CloseBrace | TokenKind::CloseBracket | TokenKind::CloseParen => {
                    depth = depth.saturating_sub(1);
                }
                _ => whole &= depth > 0,
            }
            first.get_or_insert(token);
            last = token;
            count += 1;
        };
        let more = self.pending || comma;
        self.pending = comma;
        let Some(first) = first else {
            let range = TextRange::empty(self.base + last.range.start);
            return more.then_some(Operand { range, text: "", kind: OperandKind::Expression });
        };
        let local = TextRange::new(first.range.start, last.range.end);
        let kind = match (first.kind, whole) {
            (TokenKind::OpenBracket, true) => OperandKind::Address,
            (TokenKind::OpenBrace, true) => OperandKind::Vector,
            (TokenKind::OpenParen, true) => OperandKind::Arguments,
            (TokenKind::Ident, _) if count == 1 || (count == 2 && last.kind == TokenKind::DotIdent) => {
                OperandKind::Name
            }
            (TokenKind::Integer | TokenKind::Float, _) if count == 1 => OperandKind::Number,
            (TokenKind::Minus | TokenKind::Plus, _) if count == 2 && is_number(last.kind) => {
                OperandKind::Number
            }
            _ => OperandKind::Expression,
        };
        let range = TextRange::new(self.base + local.start, self.base + local.end);
        Some(Operand { range, text: local.slice(self.text), kind })
    }
}

fn is_number(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Integer | TokenKind::Float)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(text: &str) -> Vec<(&str, OperandKind)> {
        Operands::new(text, 0).map(|operand| (operand.text, operand.kind)).collect()
    }

    #[test]
    fn shapes_of_operands() {
        use OperandKind::{Address, Arguments, Expression, Name, Number, Vector};
        assert_eq!(
            shapes(" {%r1, %r2}, [%rd1 + -4] , %tid.x, - 7, %p|%q, (a, b), 0f00000000"),
            [
                ("{%r1, %r2}", Vector),
                ("[%rd1 + -4]", Address),
                ("%tid.x", Name),
                ("- 7", Number),
                ("%p|%q", Expression),
                ("(a, b)", Arguments),
                ("0f00000000", Number)
            ]
        );
        assert_eq!(shapes("  "), []);
        assert_eq!(shapes("a,"), [("a", Name), ("", Expression)]);
        assert_eq!(shapes("(1+2)*(3)"), [("(1+2)*(3)", Expression)]);
    }

    #[test]
    fn elements_keep_their_place() {
        let vector = Operands::new("{a, [b]}", 100).next().unwrap();
        let inside: Vec<_> = vector.elements().map(|e| (e.text, e.range.start)).collect();
        assert_eq!(inside, [("a", 101), ("[b]", 104)]);
    }
}
