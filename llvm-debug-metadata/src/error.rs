//! What can be wrong with a text, and where.

use crate::TextRange;
use thiserror::Error;

/// What is wrong, and the part of the text that shows it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where; empty at the end of the text where something is missing.
    pub range: TextRange,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, range: TextRange) -> Self {
        Self { kind, range }
    }
}

/// The kinds of errors.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is longer than [`limits::MAX_TEXT`](crate::limits::MAX_TEXT).
    #[error("the text is longer than 4 GiB")]
    TextTooLong,
    /// The text ends inside a string.
    #[error("this string has no end")]
    UnterminatedString,
    /// The text ends before a bracket is closed.
    #[error("this bracket is not closed")]
    UnclosedBracket,
    /// The text ends before a function does.
    #[error("this function has no end")]
    UnterminatedFunction,
    /// A line begins nothing that a module has.
    #[error("nothing in a module begins like this")]
    UnknownItem,
    /// A numbered or named node does not go on as one.
    #[error("this metadata has no node after its name")]
    MissingNode,
    /// A number is above 32 bits.
    #[error("this number is too large")]
    NumberTooLarge,
    /// Two nodes have the same number.
    #[error("metadata !{0} is defined twice")]
    RepeatedNode(u32),
    /// A number that no node has.
    #[error("metadata !{0} is not defined")]
    UndefinedNode(u32),
    /// The type of a value cannot be told.
    #[error("the type of this value is not known")]
    UnknownType,
    /// A node has a field that its kind does not have.
    #[error("{0} has no field of this name")]
    UnknownField(&'static str),
    /// A node has a field twice.
    #[error("this field is there twice")]
    RepeatedField,
    /// A field has a value of another kind.
    #[error("this field is not {0}")]
    WrongValue(&'static str),
}

/// The result of what can fail.
pub type Result<T> = std::result::Result<T, Error>;
