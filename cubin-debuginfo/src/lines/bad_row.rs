//! A row of a profile that is not a sample of the cubin.

use super::profile_csv::RowError;
use crate::error_text::message;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// A row of a profile that is not a sample of the cubin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BadRow {
    /// Why the row is not a sample of the cubin.
    #[serde(serialize_with = "message")]
    #[schemars(with = "String")]
    pub error: RowError,
    /// The 1-based number of the row; the header counts as a row.
    pub row: u64,
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}: {}", self.row, self.error)
    }
}
