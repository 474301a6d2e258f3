//! Addresses that are known already, or only once a symbol is placed.

/// The id of a symbol. The caller chooses it, and finds it again in the relocations.
///
/// A caller whose relocation types depend on the place of use, not only on the field's width, gives
/// the same symbol one id for each use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub u32);

/// An address of the target program, or an offset in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Address {
    /// An address or offset that is known now.
    Constant(u64),
    /// An address or offset that counts from a symbol: the symbol's value plus `addend`. It is
    /// known once a linker has placed the symbol.
    Symbol {
        /// The symbol from which the address counts.
        symbol: SymbolId,
        /// Bytes beyond the symbol.
        addend: i64,
    },
}

impl core::fmt::Display for Address {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Constant(address) => write!(f, "{address:#x}"),
            Self::Symbol { symbol, addend } => write!(f, "symbol {} {addend:+}", symbol.0),
        }
    }
}

impl From<u32> for Address {
    /// An offset in a section that is known now.
    fn from(offset: u32) -> Self {
        Self::Constant(offset.into())
    }
}

impl Address {
    /// Returns the value that the field has before relocation: the constant, or the addend.
    pub(crate) const fn in_place(self) -> u64 {
        match self {
            Self::Constant(address) => address,
            Self::Symbol { addend, .. } => addend as u64,
        }
    }
}
