//! Units: how much debug information the functions of a source file get.

/// The handle of a unit in a [`Model`](super::Model).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitId(pub(super) u32);

/// What was compiled at once: a source file with what it includes (DWARF 2.0.0 §3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// How much debug information the unit's functions get.
    pub kind: EmissionKind,
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
}
