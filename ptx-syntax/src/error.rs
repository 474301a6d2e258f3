//! Syntax errors: what is wrong with a text, and where.

use cuda_releases::Release;
use std::fmt;

use crate::MAX_ERRORS;
use crate::lexer::{Token, TokenKind};
use crate::number::Literal;
use crate::text_range::TextRange;

/// A syntax error in a PTX text. `Display` gives the message without the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyntaxError {
    /// The kind of error.
    pub kind: SyntaxErrorKind,
    /// The offending bytes, on character boundaries inside the text; empty where something is
    /// missing.
    pub range: TextRange,
}

/// The kinds of syntax error. Range and overflow rules are those of ptxas 13.0.88.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// The text has 4 GiB or more; nothing was parsed.
    TooLarge,
    /// The text has more than [`crate::MAX_ERRORS`] errors; later ones are not listed.
    TooManyErrors,
    /// A token stands where the grammar asks for another.
    Expected {
        /// The token or tokens that the grammar allows here, in words.
        what: &'static str,
        /// The kind of the token that is here instead.
        found: TokenKind,
    },
    /// The text has bytes outside ASCII, which ptxas 13.0.88 refuses even in comments and strings.
    NonAscii,
    /// The text has a NUL byte, where ptxas takes it to end.
    NulByte,
    /// A character cannot be the first of any token.
    UnknownCharacter,
    /// A comment begins with `/*` and has no `*/`.
    UnterminatedComment,
    /// `.source_begin` without a line `.source_end`.
    UnterminatedSource,
    /// `"` without a second one.
    UnterminatedString,
    /// The module does not begin with `.version MAJOR.MINOR`.
    MissingVersion,
    /// `.target` does not follow `.version`.
    MissingTarget,
    /// `.address_size` is neither 32 nor 64.
    AddressSize,
    /// A directive stands where the grammar does not allow it. The value says where it may stand.
    Misplaced(&'static str),
    /// A number has more than 64 bits, or more than 32 in `.file` and `.loc`, so ptxas cannot hold
    /// it.
    ConstantOverflow,
    /// A number in the data of a section does not fit the width of its directive.
    ValueOutOfRange {
        /// Width of the directive in bits: 8, 16 or 32.
        bits: u8,
    },
    /// `.file` has a folder, a checksum or a source text beside the name. The range is that of all
    /// of them.
    FileFolder,
    /// A declaration has a type and no state space before it. The range of the error begins after
    /// the first declared name, where ptxas reports it.
    NoStorage,
    /// A type such as `.u8` stands in section data, where only `.b8`, `.b16`, `.b32` and `.b64` may
    /// stand.
    DataType,
    /// A label or a difference of labels stands in `.b8` or `.b16`, which are too narrow.
    NarrowLabel,
    /// Brackets are nested deeper than [`crate::MAX_NESTING`] in one statement.
    NestingTooDeep,
}

impl fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = match *self {
            Self::Expected { what, found } => return write!(f, "expected {what}, found {found}"),
            Self::ValueOutOfRange { bits } => {
                return write!(f, "value out of range: expected one that fits .b{bits}");
            }
            Self::Misplaced(rule) => rule,
            Self::TooLarge => "expected a text of less than 4 GiB",
            Self::TooManyErrors => "too many errors; the rest is not listed",
            // The parser knows no release; `check` says it of the one that it is asked for.
            Self::NonAscii => {
                let release = Release::default();
                return write!(
                    f,
                    "expected ASCII text: ptxas {release} refuses other bytes even in comments"
                );
            }
            Self::NulByte => "unexpected NUL byte: ptxas reads no further",
            Self::UnknownCharacter => "expected a token, found a character that begins none",
            Self::UnterminatedComment => "expected `*/` before the end of the text",
            Self::UnterminatedSource => "expected a line `.source_end` before the end of the text",
            Self::UnterminatedString => "expected a closing `\"` before the end of the text",
            Self::MissingVersion => "expected `.version MAJOR.MINOR` at the start of the module",
            Self::MissingTarget => "expected `.target` after `.version`",
            Self::AddressSize => "expected an address size of 32 or 64",
            Self::ConstantOverflow => "constant overflow: expected a smaller number",
            Self::DataType => "expected .b8, .b16, .b32 or .b64 for section data",
            Self::FileFolder => "`.file` takes one name, and no folder or checksum beside it",
            Self::NarrowLabel => "expected .b32 or .b64 for a label or a difference of labels",
            Self::NoStorage => "expected a state space such as .reg or .shared before the type",
            Self::NestingTooDeep => "brackets are nested too deep",
        };
        f.write_str(message)
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for SyntaxError {}

/// Collects errors up to [`MAX_ERRORS`], so that hostile text costs no more memory than honest
/// text.
#[derive(Debug, Default)]
pub(crate) struct ErrorSink {
    errors: Vec<SyntaxError>,
}

impl ErrorSink {
    pub(crate) fn push(&mut self, kind: SyntaxErrorKind, range: TextRange) {
        let kind = match self.errors.len() {
            n if n < MAX_ERRORS => kind,
            n if n == MAX_ERRORS => SyntaxErrorKind::TooManyErrors,
            _ => return,
        };
        self.errors.push(SyntaxError { kind, range });
    }

    /// Reports `token` where `what` was expected. Bytes outside ASCII and NUL are reported once,
    /// before parsing.
    pub(crate) fn unexpected(&mut self, text: &str, token: Token, what: &'static str) {
        let kind = match token.kind {
            TokenKind::Unknown => {
                let bytes = token.range.slice(text);
                if !bytes.is_ascii() || bytes.contains('\0') {
                    return;
                }
                SyntaxErrorKind::UnknownCharacter
            }
            TokenKind::UnterminatedComment => SyntaxErrorKind::UnterminatedComment,
            TokenKind::UnterminatedSource => SyntaxErrorKind::UnterminatedSource,
            TokenKind::UnterminatedString => SyntaxErrorKind::UnterminatedString,
            found => {
                if found == TokenKind::Integer {
                    self.overflow(text, token);
                }
                SyntaxErrorKind::Expected { what, found }
            }
        };
        self.push(kind, token.range);
    }

    /// Reports an integer that overflows, once.
    pub(crate) fn overflow(&mut self, text: &str, token: Token) {
        let reported = self
            .errors
            .last()
            .is_some_and(|last| last.range == token.range && last.kind == SyntaxErrorKind::ConstantOverflow);
        if !reported && Literal::read(token.range.slice(text)).overflow {
            self.push(SyntaxErrorKind::ConstantOverflow, token.range);
        }
    }

    /// The errors in text order.
    pub(crate) fn finish(mut self) -> Vec<SyntaxError> {
        self.errors.sort_by_key(|error| error.range);
        self.errors
    }
}
