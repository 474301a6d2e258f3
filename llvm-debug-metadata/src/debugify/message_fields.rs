//! A message of a check as members of a JSON document.

use super::CheckMessage;
use schemars::JsonSchema;
use serde::Serialize;

/// One message of a check.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename = "CheckMessage")]
pub(super) struct MessageFields {
    /// What is wrong: `no_location`, `other_size`, `missing_line` or `missing_variable`.
    kind: &'static str,
    /// The line that no instruction has. Absent in messages of other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    /// The number of the variable that no record has. Absent in messages of other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    variable: Option<u64>,
    /// The function of an instruction without a location. Absent in messages of other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    /// The text of an instruction without a location. Absent in messages of other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<String>,
    /// Size in bits of a value that has another size than its variable. Absent in messages of other
    /// kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    value_bits: Option<u64>,
    /// Size of that variable in bits. Absent in messages of other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    variable_bits: Option<u64>,
    /// The record that gives the variable that value. Absent in messages of other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<String>,
}

impl From<CheckMessage> for MessageFields {
    fn from(message: CheckMessage) -> Self {
        match message {
            CheckMessage::NoLocation { function, instruction } => Self {
                kind: "no_location",
                function: Some(function),
                instruction: Some(instruction),
                ..Self::default()
            },
            CheckMessage::OtherSize { value_bits, variable_bits, record } => Self {
                kind: "other_size",
                value_bits: Some(value_bits),
                variable_bits: Some(variable_bits),
                record: Some(record),
                ..Self::default()
            },
            CheckMessage::MissingLine { line } => {
                Self { kind: "missing_line", line: Some(line), ..Self::default() }
            }
            CheckMessage::MissingVariable { variable } => {
                Self { kind: "missing_variable", variable: Some(variable), ..Self::default() }
            }
        }
    }
}
