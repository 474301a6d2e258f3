//! Why a query for the code of source lines has no answer.

use crate::address_query::LINKED;
use thiserror::Error;

/// Why a query for the code of source lines has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The query is not of the form `FILE:LINE` or `FILE:FIRST-LAST`. The value is the query.
    #[error("'{0}' is not a place in a source: expected FILE:LINE or FILE:FIRST-LAST")]
    Syntax(String),
    /// The last line of `FILE:FIRST-LAST` is before the first. The value is the query.
    #[error("'{0}': the last line is before the first")]
    Reversed(String),
    /// No line table has a file that matches the file name of the query.
    #[error("no file '{file}' in the line tables; they have {known}{}", if *is_linked { LINKED } else { "" })]
    File {
        /// The name of the file, as it was asked for.
        file: String,
        /// The files that the line tables have, as text.
        known: String,
        /// Whether a linker made the cubin, which may have left the code out.
        is_linked: bool,
    },
    /// No code comes from the source lines of the query.
    #[error("no code comes from {asked}{}", if *has_next { "" } else { ", nor from any line after it" })]
    Code {
        /// The query.
        asked: String,
        /// Whether a later line of the file has code.
        has_next: bool,
    },
}
