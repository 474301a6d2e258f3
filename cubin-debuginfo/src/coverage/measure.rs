//! The kinds of coverage to which a limit can apply.

/// The kinds of coverage to which a limit can apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The share of instructions with a line.
    Lines,
    /// The share of instructions with a line of their own.
    Own,
    /// The share of instructions that inherit their line from the row of other code.
    Inherited,
    /// The share of the bytes of variables' scopes at which the variables have a location.
    Variables,
    /// The share of variables with a location, in a function that has no entry in `.debug_info`: it
    /// is 0.
    VariablesWithoutEntry,
}
