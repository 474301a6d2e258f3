//! `.section` blocks and the cursor over their data lines.

mod data_item;

use super::value::{Value, ValueKind};
use crate::error::{ErrorSink, SyntaxErrorKind};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::module_directives::MODULE_DIRECTIVES;
use crate::name::Name;
use crate::number::Literal;
use crate::reserved_words::is_reserved;
use crate::scalar_type::ScalarType;
use crate::text_range::TextRange;

pub use data_item::{DataItem, DataItems};

/// A block of section data, such as `.section .debug_info { ... }` (PTX ISA §.section).
///
/// The data lines are most of a debug module's text, so they are checked once by [`crate::parse`]
/// and then read from the text on demand: by [`SectionBlock::items`], or by
/// [`crate::section_data::assemble`] as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectionBlock<'a> {
    /// The name of the section, with its dot.
    pub name: Name<'a>,
    /// The range of the `{` that opens the block.
    pub open: TextRange,
    /// The range of the `}` that closes the block; empty where it is missing.
    pub close: TextRange,
    /// The range of the whole block.
    pub range: TextRange,
    /// The text of the module.
    pub(crate) text: &'a str,
}

impl<'a> SectionBlock<'a> {
    /// Iterates over the labels, directives and values of the block in text order, as a flat list.
    /// Faulty values are left out; [`crate::parse`] reports them.
    pub fn items(&self) -> DataItems<'a> {
        let text = if self.open.is_empty() { "" } else { self.text };
        DataItems { cursor: DataCursor::new(text, self.open.end) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A directive, a label or the end comes next.
    Item,
    /// A value of this width comes next; a name only as the first.
    Value { width: u8, first: bool },
    /// A comma may come next.
    AfterValue { width: u8 },
}

/// Walks over the lines of a block.
#[derive(Debug, Clone)]
pub(crate) struct DataCursor<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    state: State,
    close: Option<TextRange>,
}

const ITEM: &str = "a data directive, a label or `}`";
const VALUE: &str = "a number or a name";

impl<'a> DataCursor<'a> {
    /// `offset` is after the `{`.
    pub(crate) fn new(text: &'a str, offset: u32) -> Self {
        Self { text, lexer: Lexer::new(text, offset), state: State::Item, close: None }
    }

    /// Creates a cursor over the values of one directive, up to the end of `text`. `offset` is
    /// after the directive's name.
    pub(crate) fn list(text: &'a str, offset: u32, width: u8) -> Self {
        Self { state: State::Value { width, first: true }, ..Self::new(text, offset) }
    }

