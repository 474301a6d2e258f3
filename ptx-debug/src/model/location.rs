//! Locations in the source, and the calls that were inlined.

use super::Scope;

/// The handle of an inlined call in a [`Model`](super::Model).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallSiteId(pub(super) u32);

/// Where in the source an instruction comes from. Two locations with the same values are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Location {
    /// The function or block that has the line.
    pub scope: Scope,
    /// 1-based line in the scope's file. 0 says that the instruction belongs to the scope but to no
    /// line of it.
    pub line: u32,
    /// 1-based column; 0 is unknown.
    pub column: u32,
    /// The call by which the scope's function was inlined; `None` in the function itself.
    pub inlined_at: Option<CallSiteId>,
}

impl Location {
    /// A location in code that was not inlined.
    #[must_use]
    pub fn new(scope: impl Into<Scope>, line: u32, column: u32) -> Self {
        Self { scope: scope.into(), line, column, inlined_at: None }
    }
}
