//! A diagnostic with its place as lines and columns: an answer for programs.

use crate::{Diagnostic, Severity};
use ptx_syntax::{LineIndex, TextRange, TextSpan};
use schemars::JsonSchema;
use serde::Serialize;

/// A message about a PTX text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Message {
    /// The severity of the message. With an error no cubin is written.
    #[schemars(with = "Severity")]
    pub severity: &'static str,
    /// The code of the rule that the message is about, as in [rules.md](rules.md). Absent if it is
    /// not about a rule of `check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// What is wrong with the PTX, and what was expected.
    pub message: String,
    /// The range of the text that the message is about. Absent where it is about the text as a
    /// whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<TextSpan>,
    /// Another range of the text that belongs to the message. Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<RelatedPosition>,
    /// A sentence on how to fix the PTX. Absent where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// Another range of the text that belongs to a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "OtherPlace")]
pub struct RelatedPosition {
    /// What is at the other range, in words.
    pub message: String,
    /// The other range of the text.
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

    /// Creates a message about the PTX text as a whole, without a line number.
    pub fn of_text(severity: Severity, message: String) -> Self {
        Self { severity: severity.as_str(), code: None, message, place: None, related: None, help: None }
    }
}
