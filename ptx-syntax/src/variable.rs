//! Variables of a module or of a function.

use crate::directives::Attributes;
use crate::initializer::Initializer;
use crate::text::{Name, TextRange};
use crate::types::{Linkage, ScalarType, StateSpace, natural_alignment};

/// A variable declaration with one or more declarators (PTX ISA §Variables).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable<'a> {
    /// Where it lives.
    pub space: StateSpace,
    /// Who sees it.
    pub linkage: Linkage,
    /// Alignment in bytes, as written.
    pub align: Option<u64>,
    /// Element type.
    pub ty: ScalarType,
    /// Elements of a vector type: 2, 4 or 8.
    pub vector: Option<u8>,
    /// N of `.const[N]` (PTX 1.x to 2.1); 0 for `.const[]`.
    pub bank: Option<u64>,
    /// `.attribute(...)` before the type.
    pub attributes: Option<Attributes<'a>>,
    /// The names declared. May be empty: ptxas accepts `.reg .b32 ;`.
    pub declarators: Vec<Declarator<'a>>,
    /// With the `;`.
    pub range: TextRange,
}

impl Variable<'_> {
    /// Returns the size in bytes of the variable that `declarator` names (one register of `%r<N>`).
    ///
    /// None without a size: `.pred`, a flexible array `[]`, a size beyond 64 bits.
    pub fn size(&self, declarator: &Declarator<'_>) -> Option<u64> {
        let element = self.ty.size()?.checked_mul(self.vector.map_or(1, u64::from))?;
        if declarator.dimensions.contains(&0) {
            return None;
        }
        declarator.dimensions.iter().try_fold(element, |size, &dimension| size.checked_mul(dimension))
    }

    /// Returns the alignment in bytes: as written, otherwise that of the type (of the complete
    /// vector).
    pub fn alignment(&self) -> u64 {
        self.align.unwrap_or_else(|| natural_alignment(self.ty, self.vector))
    }
}

/// One name of a [`Variable`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declarator<'a> {
    /// The name, or the prefix of a register range.
    pub name: Name<'a>,
    /// `N` of `%r<N>`: the names `%r0` to `%r(N-1)`.
    pub registers: Option<u32>,
    /// `[4][5]`; 0 for an empty `[]`.
    pub dimensions: Vec<u64>,
    /// What follows the `=`.
    pub initializer: Option<Initializer<'a>>,
}
