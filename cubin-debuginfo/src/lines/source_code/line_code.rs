//! The answer to a query for source lines.

use super::super::source_error::SourceError;
use super::{SourceCode, list};
use crate::error_text::optional_message;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer to a query for source lines: the code that comes from them.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SourceLineCode")]
pub struct LineCode<'a, 's> {
    /// The text of the query (`FILE:LINE`), as the user gave it.
    #[serde(rename = "at")]
    pub asked: &'a str,
    /// The paths in line tables that match the file name of the query: more than one where the name
    /// is ambiguous.
    pub files: Vec<&'s str>,
    /// The code that comes from the lines, by section and address.
    pub ranges: Vec<SourceCode<'s>>,
    /// The first code of the next line of the files that has some, which a debugger takes in place
    /// of lines without code. Absent where the lines have code, and where no later line has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_line: Option<SourceCode<'s>>,
    /// Why no code comes from the lines. Absent if there is some.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_message")]
    #[schemars(with = "Option<String>")]
    pub error: Option<SourceError>,
}

impl LineCode<'_, '_> {
    /// Returns a message that lists the files that an ambiguous file name matches; `None` if it
    /// matches at most one.
    pub fn ambiguity(&self) -> Option<String> {
        let (asked, count) = (self.asked, self.files.len());
        (count > 1).then(|| format!("{asked}: the name means {count} files: {}", list(&self.files)))
    }
}
