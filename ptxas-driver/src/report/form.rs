//! The form in which a command prints its results.

/// The form in which a command prints its results: text or JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For people: a heading above each of several, a blank line between two.
    Text,
    /// Each as it is, without headings: in the form of another tool.
    NoHeadings,
    /// One JSON document.
    Json,
}

impl Form {
    /// Returns the form for the option `--json`.
    pub fn json_if(is_json: bool) -> Self {
        if is_json { Self::Json } else { Self::Text }
    }
}