    /// The next value of the current directive, or none.
    pub(crate) fn next_value(&mut self, sink: &mut ErrorSink) -> Option<Value<'a>> {
        while let State::Value { .. } | State::AfterValue { .. } = self.state {
            if let Some(DataItem::Value(value)) = self.next_in_list(sink) {
                return Some(value);
            }
        }
        None
    }

    /// Checks everything up to the `}` and returns its range (empty where it is missing).
    pub(crate) fn check(&mut self, sink: &mut ErrorSink) -> TextRange {
        loop {
            self.run_plain(|_, _| {});
            if self.next_item(sink).is_none() {
                return self.close.unwrap_or_default();
            }
        }
    }

    /// Runs over labels' neighbours that need no thought: `.b8 1,2,3` lines of plain decimal
    /// numbers, which are nearly all of the text. Stops before the first thing that is anything
    /// else; `next_item` goes on from there.
    pub(crate) fn run_plain(&mut self, mut each: impl FnMut(u8, u32)) {
        let bytes = self.text.as_bytes();
        let mut pos = self.lexer.offset() as usize;
        let blank = |b: u8| matches!(b, b' ' | b'\n' | b'\t' | b'\r');
        let skip = |mut pos: usize| {
            while bytes.get(pos).is_some_and(|&b| blank(b)) {
                pos += 1;
            }
            pos
        };
        loop {
            match self.state {
                State::Item => {
                    pos = skip(pos);
                    let (width, length) = match bytes.get(pos..) {
                        Some([b'.', b'b', b'8', next, ..]) if blank(*next) => (1, 3),
                        Some([b'.', b'b', b'3', b'2', next, ..]) if blank(*next) => (4, 4),
                        Some([b'.', b'b', b'6', b'4', next, ..]) if blank(*next) => (8, 4),
                        _ => break,
                    };
                    pos += length;
                    self.state = State::Value { width, first: true };
                }
                State::Value { width, .. } => {
                    let start = skip(pos);
                    let (value, end) = plain_decimal(bytes, start);
                    if end == start || u64::from(value) >> (8 * u32::from(width).min(4)) != 0 {
                        break;
                    }
                    let next = skip(end);
                    match bytes.get(next) {
                        Some(b',') => self.state = State::Value { width, first: false },
                        Some(b'.' | b'}') if next > end || bytes.get(end) == Some(&b'}') => {
                            self.state = State::Item;
                        }
                        _ => break,
                    }
                    each(width, value);
                    pos = next + usize::from(bytes.get(next) == Some(&b','));
                }
                State::AfterValue { .. } => break,
            }
        }
        self.lexer.seek(pos as u32);
    }

    /// The next piece, or none at the end of the block.
    pub(crate) fn next_item(&mut self, sink: &mut ErrorSink) -> Option<DataItem<'a>> {
        loop {
            match self.state {
                State::Item => {
                    let token = self.lexer.next_significant();
                    if let Some(item) = self.item(token, sink) {
                        return Some(item);
                    }
                    if self.close.is_some() {
                        return None;
                    }
                }
                State::Value { .. } | State::AfterValue { .. } => {
                    if let Some(item) = self.next_in_list(sink) {
                        return Some(item);
                    }
                }
            }
        }
    }

    /// One step from value to value; none where it gave no value.
    fn next_in_list(&mut self, sink: &mut ErrorSink) -> Option<DataItem<'a>> {
        match self.state {
            State::Item => {}
            State::Value { width, first } => {
                let token = self.lexer.next_significant();
                return self.value(token, width, first, sink).map(DataItem::Value);
            }
            State::AfterValue { width } => {
                let before = self.lexer.offset();
                if self.lexer.next_significant().kind == TokenKind::Comma {
                    self.state = State::Value { width, first: false };
                } else {
                    self.lexer.seek(before);
                    self.state = State::Item;
                }
            }
        }
        None
    }

    /// A label, a directive or the end. None with `close` unset: an error was reported and skipped.
    fn item(&mut self, token: Token, sink: &mut ErrorSink) -> Option<DataItem<'a>> {
        let word = token.range.slice(self.text);
        match token.kind {
            TokenKind::CloseBrace => self.close = Some(token.range),
            TokenKind::DotIdent => {
                if let Some(width) = data_width(word) {
                    self.state = State::Value { width, first: true };
                    return Some(DataItem::Directive { width, range: token.range });
                }
                if let Some(ty) = ScalarType::from_keyword(word) {
                    sink.push(SyntaxErrorKind::DataType, token.range);
                    let width = ty.size().map_or(1, |size| size.min(8) as u8);
                    self.state = State::Value { width, first: true };
                    return Some(DataItem::Directive { width, range: token.range });
                }
                if word == ".section" || MODULE_DIRECTIVES.contains(&word) {
                    self.end_without_brace(token, sink);
                } else {
                    sink.unexpected(self.text, token, ITEM);
                    self.skip_line();
                }
            }
            TokenKind::Ident if is_label(word) => {
                let colon = self.lexer.next_significant();
                if colon.kind == TokenKind::Colon {
                    return Some(DataItem::Label(Name { text: word, range: token.range }));
                }
                sink.unexpected(self.text, colon, "`:` after the label");
                self.lexer.seek(colon.range.start);
                self.skip_line();
            }
            TokenKind::Eof | TokenKind::AtDwarf => self.end_without_brace(token, sink),
            _ => {
                sink.unexpected(self.text, token, ITEM);
                self.skip_line();
            }
        }
        None
    }

    fn end_without_brace(&mut self, token: Token, sink: &mut ErrorSink) {
        sink.unexpected(self.text, token, "`}` at the end of the section");
        self.lexer.seek(token.range.start);
        self.close = Some(TextRange::empty(token.range.start));
    }

    /// One value. None: an error was reported.
    fn value(&mut self, token: Token, width: u8, first: bool, sink: &mut ErrorSink) -> Option<Value<'a>> {
        let word = token.range.slice(self.text);
        self.state = State::AfterValue { width };
        match token.kind {
            TokenKind::Integer => {
                let value = check_integer(word, token.range, width, sink);
                Some(Value { kind: ValueKind::Integer(value), width, range: token.range })
            }
            TokenKind::Minus => self.negative(token, width, first, sink),
            TokenKind::Ident if first && is_label(word) => self.expression(token, width, sink),
            TokenKind::DotIdent if first && !is_reserved(word) => self.expression(token, width, sink),
            _ => {
                sink.unexpected(self.text, token, if first { VALUE } else { "a number" });
                self.give_up(token);
                None
            }
        }
    }

    /// `-N`: 64 bits, N below 2^63 and without `U`. A zero that is the only value of its directive
    /// fits none of the narrower widths (ptxas 13.0.88).
    fn negative(&mut self, minus: Token, width: u8, first: bool, sink: &mut ErrorSink) -> Option<Value<'a>> {
        let token = self.lexer.next_significant();
        let literal = Literal::read(token.range.slice(self.text));
        if token.kind != TokenKind::Integer || !has_negative(&literal) {
            sink.unexpected(self.text, token, "a number below 2^63 after `-`");
            self.give_up(token);
            return None;
        }
        let range = TextRange::new(minus.range.start, token.range.end);
        let only_zero =
            literal.value == 0 && first && self.lexer.clone().next_significant().kind != TokenKind::Comma;
        if width < 8 && only_zero {
            sink.push(SyntaxErrorKind::ValueOutOfRange { bits: 8 * width }, range);
        }
        let value = check_negative(&literal, range, width, sink);
        Some(Value { kind: ValueKind::Integer(value), width, range })
    }

    /// `NAME`, `NAME+N` or `LEFT-RIGHT`. A list of these is not allowed, so a comma is left for
    /// `item` to reject.
    fn expression(&mut self, token: Token, width: u8, sink: &mut ErrorSink) -> Option<Value<'a>> {
        self.state = State::Item;
        let left = Name { text: token.range.slice(self.text), range: token.range };
        let mut kind = ValueKind::Symbol { name: left, addend: 0 };
        let mut end = token.range.end;
        let operator = self.lexer.next_significant();
        match operator.kind {
            TokenKind::Plus => {
                let offset = self.lexer.next_significant();
                if offset.kind != TokenKind::Integer {
                    sink.unexpected(self.text, offset, "a number after `+`");
                    self.give_up(offset);
                    return None;
                }
                let literal = Literal::read(offset.range.slice(self.text));
                if literal.overflow {
                    sink.push(SyntaxErrorKind::ConstantOverflow, offset.range);
                }
                kind = ValueKind::Symbol { name: left, addend: literal.value as u32 };
                end = offset.range.end;
            }
            // A section's name has no difference.
            TokenKind::Minus if left.text.starts_with('.') => {
                sink.unexpected(self.text, operator, "`+` or the next item");
                self.skip_line();
                return None;
            }
            TokenKind::Minus => {
                let right = self.lexer.next_significant();
                let name = Name { text: right.range.slice(self.text), range: right.range };
                if right.kind != TokenKind::Ident || !is_label(name.text) {
                    sink.unexpected(self.text, right, "a label on both sides of `-`");
                    self.give_up(right);
                    return None;
                }
                kind = ValueKind::Difference { left, right: name };
                end = right.range.end;
            }
            _ => self.lexer.seek(operator.range.start),
        }
        let range = TextRange::new(token.range.start, end);
        if width < 4 {
            sink.push(SyntaxErrorKind::NarrowLabel, range);
        }
        Some(Value { kind, width, range })
    }

    /// After an error at `token`: what can begin an item is read as one, anything else is skipped
    /// with its line.
    fn give_up(&mut self, token: Token) {
        self.state = State::Item;
        if matches!(
            token.kind,
            TokenKind::DotIdent | TokenKind::CloseBrace | TokenKind::Eof | TokenKind::AtDwarf
        ) {
            self.lexer.seek(token.range.start);
        } else {
            self.skip_line();
        }
    }

    /// Skips the tokens up to the next line or `}`.
    fn skip_line(&mut self) {
        loop {
            let token = self.lexer.next_token();
            match token.kind {
                TokenKind::Whitespace if token.range.slice(self.text).contains('\n') => return,
                TokenKind::CloseBrace | TokenKind::Eof => return self.lexer.seek(token.range.start),
                _ => {}
            }
        }
    }

    pub(crate) fn offset(&self) -> u32 {
        self.lexer.offset()
    }
}

