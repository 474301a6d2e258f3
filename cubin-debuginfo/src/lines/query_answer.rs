//! The answer to a query for code addresses: a function and lines for each.

use super::address_answer::AddressAnswer;
use crate::address_query::QueryError;
use crate::error_text::optional_message;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer to a query for code addresses: the function and the lines of each address that it
/// means.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QueryAnswer<'a, 's> {
    /// The text of the query, as the user gave it.
    #[serde(rename = "query")]
    pub asked: &'a str,
    /// One answer for each address that the query means: an offset without a function may be in
    /// several functions. Empty where the query means no address.
    #[serde(rename = "answers")]
    pub addresses: Vec<AddressAnswer<'a, 's>>,
    /// Why the query has no answer, or no further one. Absent if nothing is wrong.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_message")]
    #[schemars(with = "Option<String>")]
    pub error: Option<QueryError>,
}

impl QueryAnswer<'_, '_> {
    /// Whether a line table covers every address that the query means.
    pub fn is_answered(&self) -> bool {
        self.error.is_none() && self.addresses.iter().all(|address| !address.lines.is_empty())
    }
}
