//! Operands, read from an instruction's text on demand.

use crate::lexer::{Lexer, Token, TokenKind};
use crate::name::Name;
use crate::name_tokens::NameTokens;
use crate::number::Number;
use crate::text_range::TextRange;

/// The form of an operand. Names are not looked up: `%r1` and `param_0` are both
/// [`OperandKind::Name`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperandKind {
    /// A register, variable or label, with any component (`%tid.x`).
    Name,
    /// A number, with any sign.
    Number,
    /// An address `[base+offset]`, possibly followed by `.unified`.
    Address,
    /// A vector `{a, b}`.
    Vector,
    /// The arguments or results of a call: `(a, b)`.
    Arguments,
    /// Any other operand: `%p|%q`, `!%p`, `a+4`, a constant expression.
    Expression,
}

/// One operand of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand<'a> {
    /// The range of the operand, from its first to its last token.
    pub range: TextRange,
    /// The text of the operand; empty where it is missing.
    pub text: &'a str,
    /// The form of the operand.
    pub kind: OperandKind,
}

impl<'a> Operand<'a> {
    /// Iterates over the elements between the brackets of an address, a vector or arguments; empty
    /// for other operands.
    pub fn elements(&self) -> Operands<'a> {
        let inside = match self.kind {
            OperandKind::Address | OperandKind::Vector | OperandKind::Arguments => {
                let end = self.text.rfind([']', '}', ')']).unwrap_or(0);
                self.text.get(1..end).unwrap_or("")
            }
            _ => "",
        };
        Operands::new(inside, self.range.start + 1)
    }

    /// Returns the base and offset of an address; `None` for other operands.
    pub fn address(&self) -> Option<Address<'a>> {
        (self.kind == OperandKind::Address).then(|| Address::new(self.elements()))
    }

    /// Returns the number that the operand is, with its sign; `None` for other operands and for
    /// expressions such as `4*2`.
    pub fn number(&self) -> Option<Number> {
        Number::read(self.text)
    }

    /// Iterates over all registers, variables and labels in the operand, at any depth, without
    /// their components (`%tid` of `%tid.x`).
    pub fn names(&self) -> NameTokens<'a> {
        NameTokens::new(self.text, self.range.start, TokenKind::Ident)
    }
}

/// What stands between the brackets of an address operand: base, offset and further elements.
#[derive(Debug, Clone)]
pub struct Address<'a> {
    /// The base of the address: a register, a variable or a number.
    pub base: Operand<'a>,
    /// The constant that is added to the base; `None` if none is.
    pub offset: Option<Constant<'a>>,
    /// The elements after the base: the coordinates of `[tensor, {%r1, %r2}]`.
    pub rest: Operands<'a>,
}

impl<'a> Address<'a> {
    fn new(mut elements: Operands<'a>) -> Self {
        let whole = elements.next().unwrap_or(Operand {
            range: TextRange::empty(elements.base),
            text: "",
            kind: OperandKind::Expression,
        });
        let (base, offset) = whole.split_offset();
        Self { base, offset, rest: elements }
    }
}

/// A constant that is added to a name or register, as in `NAME+4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constant<'a> {
    /// The range of the constant in the PTX text, without the `+` before it.
    pub range: TextRange,
    /// The constant as written, without the `+` before it.
    pub text: &'a str,
}

impl Constant<'_> {
    /// Returns the value of the constant, modulo 2^64 in two's complement; `None` for an expression
    /// such as `4*2`.
    pub fn value(&self) -> Option<u64> {
        match Number::read(self.text)? {
            Number::Integer(value) => Some(value),
            Number::Single(_) | Number::Double(_) => None,
        }
    }
}

impl<'a> Operand<'a> {
    /// `NAME+CONSTANT` in two; anything else as it is.
    pub(crate) fn split_offset(self) -> (Self, Option<Constant<'a>>) {
        let mut lexer = Lexer::new(self.text, 0);
        let first = lexer.next_significant();
        if first.kind != TokenKind::Ident || lexer.next_significant().kind != TokenKind::Plus {
            return (self, None);
        }
        let start = lexer.next_significant().range.start;
        let name = Self {
            range: first.range.shifted(self.range.start),
            text: first.range.slice(self.text),
            kind: OperandKind::Name,
        };
        let range = TextRange::new(start, self.text.len() as u32);
        let offset = Constant { range: range.shifted(self.range.start), text: range.slice(self.text) };
        (name, Some(offset))
    }

    /// As a name: for operands of kind [`OperandKind::Name`].
    pub(crate) fn as_name(&self) -> Name<'a> {
        Name { text: self.text, range: self.range }
    }
}

/// Iterates over the operands of an instruction or the elements of an operand. They are separated
/// by the commas outside brackets.
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
                TokenKind::DotIdent if first.is_some_and(|first| first.kind == TokenKind::OpenBracket) => {
                    whole &= depth > 0 || token.range.slice(self.text) == ".unified";
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
    fn addresses() {
        use OperandKind::{Address, Name, Number};
        let parts = |text| {
            let operand = Operands::new(text, 10).next().unwrap();
            assert_eq!(operand.kind, Address, "{text}");
            let address = operand.address().unwrap();
            let offset = address.offset.map(|offset| (offset.text, offset.value().map(|v| v as i64)));
            (address.base.text, address.base.kind, offset, address.rest.map(|e| e.text).collect::<Vec<_>>())
        };
        assert_eq!(parts("[%rd1]"), ("%rd1", Name, None, vec![]));
        assert_eq!(parts("[%rd1 + -4]"), ("%rd1", Name, Some(("-4", Some(-4))), vec![]));
        assert_eq!(parts("[data+4*2].unified"), ("data", Name, Some(("4*2", None)), vec![]));
        assert_eq!(parts("[ -16 ]"), ("-16", Number, None, vec![]));
        assert_eq!(parts("[t, {%r1, %r2}]"), ("t", Name, None, vec!["{%r1, %r2}"]));
        let operand = Operands::new("[a+4, {%r1}]", 10).next().unwrap();
        let names: Vec<_> = operand.names().map(|n| (n.text, n.range.start)).collect();
        assert_eq!(names, [("a", 11), ("%r1", 17)]);
        assert_eq!(operand.address().unwrap().offset.unwrap().range, TextRange::new(13, 14));
    }

    #[test]
    fn elements_keep_their_place() {
        let vector = Operands::new("{a, [b]}", 100).next().unwrap();
        let inside: Vec<_> = vector.elements().map(|e| (e.text, e.range.start)).collect();
        assert_eq!(inside, [("a", 101), ("[b]", 104)]);
    }
}
