//! The debug options of ptxas.

/// The debug options of ptxas, which decide what it checks: none, `-lineinfo` or `-g`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// ptxas runs without debug options.
    None,
    /// ptxas runs with `-lineinfo`.
    Lineinfo,
    /// ptxas runs with `-g`, or with any options on a module with `.target ..., debug`.
    G,
}
