//! A scope of variables.

use crate::code_ranges::CodeRange;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A scope of variables: a unit, a function, an inlined call or a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The number of the scope's entry among all entries of `.debug_info`.
    pub entry: usize,
    /// Whether the scope is a unit, a function, an inlined call or a block.
    pub kind: ScopeKind,
    /// Index of the scope that encloses this one; `None` for a unit.
    pub parent: Option<usize>,
    /// The code ranges of the scope, ascending and without overlap. Empty for units, and for
    /// functions that have no code of their own.
    pub code: Arc<[CodeRange]>,
}

/// The kind of a scope of variables: a unit, a function, an inlined call or a lexical block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScopeKind {
    /// A compilation unit: its variables are global, or visible in its source file only.
    Unit,
    /// A function that has code.
    Function,
    /// A function as its source has it (`DW_AT_inline`), to which its inlined calls refer.
    Abstract,
    /// A call that was inlined into a function.
    Inlined,
    /// A block of statements in a function.
    Block,
}
