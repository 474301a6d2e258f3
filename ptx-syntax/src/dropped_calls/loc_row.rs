//! What a line table can keep of a `.loc`.

/// What a line table can keep of a `.loc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocRow {
    /// The file's index.
    pub file: u16,
    /// The source line.
    pub line: u32,
    /// A number for the name of the inlined function: equal names have equal numbers.
    pub name: u32,
    /// The index, in the same list, of the `.loc` of the call site; `None` if no code is inlined.
    pub call_site: Option<usize>,
}
