//! A `.loc` directive and its number.

/// The number of a `.loc` directive: the index of a [`Loc`] in the slice that is given to the line
/// program builders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocId(pub u32);

/// A `.loc` directive, as the rules for line table rows need it. Two directives with equal values
/// are not the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loc {
    /// The file index in the directive. Only 16 bits of it reach the line table.
    pub file: u32,
    /// The 1-based line. Code of a directive with line 0 belongs to the row before it.
    pub line: u32,
    /// The offset in `.debug_str` of the inlined callee's name; 0 if the directive is not for
    /// inlined code.
    pub name: u32,
    /// The `.loc` directive of the call site: the latest earlier directive with the file, line and
    /// column of `inlined_at`. Its index is smaller than the directive's own.
    pub parent: Option<LocId>,
}
