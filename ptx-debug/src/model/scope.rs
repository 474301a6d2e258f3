//! Functions and blocks of the source, in which locations are.

use alloc::vec::Vec;

use super::{FileId, TypeId, UnitId, check_string};
use crate::Error;

/// The handle of a function in a [`Model`](super::Model).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubprogramId(pub(super) u32);

/// The handle of a block in a [`Model`](super::Model).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub(super) u32);

/// What a location is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// A function.
    Subprogram(SubprogramId),
    /// A block of a function.
    Block(BlockId),
}

impl From<SubprogramId> for Scope {
    fn from(id: SubprogramId) -> Self {
        Self::Subprogram(id)
    }
}

impl From<BlockId> for Scope {
    fn from(id: BlockId) -> Self {
        Self::Block(id)
    }
}

/// A function of the source. It need not be one of the PTX: if all calls of it are inlined, it is
/// not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subprogram<'a> {
    /// The name in the source.
    pub name: &'a [u8],
    /// The name that linkers see, mangled where the language has that; empty if there is none. It
    /// is what `function_name` of a `.loc` says.
    pub linkage_name: &'a [u8],
    /// The file that has the function.
    pub file: FileId,
    /// 1-based line of the function's name.
    pub line: u32,
    /// 1-based line of the function's first `{`.
    pub scope_line: u32,
    /// The unit that has the function.
    pub unit: UnitId,
    /// The type of what it returns; `None` is `void`.
    pub returns: Option<TypeId>,
    /// Whether other units can call it.
    pub is_external: bool,
}

impl<'a> Subprogram<'a> {
    /// A function that other units can call, that returns nothing, whose linkage name is its name,
    /// and whose lines are 0.
    #[must_use]
    pub fn new(name: &'a [u8], file: FileId, unit: UnitId) -> Self {
        Self {
            name,
            linkage_name: name,
            file,
            line: 0,
            scope_line: 0,
            unit,
            returns: None,
            is_external: true,
        }
    }
}

/// A [`Subprogram`] as the model holds it.
#[derive(Debug, Clone)]
pub(crate) struct OwnedSubprogram {
    pub(crate) name: Vec<u8>,
    pub(crate) linkage_name: Vec<u8>,
    pub(crate) file: FileId,
    pub(crate) line: u32,
    pub(crate) scope_line: u32,
    pub(crate) unit: UnitId,
    pub(crate) returns: Option<TypeId>,
    pub(crate) is_external: bool,
}

impl OwnedSubprogram {
    pub(super) fn new(subprogram: Subprogram<'_>) -> Result<Self, Error> {
        check_string(subprogram.name, "name")?;
        check_string(subprogram.linkage_name, "linkage name")?;
        Ok(Self {
            name: subprogram.name.into(),
            linkage_name: subprogram.linkage_name.into(),
            file: subprogram.file,
            line: subprogram.line,
            scope_line: subprogram.scope_line,
            unit: subprogram.unit,
            returns: subprogram.returns,
            is_external: subprogram.is_external,
        })
    }
}

/// A block of statements in a function (DWARF 2.0.0 §3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// What the block is in.
    pub parent: Scope,
    /// The file that has the block. It is another one than the function's where an `#include`
    /// stands in the function.
    pub file: FileId,
    /// 1-based line of the block's first character.
    pub line: u32,
    /// 1-based column of the block's first character.
    pub column: u32,
}
