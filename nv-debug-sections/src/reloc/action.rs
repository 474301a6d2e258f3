//! The effects of relocation types on their fields.

use std::fmt;

/// The effect of a relocation type on its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RelocAction {
    /// Field = symbol value + addend.
    Add,
    /// The linker clears the field if it drops the symbol's function; until then the field keeps
    /// its own value.
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
