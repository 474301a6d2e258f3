//! What stands between the brackets of a node: fields and operands.

use crate::lexer::{Lexer, Token, TokenKind};
use crate::module::NodeBody;
use crate::{NodeKind, TextRange};

/// A value of metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// `null`.
    Null,
    /// A node by its number, which nothing may define.
    Number(u32),
    /// A node that is written in this place.
    Inline(NodeBody),
    /// A string: what is between its quotes.
    Text(TextRange),
    /// Operands in braces: what is between them.
    Operands(TextRange),
    /// Anything else: numbers, words, constants with a type.
    Other(TextRange),
}

/// A value between the brackets of a node, and its name if it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The name without its colon.
    pub name: Option<TextRange>,
    /// The value.
    pub value: Value,
    /// The text of the value.
    pub range: TextRange,
}

/// The fields between the brackets of a node, which commas part.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
}

impl<'a> Fields<'a> {
    /// The fields in `content`, a part of `text`.
    pub fn new(text: &'a str, content: TextRange) -> Self {
        Self { text, lexer: Lexer::in_range(text, content) }
    }
}

impl Iterator for Fields<'_> {
    type Item = Field;

    fn next(&mut self) -> Option<Field> {
        let text = self.text;
        let (mut name, mut head, mut depth): (_, Vec<Token>, _) = (None, Vec::with_capacity(3), 0);
        let mut range: Option<TextRange> = None;
        for token in self.lexer.by_ref() {
            if depth == 0 && token.is(b',', text) {
                break;
            }
            if token.kind == TokenKind::Label && range.is_none() && name.is_none() {
                name = Some(TextRange { end: token.range.end - 1, ..token.range });
                continue;
            }
            let angle = i32::from(token.is(b'<', text)) - i32::from(token.is(b'>', text));
            depth += token.nesting(text) + angle;
            if head.len() < 4 {
                head.push(token);
            }
            range = Some(range.map_or(token.range, |range| range.to(token.range)));
        }
        let range = range.or(name.map(|name| TextRange { start: name.end, end: name.end }))?;
        Some(Field { name, value: value(text, &head, range), range })
    }
}

/// The value that begins with the tokens `head` and has the text `range`.
pub(crate) fn value(text: &str, head: &[Token], range: TextRange) -> Value {
    let inside =
        |open: Token| TextRange { start: open.range.end, end: range.end.max(open.range.end + 1) - 1 };
    match head {
        [one] => match one.kind {
            TokenKind::MetadataNumber => one.number(text).map_or(Value::Other(range), Value::Number),
            TokenKind::Word if one.text(text) == "null" => Value::Null,
            TokenKind::String => Value::Text(TextRange { start: range.start + 1, end: range.end - 1 }),
            _ => Value::Other(range),
        },
        [mark, string] if mark.kind == TokenKind::Exclamation && string.kind == TokenKind::String => {
            Value::Text(TextRange { start: string.range.start + 1, end: string.range.end - 1 })
        }
        [open, ..] if open.is(b'{', text) => Value::Operands(inside(*open)),
        _ => {
            let is_distinct = head.first().is_some_and(|token| token.text(text) == "distinct");
            match &head[usize::from(is_distinct)..] {
                [mark, open, ..] if mark.kind == TokenKind::Exclamation && open.is(b'{', text) => {
                    let (kind, content) = (NodeKind::Tuple, inside(*open));
                    Value::Inline(NodeBody { kind, is_distinct, range, content })
                }
                [name, open, ..] if name.kind == TokenKind::MetadataName && open.is(b'(', text) => {
                    let (kind, content) = (NodeKind::named(name.name(text)), inside(*open));
                    Value::Inline(NodeBody { kind, is_distinct, range, content })
                }
                _ => Value::Other(range),
            }
        }
    }
}
