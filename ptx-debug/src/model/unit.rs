//! Units: how much debug information the functions of a source file get.

use alloc::vec::Vec;

use super::FileId;

/// The handle of a unit in a [`Model`](super::Model).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitId(pub(super) u32);

/// What was compiled at once: a source file with what it includes (DWARF 2.0.0 §3.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// How much debug information the unit's functions get.
    pub kind: EmissionKind,
    /// The source file.
    pub file: FileId,
    /// The language of the source, `DW_LANG_*`.
    pub language: u16,
    /// The name and version of the compiler.
    pub producer: Vec<u8>,
}

impl Unit {
    /// A unit in C++ without a producer.
    #[must_use]
    pub fn new(kind: EmissionKind, file: FileId) -> Self {
        Self { kind, file, language: dwarf2_writer::constants::DW_LANG_C_plus_plus, producer: Vec::new() }
    }
}

/// How much debug information is written, as `emissionKind` of LLVM's `DICompileUnit` says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmissionKind {
    /// Nothing is written (`NoDebug`).
    None,
    /// Lines and inlined calls are written, as directives: what `nvcc -lineinfo` asks for
    /// (`DebugDirectivesOnly`).
    Directives,
    /// Lines are written as directives, functions and inlined calls as entries of `.debug_info`
    /// (`LineTablesOnly`).
    LineTables,
    /// As `LineTables`, and types and variables too: what `nvcc -G` asks for (`FullDebug`).
    Full,
}

impl EmissionKind {
    /// Whether there are entries, so that ptxas asks for `, debug` in `.target`.
    pub(crate) fn has_entries(self) -> bool {
        matches!(self, Self::LineTables | Self::Full)
    }
}
