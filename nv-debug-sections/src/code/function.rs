//! A function in a code section.

use crate::cubin::{SectionIndex, SymbolIndex};

/// A function in a code section: `F` of `.text.F`, or one that ptxas has folded into a kernel's
/// section (`$kernel$function`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function<'c> {
    /// The name of the function's symbol, mangled as the compiler did.
    pub name: &'c str,
    /// The index of the function's symbol in its symbol table.
    pub symbol: SymbolIndex,
    /// The index of the code section that has the function.
    pub section: SectionIndex,
    /// Byte offset of the function in its code section.
    pub offset: u64,
    /// Size of the function in bytes, without the section's padding.
    pub size: u64,
    /// Whether the function is a kernel.
    pub kernel: bool,
}
