//! The answer to a query for code addresses: a function and lines for each.

use super::AddressLines;
use crate::address_query::QueryError;
use crate::names::Name;
use schemars::JsonSchema;
use serde::Serialize;

/// The result of a query: for each address that it means, the function and the lines.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QueryAnswer<'a, 's> {
    /// The query, as given.
    #[serde(rename = "query")]
    pub asked: &'a str,
    /// One for each address that the query means: an offset alone is in several functions. Empty
    /// where it means none.
    #[serde(rename = "answers")]
    pub addresses: Vec<AddressAnswer<'a, 's>>,
    /// Why there is no answer, or no further one. Absent if nothing is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<QueryError>,
}

/// The function, the source line and the PTX line of one address.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AddressAnswer<'a, 's> {
    /// The name of the code section.
    pub section: &'s str,
    /// The index of that section.
    pub section_index: u32,
    /// Byte offset in the section.
    pub offset: u64,
    /// The function whose code it is; of functions folded into a section the one at that offset.
    /// `None` where no symbol covers it.
    pub function: Option<Name>,
    /// Byte offset in the function.
    pub function_offset: u64,
    /// The lines of the address.
    #[serde(flatten)]
    pub lines: AddressLines<'a, 's>,
}

impl QueryAnswer<'_, '_> {
    /// Whether a line table covers every address that the query means.
    pub fn is_answered(&self) -> bool {
        self.error.is_none() && self.addresses.iter().all(|address| !address.lines.is_empty())
    }
}
