//! The error type of this crate: what is wrong with a module or a query about it.

use std::fmt;

/// Why a query about a module has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The file, an image in it or a section cannot be read. The error says which section, and the
    /// byte offset in it.
    Read(nv_debug_sections::Error),
    /// A name is not that of exactly one function. The message says which functions there are.
    Function(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Function(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

impl From<nv_debug_sections::Error> for Error {
    fn from(error: nv_debug_sections::Error) -> Self {
        Self::Read(error)
    }
}
