//! The kind of line table that ptxas writes.

/// The kind of line table that ptxas writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineTableRules {
    /// The table is made from the `.loc` of the code: up to sm_89.
    FromLocs,
    /// The table is made from such a table of the Mercury code: from sm_90 on.
    FromMercury,
}
