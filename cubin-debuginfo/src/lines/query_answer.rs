//! The answer to a query for code addresses: a function and lines for each.

use super::AddressLines;
use crate::address_query::QueryError;
use crate::names::Name;
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<QueryError>,
}

/// The function, the source line and the PTX line of one address.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AddressAnswer<'a, 's> {
    /// The name of the code section that contains the address.
    pub section: &'s str,
    /// The index of the code section in the section table.
    pub section_index: u32,
    /// Byte offset of the address in the code section.
    pub offset: u64,
    /// The function that contains the address, also if it is folded into the section of a kernel.
    /// `None` where no symbol covers the address.
    pub function: Option<Name>,
    /// Byte offset of the address in the function.
    pub function_offset: u64,
    /// The source lines and the PTX line of the address.
    #[serde(flatten)]
    pub lines: AddressLines<'a, 's>,
}

impl QueryAnswer<'_, '_> {
    /// Whether a line table covers every address that the query means.
    pub fn is_answered(&self) -> bool {
        self.error.is_none() && self.addresses.iter().all(|address| !address.lines.is_empty())
    }
}
