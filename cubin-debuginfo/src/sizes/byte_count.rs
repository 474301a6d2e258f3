//! Rows of the tables of sizes.

use super::SectionGroup;
use schemars::JsonSchema;
use serde::Serialize;

/// A number of bytes, and what it was in an older file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ByteCount {
    /// The size in bytes.
    pub bytes: u64,
    /// The number of bytes in the file of `--base`. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_bytes: Option<u64>,
}

impl ByteCount {
    /// By how much the number has grown since the older file. 0 without one.
    pub fn growth(self) -> i128 {
        self.base_bytes.map_or(0, |base| i128::from(self.bytes) - i128::from(base))
    }
}

/// The bytes of all cubins for one architecture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArchBytes {
    /// The architecture, such as `sm_90a`.
    pub arch: String,
    /// The number of cubins for it.
    pub cubins: u64,
    /// The bytes of the cubins, decompressed.
    #[serde(flatten)]
    pub size: ByteCount,
}

/// The bytes of all sections of one group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GroupBytes {
    /// What the sections are for.
    pub group: SectionGroup,
    /// The bytes of the sections.
    #[serde(flatten)]
    pub size: ByteCount,
}

/// The bytes of the sections of one kernel or function, for one architecture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FunctionBytes {
    /// The architecture, such as `sm_90a`.
    pub arch: String,
    /// The function's symbol.
    pub function: String,
    /// The function's name as its programmer wrote it. Absent where the symbol is not mangled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub demangled: Option<String>,
    /// The number of cubins that have it.
    pub cubins: u64,
    /// The bytes of its sections in all of them.
    #[serde(flatten)]
    pub size: ByteCount,
    /// The bytes of its machine code, which are part of `bytes`.
    pub code_bytes: u64,
}
