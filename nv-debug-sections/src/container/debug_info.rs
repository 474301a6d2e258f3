//! The amount of debug information that a container says an image has.

use schemars::JsonSchema;
use serde::Serialize;

/// The amount of debug information in an image. The numbers are those of NVIDIA's `NvvmDebugInfo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DebugInfo {
    /// No debug information (`NVVM_DEBUG_INFO_NONE`).
    None = 0,
    /// Line numbers, as `-lineinfo` makes them (`NVVM_DEBUG_INFO_LINE_INFO`).
    LineInfo = 1,
    /// Full debug information, as `-G` and `-g` make it (`NVVM_DEBUG_INFO_DWARF`).
    #[serde(rename = "g")]
    Dwarf = 2,
}

impl DebugInfo {
    /// The amount of debug information as one word: `none`, or the option that makes this amount.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::LineInfo => "lineinfo",
            Self::Dwarf => "g",
        }
    }

    /// Returns the amount of debug information for its number; `None` above 2.
    pub fn from_code(code: u32) -> Option<Self> {
        [Self::None, Self::LineInfo, Self::Dwarf].into_iter().find(|level| *level as u32 == code)
    }
}
