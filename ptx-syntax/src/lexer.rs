//! The lossless lexer: every byte of any text belongs to exactly one token.

use std::fmt;

use memchr::{memchr, memchr2, memmem};

use crate::text_range::TextRange;

/// The kinds of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TokenKind {
    /// Blanks, tabs, `\r` and `\n`. Form feed and vertical tab are not blanks for ptxas.
    Whitespace,
    /// A comment from `//` up to, not including, `\n`.
    LineComment,
    /// A comment `/* */`; comments do not nest.
    BlockComment,
    /// A line marker: `# 1 "file"` or `#line 1 "file"` with optional flags. It changes the line
    /// numbers in ptxas' messages only.
    LineMarker,
    /// A name: `add`, `%r1`, `$L__BB0_1`, `_`.
    Ident,
    /// A dot and a word: a directive, an opcode suffix, a section name, `.shared::cluster`.
    DotIdent,
    /// `@@DWARF`.
    AtDwarf,
    /// An integer literal, with its suffix `U` if it has one.
    Integer,
    /// A floating-point literal: `1.5`, `1e3`, `0f3F800000`.
    Float,
    /// A string `"..."`. A backslash escapes nothing, and a newline may be inside.
    String,
    /// Text of another language: `.source_begin` at the end of its line, the lines of text, and
    /// `.source_end` alone on a line.
    SourceText,
    /// `{`
    OpenBrace,
    /// `}`
    CloseBrace,
    /// `[`
    OpenBracket,
    /// `]`
    CloseBracket,
    /// `(`
    OpenParen,
    /// `)`
    CloseParen,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `@`
    At,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `=`
    Equals,
    /// `!`
    Not,
    /// `|`
    Or,
    /// A character of an expression that has no kind of its own: `* / % & ^ ~ ?` and a dot alone.
    Operator,
    /// A comment that begins with `/*` and has no `*/`; it goes up to the end of the text.
    UnterminatedComment,
    /// `.source_begin` without `.source_end`, up to the end of the text.
    UnterminatedSource,
    /// A `"` without a second one; only the quote.
    UnterminatedString,
    /// Characters that are not the beginning of any token.
    Unknown,
    /// The end of the text. It is always empty, and never among the tokens of [`tokenize`].
    Eof,
}

impl TokenKind {
    /// Whether the parser skips tokens of this kind: blanks and comments.
    pub const fn is_trivia(self) -> bool {
        matches!(self, Self::Whitespace | Self::LineComment | Self::BlockComment | Self::LineMarker)
    }
}

impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whitespace => "blanks",
            Self::LineComment | Self::BlockComment => "a comment",
            Self::LineMarker => "a line marker",
            Self::Ident => "a name",
            Self::DotIdent => "a directive or suffix",
            Self::AtDwarf => "`@@DWARF`",
            Self::Integer => "an integer",
            Self::Float => "a floating-point number",
            Self::String => "a string",
            Self::SourceText => "text of another language",
            Self::OpenBrace => "`{`",
            Self::CloseBrace => "`}`",
            Self::OpenBracket => "`[`",
            Self::CloseBracket => "`]`",
            Self::OpenParen => "`(`",
            Self::CloseParen => "`)`",
            Self::Comma => "`,`",
            Self::Semicolon => "`;`",
            Self::Colon => "`:`",
            Self::At => "`@`",
            Self::Plus => "`+`",
            Self::Minus => "`-`",
            Self::Less => "`<`",
            Self::Greater => "`>`",
            Self::Equals => "`=`",
            Self::Not => "`!`",
            Self::Or => "`|`",
            Self::Operator => "an operator",
            Self::UnterminatedComment => "an unterminated comment",
            Self::UnterminatedSource => "an unterminated source text",
            Self::UnterminatedString => "an unterminated string",
            Self::Unknown => "an unknown character",
            Self::Eof => "the end of the text",
        })
    }
}

