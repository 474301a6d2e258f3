//! The tokens of LLVM IR text. Every byte is in a token, or is a blank or part of a comment.

use crate::TextRange;
use memchr::{memchr, memchr2};

/// The kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A keyword, a type, an opcode or a number: `define`, `i32`, `-7`, `0x3FF0000000000000`.
    Word,
    /// A name with a colon: `entry:`, `"a b":`, `12:`, `scope:`.
    Label,
    /// A name of a value, a block or a type: `%x`, `%12`, `%"a b"`.
    Local,
    /// A name of a global: `@f`.
    Global,
    /// A name of a comdat: `$f`.
    Comdat,
    /// A name of metadata, of a kind of attachment or of a specialised node: `!dbg`, `!DIFile`.
    MetadataName,
    /// A numbered node: `!12`.
    MetadataNumber,
    /// `!` before a brace or a string.
    Exclamation,
    /// A group of attributes: `#0`.
    AttributeGroup,
    /// The name of a debug record: `#dbg_value`.
    Record,
    /// An entry of a module summary: `^0`.
    Summary,
    /// A string in quotes.
    String,
    /// A string up to the end of the text, which has no closing quote.
    UnterminatedString,
    /// One byte with a meaning of its own: `( ) [ ] { } < > , = * |`.
    Punctuation,
    /// Anything else.
    Unknown,
}

/// A name without quotes, if it is one that LLVM prints without them. A number in quotes is a name.
pub(crate) fn without_needless_quotes(name: &str) -> &str {
    let inside = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let is_plain = |inside: &&str| {
        inside.bytes().all(|byte| is_in_name(byte) && byte != b'+')
            && inside.bytes().next().is_some_and(|first| !first.is_ascii_digit())
    };
    inside.filter(is_plain).unwrap_or(name)
}

/// A token and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Whether no other token is before it on its line.
    pub starts_line: bool,
    /// Its text.
    pub range: TextRange,
}

impl Token {
    /// Whether it is this punctuation.
    pub fn is(self, punctuation: u8, text: &str) -> bool {
        self.kind == TokenKind::Punctuation
            && text.as_bytes().get(self.range.start as usize) == Some(&punctuation)
    }

    /// Its text.
    pub fn text(self, text: &str) -> &str {
        self.range.slice(text)
    }

    /// Its text without the sigil before and the colon after it, and without quotes that it does
    /// not need: `%"x"` is `%x`.
    pub fn name(self, text: &str) -> &str {
        let all = self.text(text);
        match self.kind {
            TokenKind::Label => without_needless_quotes(all.strip_suffix(':').unwrap_or(all)),
            TokenKind::Word | TokenKind::String | TokenKind::Punctuation => all,
            _ => without_needless_quotes(all.get(1..).unwrap_or_default()),
        }
    }

    /// The number after its sigil, if it is one of 32 bits.
    pub fn number(self, text: &str) -> Option<u32> {
        self.name(text).parse().ok()
    }

    /// How this token changes the depth of parentheses, brackets and braces.
    pub(crate) fn nesting(self, text: &str) -> i32 {
        if self.kind != TokenKind::Punctuation {
            return 0;
        }
        match text.as_bytes().get(self.range.start as usize) {
            Some(b'(' | b'[' | b'{') => 1,
            Some(b')' | b']' | b'}') => -1,
            _ => 0,
        }
    }
}

/// The tokens of a text, one after the other.
#[derive(Debug, Clone)]
pub struct Lexer<'a> {
    text: &'a str,
    pos: usize,
    end: usize,
    starts_line: bool,
}

impl<'a> Lexer<'a> {
    /// The tokens of all of `text`.
    pub fn new(text: &'a str) -> Self {
        Self { text, pos: 0, end: text.len(), starts_line: true }
    }

    /// The tokens in a part of `text`. The first one is taken to start a line.
    pub fn in_range(text: &'a str, range: TextRange) -> Self {
        Self { text, pos: range.start as usize, end: (range.end as usize).min(text.len()), starts_line: true }
    }

    /// Byte offset after the last token.
    pub fn position(&self) -> usize {
        self.pos
    }

    fn byte(&self, at: usize) -> u8 {
        if at < self.end { self.text.as_bytes()[at] } else { 0 }
    }

    /// Goes over blanks and comments.
    fn skip_blanks(&mut self) {
        let bytes = &self.text.as_bytes()[..self.end];
        while let Some(&byte) = bytes.get(self.pos) {
            match byte {
                b'\n' => self.starts_line = true,
                b' ' | b'\t' | b'\r' | 0 | 0x0B | 0x0C => {}
                b';' => {
                    self.pos = memchr(b'\n', &bytes[self.pos..]).map_or(self.end, |at| self.pos + at);
                    continue;
                }
                _ => return,
            }
            self.pos += 1;
        }
    }

