//! The `.loc` directives and the code that line tables are made from.

use super::loc::LocId;

/// An instruction with the `.loc` directive in force, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocatedInstruction {
    /// The byte offset of the instruction in the code section.
    pub address: u64,
    /// The `.loc` directive in force at the instruction; `None` if there is none.
    pub loc: Option<LocId>,
}