/// A token: its kind and its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// The kind of token.
    pub kind: TokenKind,
    /// The range of the token in the text.
    pub range: TextRange,
}

/// Iterates over the tokens of a text, blanks and comments included, in order and without gaps.
///
/// Of a text of 4 GiB or more only the first 4 GiB - 1 bytes are read.
pub fn tokenize(text: &str) -> Tokens<'_> {
    Tokens { lexer: Lexer::new(text, 0) }
}

/// Iterates over the tokens of a text; see [`tokenize`].
#[derive(Debug, Clone)]
pub struct Tokens<'a> {
    lexer: Lexer<'a>,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let token = self.lexer.next_token();
        (token.kind != TokenKind::Eof).then_some(token)
    }
}

const WORD: u8 = 1;
const DIGIT: u8 = 2;
const BLANK: u8 = 4;
const HEX: u8 = 8;
const LETTER: u8 = 16;

/// Blanks to ptxas 13.0.88, beside the four of the PTX ISA; a vertical tab is none.
const FORM_FEED: u8 = 0x0c;
const SUBSTITUTE: u8 = 0x1a;

/// Some editors begin a file with this character. It is not a token, so that the error which tells
/// of it is the only one.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Character classes, one table look-up a byte.
static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b.is_ascii_alphanumeric() || b == b'_' || b == b'$' {
            table[byte] |= WORD;
        }
        if b.is_ascii_alphabetic() {
            table[byte] |= LETTER;
        }
        if b.is_ascii_digit() {
            table[byte] |= DIGIT;
        }
        if b.is_ascii_hexdigit() {
            table[byte] |= HEX;
        }
        if matches!(b, b' ' | b'\t' | b'\r' | b'\n' | FORM_FEED | SUBSTITUTE) {
            table[byte] |= BLANK;
        }
        byte += 1;
    }
    table
};

/// `bytes` without the blanks of the same line before them.
fn skip_blanks(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.iter().position(|b| !matches!(b, b' ' | b'\t' | b'\r')).unwrap_or(bytes.len());
    bytes.get(blanks..).unwrap_or(&[])
}

