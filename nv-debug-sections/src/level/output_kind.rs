//! The kind of output file.

use schemars::JsonSchema;
use serde::Serialize;

/// The kind of output file: from ptxas, from nvlink, or without code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "FileKind")]
pub enum OutputKind {
    /// A whole program, as ptxas writes it without `-c` (also with `-ewp`).
    Program,
    /// A relocatable object, as `ptxas -c` writes it.
    Relocatable,
    /// A linked file, as nvlink writes it with and without `-r`.
    Linked,
    /// A file with debug sections and no code, as `compile --code none` of nvdwarf writes it.
    /// NVIDIA's tools do not make such files.
    DebugOnly,
}

impl OutputKind {
    /// The kind of file as one word, as JSON documents have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Relocatable => "relocatable",
            Self::Linked => "linked",
            Self::DebugOnly => "debug-only",
        }
    }
}
