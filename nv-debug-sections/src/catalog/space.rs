//! The two spaces of a section, native and Mercury, and the two forms of relocation section, `.rel`
//! and `.rela`.

use schemars::JsonSchema;
use serde::Serialize;

/// Native or Mercury: which of the two copies of a section that files for sm_100 and later have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// Addresses are those of the code in the file.
    Native,
    /// `.nv.merc.*`: addresses are those of the Mercury code that the native code is made from
    /// (formats/capsule.md).
    Mercury,
}

/// The two forms of relocation section: `.rel` and `.rela`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RelocForm {
    /// `.rel.X`: addends are in the fields.
    Rel,
    /// `.rela.X`: addends are in the entries.
    Rela,
}

impl RelocForm {
    /// The prefix of a relocation section's name, which stands before its target's name.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Rel => ".rel",
            Self::Rela => ".rela",
        }
    }
}
