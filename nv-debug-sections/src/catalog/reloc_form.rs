//! The two forms of relocation section.

use schemars::JsonSchema;
use serde::Serialize;

/// The two forms of relocation section: `.rel` and `.rela`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RelocForm {
    /// A `.rel.X` section, whose addends are in the relocated fields.
    Rel,
    /// A `.rela.X` section, whose addends are in its entries.
    Rela,
}

impl RelocForm {
    /// The prefix of a relocation section's name, `.rel` or `.rela`, which stands before its
    /// target's name.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Rel => ".rel",
            Self::Rela => ".rela",
        }
    }
}