fn has(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

/// Whether a byte can be in a name or a suffix, at any place in it.
pub(crate) fn is_word(byte: u8) -> bool {
    has(byte, WORD)
}

pub(crate) fn is_letter(byte: u8) -> bool {
    has(byte, LETTER)
}

pub(crate) fn is_digit(byte: u8) -> bool {
    has(byte, DIGIT)
}

/// Whether a byte stands between tokens, line ends included.
pub(crate) fn is_blank(byte: u8) -> bool {
    has(byte, BLANK)
}

/// What begins a source text.
pub(crate) const SOURCE_BEGIN: &str = ".source_begin";

/// What ends it.
pub(crate) const SOURCE_END: &str = ".source_end";

/// What follows the end of the line, if only blanks and tabs stand before it.
fn line_after_blanks(bytes: &[u8]) -> Option<&[u8]> {
    let blanks = bytes.iter().position(|b| !matches!(b, b' ' | b'\t'))?;
    bytes.get(blanks..)?.strip_prefix(b"\n")
}

/// The end of the first `.source_end` that is alone on its line, which must have an end. Observed:
/// ptxas 13.5.37, to which a carriage return or form feed is no blank here.
fn source_end(text: &[u8]) -> Option<usize> {
    memmem::find_iter(text, SOURCE_END).find_map(|at| {
        let before = text.get(..at)?;
        let blanks = before.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let begins = matches!(before.get(..at - blanks)?.last(), None | Some(b'\n'));
        let end = at + SOURCE_END.len();
        (begins && line_after_blanks(text.get(end..)?).is_some()).then_some(end)
    })
}

/// The text in a [`TokenKind::SourceText`], as ptxas keeps it: without the line break before
/// `.source_end`.
pub(crate) fn text_in_source(token: &str) -> &str {
    let after = token.split_once('\n').map_or("", |(_, text)| text);
    let text = after.strip_suffix(SOURCE_END).unwrap_or(after).trim_end_matches([' ', '\t']);
    text.strip_suffix('\n').unwrap_or(text)
}

/// A position in the text that moves over one token at a time.
#[derive(Debug, Clone)]
pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str, offset: u32) -> Self {
        let bytes = text.as_bytes();
        Self { bytes: bytes.get(..u32::MAX as usize).unwrap_or(bytes), pos: offset as usize }
    }

    pub(crate) fn offset(&self) -> u32 {
        self.pos as u32
    }

    pub(crate) fn seek(&mut self, offset: u32) {
        self.pos = offset as usize;
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.pos..).unwrap_or(&[])
    }

    fn run(&self, from: usize, class: u8) -> usize {
        let tail = self.bytes.get(from..).unwrap_or(&[]);
        from + tail.iter().position(|&b| !has(b, class)).unwrap_or(tail.len())
    }

    /// The next token that is not trivia. Comments and line markers are skipped too.
    pub(crate) fn next_significant(&mut self) -> Token {
        loop {
            // Blanks stand before every other token; here they need not become one.
            while self.bytes.get(self.pos).is_some_and(|&byte| has(byte, BLANK)) {
                self.pos += 1;
            }
            let token = self.next_token();
            if !token.kind.is_trivia() {
                return token;
            }
        }
    }

    /// The next token, or an empty `Eof`.
    pub(crate) fn next_token(&mut self) -> Token {
        let start = self.pos;
        let Some(&first) = self.bytes.get(start) else {
            let end = self.bytes.len() as u32;
            return Token { kind: TokenKind::Eof, range: TextRange::empty(end) };
        };
        let (kind, end) = self.scan(first, start);
        self.pos = end;
        Token { kind, range: TextRange::new(start as u32, end as u32) }
    }

    fn scan(&self, first: u8, start: usize) -> (TokenKind, usize) {
        use TokenKind as K;
        let one = |kind| (kind, start + 1);
        match first {
            b' ' | b'\t' | b'\r' | b'\n' | FORM_FEED | SUBSTITUTE => {
                (K::Whitespace, self.run(start + 1, BLANK))
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => (K::Ident, self.run(start + 1, WORD)),

            b'$' | b'%' if has(self.peek(1), WORD) => (K::Ident, self.run(start + 1, WORD)),
            b'.' if has(self.peek(1), LETTER) => match self.source_text(start) {
                Some(token) => token,
                None => (K::DotIdent, self.dot_ident(start + 1)),
            },
            b'.' if has(self.peek(1), DIGIT) => match self.digit_word(start + 1) {
                Some(end) => (K::DotIdent, end),
                None => (K::Float, self.fraction(start).unwrap_or(start + 1)),
            },
            b'0'..=b'9' => self.number(start),
            b',' => one(K::Comma),
            b';' => one(K::Semicolon),
            b'[' => one(K::OpenBracket),
            b']' => one(K::CloseBracket),
            b'{' => one(K::OpenBrace),
            b'}' => one(K::CloseBrace),
            b'(' => one(K::OpenParen),
            b')' => one(K::CloseParen),
            b':' => one(K::Colon),
            b'+' => one(K::Plus),
            b'-' => one(K::Minus),
            b'<' => one(K::Less),
            b'>' => one(K::Greater),
            b'=' => one(K::Equals),
            b'!' => one(K::Not),
            b'|' => one(K::Or),
            b'@' if self.rest().starts_with(b"@@DWARF") => (K::AtDwarf, start + 7),
            b'@' => one(K::At),
            b'/' => self.slash(start),
            b'"' => match memchr(b'"', self.bytes.get(start + 1..).unwrap_or(&[])) {
                Some(length) => (K::String, start + length + 2),
                None => one(K::UnterminatedString),
            },
            b'#' => match self.line_marker() {
                Some(length) => (K::LineMarker, start + length),
                None => one(K::Unknown),
            },
            b'\\' => one(K::Unknown), // one may stand before an opcode
            b'*' | b'%' | b'&' | b'^' | b'~' | b'?' | b'.' | b'$' => one(K::Operator),
            _ if start == 0
                && self.bytes.starts_with(BYTE_ORDER_MARK.encode_utf8(&mut [0; 4]).as_bytes()) =>
            {
                (K::Whitespace, BYTE_ORDER_MARK.len_utf8())
            }
            _ => (K::Unknown, self.unknown(start + 1)),
        }
    }

    /// A source text, if `.source_begin` and only blanks stand on the rest of the line. A text
    /// without an end has the rest of the module, so that many of them cost linear time.
    fn source_text(&self, start: usize) -> Option<(TokenKind, usize)> {
        let bytes = self.rest().strip_prefix(SOURCE_BEGIN.as_bytes())?;
        let first_line = bytes.len() - line_after_blanks(bytes)?.len();
        let start = start + SOURCE_BEGIN.len() + first_line;
        match source_end(self.bytes.get(start..).unwrap_or(&[])) {
            Some(end) => Some((TokenKind::SourceText, start + end)),
            None => Some((TokenKind::UnterminatedSource, self.bytes.len())),
        }
    }

    /// A word after a dot, with its `::word` parts.
    fn dot_ident(&self, from: usize) -> usize {
        let mut end = self.run(from, WORD);
        while let Some([b':', b':', next, ..]) = self.bytes.get(end..) {
            if !has(*next, WORD) {
                break;
            }
            end = self.run(end + 2, WORD);
        }
        end
    }

    /// The end of a word that begins with a digit: `1d` to `5d`, `16x256b`, `16x32bx2`, and `4byte`
    /// of a section. Other digits are a number.
    fn digit_word(&self, from: usize) -> Option<usize> {
        let byte = |at: usize| self.bytes.get(at).copied().unwrap_or(0);
        let digits = |from: usize| Some(self.run(from, DIGIT)).filter(|&end| end > from);
        if matches!(byte(from), b'1'..=b'5') && byte(from + 1) == b'd' {
            return Some(from + 2);
        }
        if self.bytes.get(from..self.run(from, WORD)) == Some(b"4byte") {
            return Some(from + 5);
        }
        let rows = digits(from).filter(|&end| byte(end) == b'x')?;
        let bits = digits(rows + 1).filter(|&end| byte(end) == b'b')? + 1;
        let times = Some(bits).filter(|&end| byte(end) == b'x').and_then(|end| digits(end + 1));
        Some(times.unwrap_or(bits))
    }

    fn slash(&self, start: usize) -> (TokenKind, usize) {
        let rest = self.bytes.get(start + 2..).unwrap_or(&[]);
        match self.peek(1) {
            b'/' => (TokenKind::LineComment, start + 2 + memchr(b'\n', rest).unwrap_or(rest.len())),
            b'*' => match memmem::find(rest, b"*/") {
                Some(length) => (TokenKind::BlockComment, start + length + 4),
                None => (TokenKind::UnterminatedComment, self.bytes.len()),
            },
            _ => (TokenKind::Operator, start + 1),
        }
    }

    /// Longest match, as ptxas: `089` is `0` and `89`, `2b` is `2` and `b`.
    fn number(&self, start: usize) -> (TokenKind, usize) {
        use TokenKind as K;
        let suffixed = |end: usize| (K::Integer, end + usize::from(self.bytes.get(end) == Some(&b'U')));
        if self.peek(0) == b'0' {
            let hex = || self.run(start + 2, HEX);
            match self.peek(1) {
                b'x' | b'X' if has(self.peek(2), HEX) => return suffixed(hex()),
                b'f' | b'F' if hex() >= start + 10 => return (K::Float, start + 10),
                b'd' | b'D' if hex() >= start + 18 => return (K::Float, start + 18),
                b'b' | b'B' if matches!(self.peek(2), b'0' | b'1') => {
                    let tail = self.bytes.get(start + 2..).unwrap_or(&[]);
                    let count = tail.iter().position(|b| !matches!(b, b'0' | b'1')).unwrap_or(tail.len());
                    return suffixed(start + 2 + count);
                }
                _ => {}
            }
        }
        let digits = self.run(start, DIGIT);
        if let Some(end) = self.fraction(digits) {
            return (K::Float, end);
        }
        if self.peek(0) == b'0' {
            let octal = self.bytes.get(start..digits).unwrap_or(&[]);
            if let Some(count) = octal.iter().position(|b| matches!(b, b'8' | b'9')) {
                return (K::Integer, start + count);
            }
        }
        suffixed(digits)
    }

    /// The end of `.digits` and an exponent after the digits that end at `at`; none if neither
    /// follows.
    fn fraction(&self, at: usize) -> Option<usize> {
        let byte = |at: usize| self.bytes.get(at).copied().unwrap_or(0);
        let mut end = at;
        if byte(end) == b'.' {
            end = self.run(end + 1, DIGIT);
        }
        if matches!(byte(end), b'e' | b'E') {
            let sign = usize::from(matches!(byte(end + 1), b'+' | b'-'));
            if has(byte(end + 1 + sign), DIGIT) {
                end = self.run(end + 1 + sign, DIGIT);
            }
        }
        (end > at).then_some(end)
    }

    /// Length of `# 1 "file" 2 3` or `#line 1 "file"` up to the end of the line; none if it is not
    /// of that shape. Reads no further than the first byte that does not fit, so that many `#` cost
    /// linear time.
    fn line_marker(&self) -> Option<usize> {
        let rest = self.rest();
        let mut words = rest.strip_prefix(b"#")?;
        words = skip_blanks(words.strip_prefix(b"line").unwrap_or(words));
        let digits = words.iter().position(|b| !b.is_ascii_digit()).filter(|&count| count > 0)?;
        words = skip_blanks(words.get(digits..)?).strip_prefix(b"\"")?;
        let quote = memchr2(b'"', b'\n', words).filter(|&at| words.get(at) == Some(&b'"'))?;
        words = words.get(quote + 1..)?;
        let flags = words
            .iter()
            .position(|b| !matches!(b, b'0'..=b'9' | b' ' | b'\t' | b'\r'))
            .unwrap_or(words.len());
        words = words.get(flags..)?;
        matches!(words.first(), None | Some(b'\n')).then_some(rest.len() - words.len())
    }

    /// A run of characters that begin no token, ended on a character boundary.
    fn unknown(&self, from: usize) -> usize {
        let tail = self.bytes.get(from..).unwrap_or(&[]);
        let stops = |b: u8| b.is_ascii_graphic() && b != b'`' && b != b'\'' || has(b, BLANK);
        from + tail.iter().position(|&b| stops(b)).unwrap_or(tail.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
        let tokens: Vec<Token> = tokenize(text).collect();
        let total: usize = tokens.iter().map(|t| t.range.len() as usize).sum();
        assert_eq!(total, text.len(), "tokens cover the text");
        tokens.iter().filter(|t| !t.kind.is_trivia()).map(|t| (t.kind, t.range.slice(text))).collect()
    }

    #[test]
    fn words_and_suffixes() {
        use TokenKind::{DotIdent, Ident, Semicolon};
        assert_eq!(
            kinds("ld.shared::cluster.v2 %tid $L_1 _;"),
            [
                (Ident, "ld"),
                (DotIdent, ".shared::cluster"),
                (DotIdent, ".v2"),
                (Ident, "%tid"),
                (Ident, "$L_1"),
                (Ident, "_"),
                (Semicolon, ";")
            ]
        );
    }

    /// The splits that ptxas' own messages show (`Parsing error near '89'`, `'b'`, `'1e3'`).
    #[test]
    fn numbers_split_as_in_ptxas() {
        use TokenKind::{Float, Ident, Integer};
        assert_eq!(
            kinds("089 2b 0x1FU 10U 1e3 1.5e-3 0f3F800000 0x 1. 0b12"),
            [
                (Integer, "0"),
                (Integer, "89"),
                (Integer, "2"),
                (Ident, "b"),
                (Integer, "0x1FU"),
                (Integer, "10U"),
                (Float, "1e3"),
                (Float, "1.5e-3"),
                (Float, "0f3F800000"),
                (Integer, "0"),
                (Ident, "x"),
                (Float, "1."),
                (Integer, "0b1"),
                (Integer, "2")
            ]
        );
    }

    #[test]
    fn comments_markers_and_strays() {
        use TokenKind::{AtDwarf, Ident, String, Unknown, UnterminatedComment, UnterminatedString};
        assert_eq!(kinds("# 1 \"x.cu\" 2 3\n#line 5 \"y\"\na // b \r c\n/* d */"), [(Ident, "a")]);
        assert_eq!(
            kinds("#\n\\\u{e9}a"),
            [(Unknown, "#"), (Unknown, "\\"), (Unknown, "\u{e9}"), (Ident, "a")]
        );
        assert_eq!(kinds("@@DWARF \"a\\\"b"), [(AtDwarf, "@@DWARF"), (String, "\"a\\\""), (Ident, "b")]);
        assert_eq!(kinds("\"b /*"), [(UnterminatedString, "\""), (Ident, "b"), (UnterminatedComment, "/*")]);
    }

    /// What ptxas 13.5.37 takes for the begin, the end and the text.
    #[test]
    fn source_texts() {
        use TokenKind::{CloseBrace, DotIdent, SourceText, UnterminatedSource};
        for (text, inside) in [
            (".source_begin\n.source_end\n", ""),
            (".source_begin\n\n.source_end\n", ""),
            (".source_begin \t\n\n\n x \t\n\n\t .source_end \t\n", "\n\n x \t\n"),
            (
                ".source_begin\na .source_end\n.source_end_of\n.source_end }\nb\n .source_end\n",
                "a .source_end\n.source_end_of\n.source_end }\nb",
            ),
            (".source_begin\n.source_end\r\n.source_begin\n.source_end\n", ".source_end\r\n.source_begin"),
            (".source_begin\n\" /* }\n# 1 \"x\"\n.source_end\n", "\" /* }\n# 1 \"x\""),
        ] {
            let all = format!("{text}}}");
            let [(SourceText, token), (CloseBrace, _)] = kinds(&all)[..] else {
                panic!("{all}: {:?}", kinds(&all))
            };
            assert_eq!(text_in_source(token), inside, "{text}");
        }
        let other = [
            ".source_begin x\n.source_end\n",
            ".source_begin\r\n.source_end\n",
            ".source_begins\n.source_end\n",
        ];
        for text in other {
            assert_eq!(kinds(text)[0].0, DotIdent, "{text}");
        }
        for text in [".source_begin\n", ".source_begin\nx\n.source_end", ".source_begin\n.source_end\x0c\n"] {
            assert_eq!(kinds(text), [(UnterminatedSource, text)]);
        }
    }

    /// Tests each of these between two tokens: ptxas takes the first two as blanks and stops at the
    /// third.
    #[test]
    fn blanks_are_those_of_ptxas() {
        use TokenKind::{Ident, Semicolon, Unknown};
        assert_eq!(kinds("ret\x0c;\x1a"), [(Ident, "ret"), (Semicolon, ";")]);
        assert_eq!(kinds("ret\x0b;"), [(Ident, "ret"), (Unknown, "\x0b"), (Semicolon, ";")]);
    }

    #[test]
    fn a_token_stays_small() {
        assert!(size_of::<Token>() <= 16);
    }
}
