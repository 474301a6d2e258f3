//! Parameters and results of functions.

use crate::text::{Name, TextRange};
use crate::types::{ScalarType, StateSpace, natural_alignment};

/// One parameter or result of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter<'a> {
    /// `.param` or `.reg`.
    pub space: StateSpace,
    /// `_` in a call prototype. None where it is missing; an error says so.
    pub name: Option<Name<'a>>,
    /// Element type.
    pub ty: ScalarType,
    /// Elements of a vector type.
    pub vector: Option<u8>,
    /// Alignment in bytes, as written.
    pub align: Option<u64>,
    /// Elements of an array; 0 for `[]`.
    pub array: Option<u64>,
    /// `.ptr` of a kernel parameter.
    pub pointer: Option<Pointer>,
    /// From the state space to the end of the declarator.
    pub range: TextRange,
}

impl Parameter<'_> {
    /// Returns the size in bytes; `None` for `.pred` and beyond 64 bits.
    pub fn size(&self) -> Option<u64> {
        let element = self.ty.size()?.checked_mul(self.vector.map_or(1, u64::from))?;
        element.checked_mul(self.array.unwrap_or(1))
    }

    /// Returns the alignment in bytes: as written, otherwise that of the type (of the complete
    /// vector).
    pub fn alignment(&self) -> u64 {
        self.align.unwrap_or_else(|| natural_alignment(self.ty, self.vector))
    }
}

/// `.ptr [SPACE] [.align N]` (PTX ISA §Kernel Parameter Attribute: .ptr).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// What it points into; none for generic addresses.
    pub space: Option<StateSpace>,
    /// Alignment in bytes of what it points to.
    pub align: Option<u64>,
}