/// A literal without a sign, cut to 32 bits, and whether it fits the directive.
pub(crate) fn check_integer(digits: &str, range: TextRange, width: u8, sink: &mut ErrorSink) -> u64 {
    let literal = Literal::read(digits);
    if literal.overflow {
        sink.push(SyntaxErrorKind::ConstantOverflow, range);
    }
    let value = u64::from(literal.value as u32);
    if width < 4 && value >> (8 * width) != 0 {
        sink.push(SyntaxErrorKind::ValueOutOfRange { bits: 8 * width }, range);
    }
    value
}

/// Whether a number may follow a `-`.
pub(crate) fn has_negative(literal: &Literal) -> bool {
    !literal.unsigned && literal.value >> 63 == 0
}

/// The negative of a literal in 64 bits, and whether it fits the directive; `range` begins at the
/// sign.
pub(crate) fn check_negative(literal: &Literal, range: TextRange, width: u8, sink: &mut ErrorSink) -> u64 {
    if literal.overflow {
        sink.push(SyntaxErrorKind::ConstantOverflow, range);
    }
    let least = 1_u64 << (8 * u32::from(width) - 1);
    if width < 8 && literal.value > least {
        sink.push(SyntaxErrorKind::ValueOutOfRange { bits: 8 * width }, range);
    }
    literal.value.wrapping_neg()
}

/// A decimal number of at most 9 digits without a leading zero, and its end; the start itself if
/// there is none.
fn plain_decimal(bytes: &[u8], start: usize) -> (u32, usize) {
    let (mut value, mut pos) = (0_u32, start);
    while let Some(digit) = bytes.get(pos).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10) {
        if pos - start == 9 || (value == 0 && pos > start) {
            return (0, start);
        }
        value = value * 10 + u32::from(digit);
        pos += 1;
    }
    (value, pos)
}

/// The bytes of each value of a data directive. ptxas 13.0.88 accepts the same directives in
/// `.section` and after `@@DWARF`.
pub(crate) fn data_width(word: &str) -> Option<u8> {
    Some(match word {
        ".b8" | ".byte" => 1,
        ".b16" => 2,
        ".b32" | ".4byte" => 4,
        ".b64" | ".quad" => 8,
        _ => return None,
    })
}

/// Whether a word can be a label: `_`, `%` and the words ptxas keeps for itself cannot.
pub(crate) fn is_label(word: &str) -> bool {
    !matches!(word, "_" | "WARP_SZ" | "inlined_at" | "function_name")
}
