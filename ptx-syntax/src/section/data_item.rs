//! The items of a section: labels, directives and values.

use super::super::value::Value;
use super::DataCursor;
use crate::error::ErrorSink;
use crate::name::Name;
use crate::text_range::TextRange;

/// Iterates over the labels, directives and values of a `.section` block; see
/// [`SectionBlock::items`](crate::SectionBlock::items).
#[derive(Debug, Clone)]
pub struct DataItems<'a> {
    pub(super) cursor: DataCursor<'a>,
}

impl<'a> Iterator for DataItems<'a> {
    type Item = DataItem<'a>;

    fn next(&mut self) -> Option<DataItem<'a>> {
        self.cursor.next_item(&mut ErrorSink::default())
    }
}

/// An item of a section: a label, a directive or a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataItem<'a> {
    /// A label `NAME:`. The range is that of the name.
    Label(Name<'a>),
    /// A data directive: `.b8`, `.b16`, `.b32`, `.b64` (also `.byte`, `.4byte`, `.quad`). The
    /// values up to the next directive belong to it.
    Directive {
        /// The size of each value in bytes: 1, 2, 4 or 8.
        width: u8,
        /// The range of the word of the directive.
        range: TextRange,
    },
    /// One value of the directive before it.
    Value(Value<'a>),
}
