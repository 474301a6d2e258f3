//! Variables of a module or of a function.

use crate::attributes::Attributes;
use crate::initializer::Initializer;
use crate::linkage::Linkage;
use crate::name::Name;
use crate::scalar_type::{ScalarType, natural_alignment};
use crate::state_space::StateSpace;
use crate::text_range::TextRange;

/// A variable declaration with one or more declarators (PTX ISA §Variables).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable<'a> {
    /// The state space of the variables.
    pub space: StateSpace,
    /// The linkage of the variables, such as `.visible`.
    pub linkage: Linkage,
    /// The alignment in bytes, as written.
    pub align: Option<u64>,
    /// The type of one element.
    pub ty: ScalarType,
    /// The number of elements of a vector type: 2, 4 or 8.
    pub vector: Option<u8>,
    /// The number of the constant bank: N of `.const[N]` (PTX 1.x to 2.1); 0 for `.const[]`.
    pub bank: Option<u64>,
    /// The attributes of the variables: `.attribute(...)` before the type.
    pub attributes: Option<Attributes<'a>>,
    /// The names that are declared. There may be none: ptxas accepts `.reg .b32 ;`.
    pub declarators: Vec<Declarator<'a>>,
    /// The range of the declaration, with the `;`.
    pub range: TextRange,
}

impl Variable<'_> {
    /// Returns the size in bytes of the variable that `declarator` names; for `%r<N>` that of one
    /// register.
    ///
    /// None without a size: `.pred`, a flexible array `[]`, a size beyond 64 bits.
    pub fn size(&self, declarator: &Declarator<'_>) -> Option<u64> {
        let element = self.ty.size()?.checked_mul(self.vector.map_or(1, u64::from))?;
        if declarator.dimensions.contains(&0) {
            return None;
        }
        declarator.dimensions.iter().try_fold(element, |size, &dimension| size.checked_mul(dimension))
    }

    /// Returns the alignment of the variables in bytes: the written one, otherwise that of their
    /// type. A vector counts as a whole.
    pub fn alignment(&self) -> u64 {
        self.align.unwrap_or_else(|| natural_alignment(self.ty, self.vector))
    }
}

/// One of the names that a [`Variable`] declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declarator<'a> {
    /// The name of the variable; of a register range such as `%r<5>` the prefix `%r`.
    pub name: Name<'a>,
    /// The number of registers in a register range: N of `%r<N>`, which declares `%r0` to
    /// `%r(N-1)`.
    pub registers: Option<u32>,
    /// The dimensions of an array: 4 and 5 of `[4][5]`; 0 for an empty `[]`.
    pub dimensions: Vec<u64>,
    /// The initial value of the variable, after the `=`.
    pub initializer: Option<Initializer<'a>>,
}
