//! Files and images without an answer.

use thiserror::Error;

/// A file or image for which a command has no result.
#[derive(Debug, Clone)]
pub struct UnansweredInput {
    /// The file.
    pub file: String,
    /// The file, or the image in it.
    pub name: String,
    /// Why.
    pub error: String,
}

/// The error for a file or image in which a query has no result. It is not a fault of the image if
/// another one of the file has a result.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct NoAnswer(pub String);
