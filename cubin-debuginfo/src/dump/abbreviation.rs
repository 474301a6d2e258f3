//! An abbreviation of `.debug_abbrev`.

use super::span::Span;
use super::stream::ItemStream;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// An abbreviation of `.debug_abbrev`: the tag and the attributes that entries with its code have.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Abbreviation<'s> {
    /// The byte range of the abbreviation in its section.
    #[serde(flatten)]
    pub at: Span,
    /// The code of the abbreviation, by which entries refer to it.
    pub code: u64,
    /// Name of the tag, `DW_TAG_*`, or its number if it has no name.
    pub tag: Cow<'static, str>,
    /// Whether entries with this abbreviation have children.
    pub children: bool,
    /// The attributes of the abbreviation, each with its form, by name (`DW_AT_*`, `DW_FORM_*`) or
    /// by number if there is no name.
    pub attributes: ItemStream<'s, (Cow<'static, str>, Cow<'static, str>)>,
}
