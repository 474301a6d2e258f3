//! Parameters and results of functions.

use crate::name::Name;
use crate::scalar_type::{ScalarType, natural_alignment};
use crate::state_space::StateSpace;
use crate::text_range::TextRange;

/// One parameter or result of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter<'a> {
    /// The state space of the parameter: `.param` or `.reg`.
    pub space: StateSpace,
    /// The name of the parameter, which is `_` in a call prototype. `None` where it is missing; a
    /// syntax error says so.
    pub name: Option<Name<'a>>,
    /// The type of one element of the parameter.
    pub ty: ScalarType,
    /// The number of elements of a vector type.
    pub vector: Option<u8>,
    /// The alignment in bytes, as written.
    pub align: Option<u64>,
    /// The number of elements of an array; 0 for `[]`.
    pub array: Option<u64>,
    /// The `.ptr` attribute of a kernel parameter that is a pointer.
    pub pointer: Option<Pointer>,
    /// The range of the attribute `.hidden` of a kernel parameter (PTX ISA §Kernel Parameter
    /// Attributes); `None` without it.
    pub hidden: Option<TextRange>,
    /// The range of the parameter, from the first attribute or the state space to the end of the
    /// declarator.
    pub range: TextRange,
}

impl Parameter<'_> {
    /// Returns the size of the parameter in bytes; `None` for `.pred` and beyond 64 bits.
    pub fn size(&self) -> Option<u64> {
        let element = self.ty.size()?.checked_mul(self.vector.map_or(1, u64::from))?;
        element.checked_mul(self.array.unwrap_or(1))
    }

    /// Returns the alignment of the parameter in bytes: the written one, otherwise that of its
    /// type. A vector counts as a whole.
    pub fn alignment(&self) -> u64 {
        self.align.unwrap_or_else(|| natural_alignment(self.ty, self.vector))
    }
}

/// The attribute of a kernel parameter that is a pointer: `.ptr [SPACE] [.align N]` (PTX ISA
/// §Kernel Parameter Attribute: .ptr).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// The state space into which the pointer points; `None` for a generic address.
    pub space: Option<StateSpace>,
    /// The alignment in bytes of the memory that the pointer points to.
    pub align: Option<u64>,
}
