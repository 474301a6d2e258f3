//! Where the machine code of a file is.

use schemars::JsonSchema;
use serde::Serialize;

/// Where the machine code of a file is: in the file itself, or elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "CodePlace")]
pub enum CodeLocation {
    /// The machine code is in the file itself, or the file defines no function.
    Here,
    /// The machine code is in another file: this file is the side file of a cubin, as `strip
    /// --split` makes one.
    OtherFile,
    /// There is no machine code: the file is a debug-only object, as `compile --code none` makes
    /// one, or the side file of one.
    None,
}

impl CodeLocation {
    /// The location of the machine code in one word, as JSON documents have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Here => "here",
            Self::OtherFile => "other-file",
            Self::None => "none",
        }
    }
}