    /// The offset after the bytes from `at` on that are in names.
    fn name_end(&self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..self.end).unwrap_or_default();
        at + rest.iter().position(|byte| !is_in_name(*byte)).unwrap_or(rest.len())
    }

    /// The offset after the string whose first quote is at `at`, and whether it ends at all.
    fn string_end(&self, at: usize) -> (usize, bool) {
        let rest = self.text.as_bytes().get(at + 1..self.end).unwrap_or_default();
        memchr(b'"', rest).map_or((self.end, false), |length| (at + length + 2, true))
    }

    /// A token that begins with a sigil: the kind with a name after it.
    fn sigil(&self, kind: TokenKind) -> (TokenKind, usize) {
        if self.byte(self.pos + 1) == b'"' {
            let (end, is_ended) = self.string_end(self.pos + 1);
            return (if is_ended { kind } else { TokenKind::UnterminatedString }, end);
        }
        let end = self.name_end(self.pos + 1);
        (if end > self.pos + 1 { kind } else { TokenKind::Unknown }, end)
    }

    fn exclamation(&self) -> (TokenKind, usize) {
        let mut end = self.pos + 1;
        let is_number = self.byte(end).is_ascii_digit();
        while is_in_name(self.byte(end)) || self.byte(end) == b'\\' {
            end += 1;
        }
        let kind = match end {
            _ if is_number => TokenKind::MetadataNumber,
            end if end > self.pos + 1 => TokenKind::MetadataName,
            _ => TokenKind::Exclamation,
        };
        (kind, end)
    }

    fn token(&self) -> (TokenKind, usize) {
        match self.byte(self.pos) {
            b'%' => self.sigil(TokenKind::Local),
            b'@' => self.sigil(TokenKind::Global),
            b'$' => {
                let (kind, end) = self.sigil(TokenKind::Comdat);
                if self.byte(end) == b':' { (TokenKind::Label, end + 1) } else { (kind, end) }
            }
            b'^' => self.sigil(TokenKind::Summary),
            b'#' if self.byte(self.pos + 1).is_ascii_digit() => self.sigil(TokenKind::AttributeGroup),
            b'#' => self.sigil(TokenKind::Record),
            b'!' => self.exclamation(),
            b'"' => match self.string_end(self.pos) {
                (end, false) => (TokenKind::UnterminatedString, end),
                (end, true) if self.byte(end) == b':' => (TokenKind::Label, end + 1),
                (end, true) => (TokenKind::String, end),
            },
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b',' | b'=' | b'*' | b'|' => {
                (TokenKind::Punctuation, self.pos + 1)
            }
            byte if is_in_name(byte) => {
                let end = self.name_end(self.pos);
                if self.byte(end) == b':' { (TokenKind::Label, end + 1) } else { (TokenKind::Word, end) }
            }
            byte if byte >= 0x80 => {
                let rest = &self.text.as_bytes()[self.pos..self.end];
                let length = rest.iter().position(|byte| *byte < 0x80).unwrap_or(rest.len());
                (TokenKind::Unknown, self.pos + length)
            }
            _ => (TokenKind::Unknown, self.pos + 1),
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        if self.pos >= self.end {
            return None;
        }
        let (kind, end) = self.token();
        let range = TextRange::new(self.pos, end);
        self.pos = end;
        Some(Token { kind, starts_line: std::mem::take(&mut self.starts_line), range })
    }
}

/// Whether a byte may be in a name or a number without quotes.
fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'$' | b'.' | b'_')
}

/// The range without the comment and the blanks at its end, for a range that ends between tokens.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    memchr2(b'\n', b'\r', rest).map_or(text.len(), |length| at + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
        Lexer::new(text).map(|token| (token.kind, token.text(text))).collect()
    }

    #[test]
    fn each_kind_of_token() {
        use TokenKind::{
            AttributeGroup, Comdat, Exclamation, Global, Label, Local, MetadataName, MetadataNumber,
            Punctuation, Record, String, Summary, UnterminatedString, Word,
        };
        let text = "%x = call i32 @\"a b\"(-1.0e+01) #0, !dbg !12 ; !3\n\
                    #dbg_value $c ^7 !{!\"s\"} entry: 4: \"q\": \"open";
        let expected = [
            (Local, "%x"),
            (Punctuation, "="),
            (Word, "call"),
            (Word, "i32"),
            (Global, "@\"a b\""),
            (Punctuation, "("),
            (Word, "-1.0e+01"),
            (Punctuation, ")"),
            (AttributeGroup, "#0"),
            (Punctuation, ","),
            (MetadataName, "!dbg"),
            (MetadataNumber, "!12"),
            (Record, "#dbg_value"),
            (Comdat, "$c"),
            (Summary, "^7"),
            (Exclamation, "!"),
            (Punctuation, "{"),
            (Exclamation, "!"),
            (String, "\"s\""),
            (Punctuation, "}"),
            (Label, "entry:"),
            (Label, "4:"),
            (Label, "\"q\":"),
            (UnterminatedString, "\"open"),
        ];
        assert_eq!(kinds(text), expected);
    }

    #[test]
    fn which_tokens_start_a_line() {
        let starts: Vec<bool> = Lexer::new("a b\n ; c\n c\td").map(|token| token.starts_line).collect();
        assert_eq!(starts, [true, false, true, false]);
    }
}
