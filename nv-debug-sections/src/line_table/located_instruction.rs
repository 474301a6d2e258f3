//! The `.loc` directives and the code that line tables are made from.

/// The index of a [`Loc`] in the slice that the builders take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocId(pub u32);

/// One `.loc` directive. Two directives with equal values stay distinct, since the rules compare
/// identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loc {
    /// File index as the directive gives it; only 16 bits reach the table.
    pub file: u32,
    /// 1-based line; 0 extends the row before.
    pub line: u32,
    /// Offset in `.debug_str` of the inlined callee's name; 0 when not inlined.
    pub name: u32,
    /// The directive of the call site: the latest earlier one with the file, line and column of
    /// `inlined_at`. Always smaller than the directive's own index.
    pub parent: Option<LocId>,
}

/// An instruction with its `.loc`, if it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocatedInstruction {
    /// Byte offset in the code section.
    pub address: u64,
    /// The directive in force.
    pub loc: Option<LocId>,
}
