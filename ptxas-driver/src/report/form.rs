//! The form in which a command prints its results.

/// The form in which a command prints its results: text or JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Text for people: if there are several results, a heading above each and a blank line between
    /// two.
    Text,
    /// Text in the format of another tool, so without headings above results.
    NoHeadings,
    /// One JSON document with all results.
    Json,
}

impl Form {
    /// Returns [`Json`](Self::Json) if the option `--json` was given, otherwise
    /// [`Text`](Self::Text).
    pub fn json_if(is_json: bool) -> Self {
        if is_json { Self::Json } else { Self::Text }
    }
}
