//! A diagnostic with its place as lines and columns: an answer for programs.

use crate::{Diagnostic, Severity};
use ptx_syntax::{LineIndex, TextRange, TextSpan};
use schemars::JsonSchema;
use serde::Serialize;

/// A message about a PTX text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Message {
    /// How bad it is. With an error nothing is written.
    #[schemars(with = "Severity")]
    pub severity: &'static str,
    /// The code of the rule that the message is about, as in [rules.md](rules.md). Absent if it is
    /// not about a rule of `check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The fault, and what was expected.
    pub message: String,
    /// The range in the text. Absent where the message is about the text as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<TextSpan>,
    /// Another place that belongs to it. Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<RelatedPosition>,
    /// The way to fix it. Absent where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// Another position in the text that a message refers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "OtherPlace")]
pub struct RelatedPosition {
    /// The meaning of the position, in words.
    pub message: String,
    /// The range in the text.
    pub place: TextSpan,
}

impl Message {
    /// Converts a diagnostic to a message. `lines` are the lines of the text.
    pub fn new(diagnostic: &Diagnostic, lines: &LineIndex) -> Self {
        let Diagnostic { severity, message, range, code, related, help, .. } = diagnostic.clone();
        let place = |range: TextRange| TextSpan::new(lines, range);
        Self {
            severity: severity.as_str(),
            code,
            message,
            place: range.map(place),
            related: related.map(|(range, message)| RelatedPosition { message, place: place(range) }),
            help,
        }
    }

    /// Creates a message about the complete text.
    pub fn of_text(severity: Severity, message: String) -> Self {
        Self { severity: severity.as_str(), code: None, message, place: None, related: None, help: None }
    }
}
