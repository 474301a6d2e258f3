//! Files and images without an answer.

use thiserror::Error;

/// A file or image for which a command has no result.
#[derive(Debug, Clone)]
pub struct UnansweredInput {
    /// The name of the file.
    pub file: String,
    /// The name of the file, or that of the image in it, that has no result.
    pub name: String,
    /// Why the command has no result for the file or image.
    pub error: String,
}

/// The error for a file or image in which a query has no result. It is not a fault if another image
/// of the file has a result.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct NoAnswer(pub String);
