//! Initial values of variables, read from the text on demand.

use crate::lexer::{Lexer, TokenKind};
use crate::name::Name;
use crate::number::{Literal, Number};
use crate::operand::{Constant, Operand, OperandKind, Operands};
use crate::text_range::TextRange;

/// The initial value after the `=` of a declarator (PTX ISA §Initializers).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Initializer<'a> {
    /// The range after the `=`, up to the `,` or `;`.
    pub range: TextRange,
    /// The text of `range`.
    pub(crate) text: &'a str,
}

impl<'a> Initializer<'a> {
    /// Returns the initial value; for an array it is a list.
    pub fn value(&self) -> InitialValue<'a> {
        let whole = Operand { range: self.range, text: self.text, kind: OperandKind::Expression };
        InitialValue::new(Operands::new(self.text, self.range.start).next().unwrap_or(whole))
    }
}

/// One value of an initializer: a number, an address or a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InitialValue<'a> {
    /// The kind of value.
    pub kind: InitialValueKind<'a>,
    /// The range of the value, from its first to its last token.
    pub range: TextRange,
    /// The text of the value.
    pub text: &'a str,
}

/// The kinds of initial value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InitialValueKind<'a> {
    /// A literal with any number of signs.
    Number(Number),
    /// The address of a variable or function.
    Symbol(InitialSymbol<'a>),
    /// One byte of an address, chosen by a mask: `0xFF(SYMBOL)`. The mask is cut to 64 bits.
    Mask(u64, InitialSymbol<'a>),
    /// A list, such as `{a, b}`; see [`InitialValue::elements`].
    List,
    /// A constant expression, such as `(1+2)*3`.
    Expression,
}

/// The address of a variable or function in an initializer: `NAME`, `NAME+CONSTANT`,
/// `generic(NAME)` or `generic(NAME)+CONSTANT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InitialSymbol<'a> {
    /// The name of the variable or function.
    pub name: Name<'a>,
    /// Whether the address of the symbol is its generic one, as `generic(NAME)` asks, rather than
    /// the one in its state space.
    pub generic: bool,
    /// The number of bytes that is added to the address; `None` if none is.
    pub offset: Option<Constant<'a>>,
}

impl<'a> InitialValue<'a> {
    fn new(operand: Operand<'a>) -> Self {
        let Operand { range, text, kind } = operand;
        let kind = match kind {
            OperandKind::Vector => InitialValueKind::List,
            _ => Number::read(text)
                .map(InitialValueKind::Number)
                .or_else(|| symbol(operand).map(InitialValueKind::Symbol))
                .or_else(|| mask(operand))
                .unwrap_or(InitialValueKind::Expression),
        };
        Self { kind, range, text }
    }

    /// Iterates over the values between the braces of a list; empty for other values. Lists may
    /// nest, [`crate::MAX_NESTING`] deep.
    pub fn elements(&self) -> impl Iterator<Item = Self> + use<'a> {
        let kind = match self.kind {
            InitialValueKind::List => OperandKind::Vector,
            _ => OperandKind::Expression,
        };
        Operand { range: self.range, text: self.text, kind }.elements().map(Self::new)
    }
}

/// What stands between the parentheses that open at the start of `operand`, and what follows them.
fn parenthesised(operand: Operand<'_>, open: TextRange) -> Option<(Operand<'_>, TextRange)> {
    let mut lexer = Lexer::new(operand.text, open.end);
    let mut depth = 1_u32;
    loop {
        let token = lexer.next_significant();
        match token.kind {
            TokenKind::Eof => return None,
            TokenKind::OpenParen => depth += 1,
            TokenKind::CloseParen if depth == 1 => {
                let range = TextRange::new(open.end, token.range.start);
                let inside =
                    Operands::new(range.slice(operand.text), operand.range.start + range.start).next()?;
                return Some((inside, TextRange::new(token.range.end, operand.text.len() as u32)));
            }
            TokenKind::CloseParen => depth -= 1,
            _ => {}
        }
    }
}

