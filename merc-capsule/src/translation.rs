//! Symbols and code addresses of one space in the other.

use crate::address_map::Place;
use crate::code_map::CodeMap;
use crate::spaces::Spaces;
use nv_debug_sections::cubin::{Cubin, Symbol, SymbolIndex};

/// Leads from one space of a cubin to the other.
#[derive(Debug, Clone, Copy)]
pub struct Translation<'m> {
    symbols: &'m [Symbol],
    mercury_symbols: &'m [Symbol],
    spaces: &'m Spaces,
    maps: &'m [CodeMap],
}

/// A symbol and what is added to its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// In the symbol table of its space.
    pub symbol: SymbolIndex,
    /// Bytes.
    pub addend: i64,
}

/// Why a reference has no counterpart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Untranslatable {
    /// The symbol is in one space only.
    #[error("symbol {} is not in the other space", .0.0)]
    Symbol(SymbolIndex),
    /// The address map has no such address.
    #[error("{0:#x}, a {1:?}, is not in the address map")]
    Address(u64, Place),
    /// No function starts there.
    #[error("no function starts at {0:#x}")]
    Start(u64),
}

impl<'m> Translation<'m> {
    /// For this cubin. `maps` are those of its code sections, in their order.
    pub fn new(cubin: &'m Cubin<'_>, spaces: &'m Spaces, maps: &'m [CodeMap]) -> Self {
        Self { symbols: cubin.symbols(), mercury_symbols: cubin.mercury_symbols(), spaces, maps }
    }

    /// The counterparts.
    pub fn spaces(&self) -> &'m Spaces {
        self.spaces
    }

    /// The maps.
    pub fn maps(&self) -> &'m [CodeMap] {
        self.maps
    }

    /// The same reference in Mercury space, where it is no code address.
    ///
    /// # Errors
    ///
    /// The symbol has no counterpart.
    pub fn mercury_symbol(&self, symbol: SymbolIndex) -> Result<SymbolIndex, Untranslatable> {
        self.spaces.mercury_symbol(symbol).ok_or(Untranslatable::Symbol(symbol))
    }

    /// As [`mercury_symbol`](Self::mercury_symbol), the other way.
    ///
    /// # Errors
    ///
    /// The symbol has no counterpart.
    pub fn native_symbol(&self, symbol: SymbolIndex) -> Result<SymbolIndex, Untranslatable> {
        self.spaces.native_symbol(symbol).ok_or(Untranslatable::Symbol(symbol))
    }

    /// A native code address in Mercury space; of a symbol that is in no code section, the same addend.
    ///
    /// # Errors
    ///
    /// The symbol has no counterpart, or the map of its section lacks the address.
    pub fn to_mercury(&self, native: Reference, place: Place) -> Result<Reference, Untranslatable> {
        self.moved_to_mercury(native, |code, address| {
            let found = code.map.mercury(place, address).or_else(|| start_there(code, address));
            found.ok_or(Untranslatable::Address(address, place))
        })
    }

    /// A code address of Mercury space in the native one; of a symbol that is in no capsule, the same addend.
    ///
    /// # Errors
    ///
    /// The symbol has no counterpart, or the map of its section lacks the address.
    pub fn to_native(&self, mercury: Reference, place: Place) -> Result<Reference, Untranslatable> {
        self.moved_to_native(mercury, |code, address| {
            let found = code.map.native(place, address).or_else(|| start_here(code, address));
            found.ok_or(Untranslatable::Address(address, place))
        })
    }

    /// As [`to_mercury`](Self::to_mercury), of where a function starts.
    ///
    /// # Errors
    ///
    /// The symbol has no counterpart, or no function of its section starts there.
    pub fn start_to_mercury(&self, native: Reference) -> Result<Reference, Untranslatable> {
        self.moved_to_mercury(native, |code, address| {
            start_there(code, address).ok_or(Untranslatable::Start(address))
        })
    }

    /// As [`to_native`](Self::to_native), of where a function starts.
    ///
    /// # Errors
    ///
    /// The symbol has no counterpart, or no function of its section starts there.
    pub fn start_to_native(&self, mercury: Reference) -> Result<Reference, Untranslatable> {
        self.moved_to_native(mercury, |code, address| {
            start_here(code, address).ok_or(Untranslatable::Start(address))
        })
    }

    fn moved_to_mercury(
        &self,
        native: Reference,
        there: impl Fn(&CodeMap, u64) -> Result<u64, Untranslatable>,
    ) -> Result<Reference, Untranslatable> {
        let symbol = self.mercury_symbol(native.symbol)?;
        let (own, other) = (entry(self.symbols, native.symbol), entry(self.mercury_symbols, symbol));
        let Some(code) = own.section().and_then(|section| CodeMap::of(self.maps, section)) else {
            return Ok(Reference { symbol, addend: native.addend });
        };
        let found = there(code, own.value.wrapping_add_signed(native.addend))?;
        Ok(Reference { symbol, addend: found.wrapping_sub(other.value).cast_signed() })
    }

    fn moved_to_native(
        &self,
        mercury: Reference,
        here: impl Fn(&CodeMap, u64) -> Result<u64, Untranslatable>,
    ) -> Result<Reference, Untranslatable> {
        let symbol = self.native_symbol(mercury.symbol)?;
        let (own, other) = (entry(self.mercury_symbols, mercury.symbol), entry(self.symbols, symbol));
        let Some(code) = other.section().and_then(|section| CodeMap::of(self.maps, section)) else {
            return Ok(Reference { symbol, addend: mercury.addend });
        };
        let found = here(code, own.value.wrapping_add_signed(mercury.addend))?;
        Ok(Reference { symbol, addend: found.wrapping_sub(other.value).cast_signed() })
    }
}

fn start_there(code: &CodeMap, native: u64) -> Option<u64> {
    Some(code.function_at(native)?.mercury.value)
}

fn start_here(code: &CodeMap, mercury: u64) -> Option<u64> {
    Some(code.function_from(mercury)?.native)
}

fn entry(symbols: &[Symbol], number: SymbolIndex) -> Symbol {
    symbols.get(number.as_usize()).copied().unwrap_or_default()
}
