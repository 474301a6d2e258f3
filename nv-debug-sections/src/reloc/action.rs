//! The effects of relocation types on their fields.

use std::fmt;

/// The effect of a relocation type on its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RelocAction {
    /// The field becomes the symbol's value plus the addend.
    Add,
    /// The field becomes 0 if the linker drops the symbol's function; otherwise it keeps its value.
    Clear,
}

impl fmt::Display for RelocAction {
    /// As in "a relocation that ... its field".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Add => "adds to",
            Self::Clear => "clears",
        })
    }
}