fn symbol(operand: Operand<'_>) -> Option<InitialSymbol<'_>> {
    let (base, offset) = operand.split_offset();
    if base.kind == OperandKind::Name {
        return Some(InitialSymbol { name: base.as_name(), generic: false, offset });
    }
    let mut lexer = Lexer::new(operand.text, 0);
    let word = lexer.next_significant();
    let open = lexer.next_significant();
    if word.range.slice(operand.text) != "generic" || open.kind != TokenKind::OpenParen {
        return None;
    }
    let (inside, after) = parenthesised(operand, open.range)?;
    if inside.kind != OperandKind::Name {
        return None;
    }
    let mut lexer = Lexer::new(operand.text, after.start);
    let offset = match lexer.next_significant().kind {
        TokenKind::Eof => None,
        TokenKind::Plus => {
            let range = TextRange::new(lexer.next_significant().range.start, after.end);
            Some(Constant { range: range.shifted(operand.range.start), text: range.slice(operand.text) })
        }
        _ => return None,
    };
    Some(InitialSymbol { name: inside.as_name(), generic: true, offset })
}

fn mask(operand: Operand<'_>) -> Option<InitialValueKind<'_>> {
    let mut lexer = Lexer::new(operand.text, 0);
    let number = lexer.next_significant();
    let open = lexer.next_significant();
    if number.kind != TokenKind::Integer || open.kind != TokenKind::OpenParen {
        return None;
    }
    let (inside, after) = parenthesised(operand, open.range)?;
    let ends = Lexer::new(operand.text, after.start).next_significant().kind == TokenKind::Eof;
    let mask = Literal::read(number.range.slice(operand.text)).value;
    ends.then(|| symbol(inside).map(|symbol| InitialValueKind::Mask(mask, symbol)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> InitialValue<'_> {
        Initializer { range: TextRange::new(50, 50 + text.len() as u32), text }.value()
    }

    #[test]
    fn kinds_of_values() {
        let text = "{1, {-2, 0f3F800000}, data, data+4*2, generic(data)+8, 0xFF(data), 255(generic(data)+4), (1+2)*3, {}}";
        let list = value(text);
        assert_eq!((list.kind, list.range.start), (InitialValueKind::List, 50));
        let elements: Vec<_> = list.elements().collect();
        let shown = |symbol: InitialSymbol<'_>| {
            (symbol.name.text.to_owned(), symbol.generic, symbol.offset.map(|offset| offset.text.to_owned()))
        };
        let data = || "data".to_owned();
        let kinds: Vec<_> = elements
            .iter()
            .map(|element| match element.kind {
                InitialValueKind::Symbol(symbol) => (0, Some(shown(symbol))),
                InitialValueKind::Mask(mask, symbol) => (mask, Some(shown(symbol))),
                _ => (0, None),
            })
            .collect();
        assert_eq!(kinds[2], (0, Some((data(), false, None))));
        assert_eq!(kinds[3], (0, Some((data(), false, Some("4*2".to_owned())))));
        assert_eq!(kinds[4], (0, Some((data(), true, Some("8".to_owned())))));
        assert_eq!(kinds[5], (255, Some((data(), false, None))));
        assert_eq!(kinds[6], (255, Some((data(), true, Some("4".to_owned())))));
        assert_eq!(elements[0].kind, InitialValueKind::Number(Number::Integer(1)));
        assert_eq!(elements[7].kind, InitialValueKind::Expression);
        assert_eq!((elements[8].kind, elements[8].elements().count()), (InitialValueKind::List, 0));
        let inner: Vec<_> = elements[1].elements().map(|element| element.kind).collect();
        let number = InitialValueKind::Number;
        assert_eq!(
            inner,
            [number(Number::Integer(2_u64.wrapping_neg())), number(Number::Single(0x3F80_0000))]
        );
        for element in elements {
            assert_eq!(element.range.slice(&(" ".repeat(50) + text)), element.text);
        }
        assert_eq!(value("WARP_SZ").kind, InitialValueKind::Number(Number::Integer(32)));
    }
}
