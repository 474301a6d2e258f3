//! Kernels and device functions.

/// The kinds of function: a kernel, which the host launches, or a function that device code calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// `.entry`
    Entry,
    /// `.func`
    Func,
}
