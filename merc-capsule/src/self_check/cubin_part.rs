//! The parts of a cubin.

use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// The part of a cubin that a section belongs to: code, debug data or relocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "CubinPart")]
pub enum CubinPart {
    /// Code sections and the symbol table.
    Text,
    /// Debug sections and other data.
    Debug,
    /// Relocation sections.
    Relocation,
}

impl CubinPart {
    /// All parts of a cubin, in the order of reports.
    pub const ALL: [Self; 3] = [Self::Text, Self::Debug, Self::Relocation];
}

impl fmt::Display for CubinPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Text => "text",
            Self::Debug => "debug",
            Self::Relocation => "relocation",
        })
    }
}
