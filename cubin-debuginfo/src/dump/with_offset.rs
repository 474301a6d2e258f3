//! An item together with its place in the section.

use super::span::Span;
use schemars::JsonSchema;
use serde::Serialize;

/// An item of a debug section, with the byte range that it occupies in the section.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LocatedText")]
pub struct WithOffset<T> {
    /// The byte range of the item in its section.
    #[serde(flatten)]
    pub at: Span,
    /// The decoded item.
    pub value: T,
}
