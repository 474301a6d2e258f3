//! Translation of symbols and code addresses between native and Mercury space.

use crate::address_map::AddressRole;
use crate::code_map::CodeMap;
use crate::section_pairs::SectionPairs;
use nv_debug_sections::cubin::{Cubin, Symbol, SymbolIndex};

/// Translates symbols and code addresses of one cubin between native and Mercury space.
#[derive(Debug, Clone, Copy)]
pub struct AddressTranslator<'m> {
    symbols: &'m [Symbol],
    mercury_symbols: &'m [Symbol],
    section_pairs: &'m SectionPairs,
    maps: &'m [CodeMap],
}

/// A symbol, with the addend that a reference adds to its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolAndAddend {
    /// The index of the symbol in the symbol table of its space: `.symtab` or `.nv.merc.symtab`.
    pub symbol: SymbolIndex,
    /// The number of bytes to add to the symbol's value.
    pub addend: i64,
}

/// Why a symbol or a code address has no counterpart in the other space, native or Mercury.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Untranslatable {
    /// The other space has no symbol that corresponds to this one.
    #[error("symbol {} is not in the other space", .0.0)]
    Symbol(SymbolIndex),
    /// The address map of the code section has no pair for this address in this role.
    #[error("{0:#x}, a {1:?}, is not in the address map")]
    Address(u64, AddressRole),
    /// No function of the code section starts at this address.
    #[error("no function starts at {0:#x}")]
    Start(u64),
}

impl<'m> AddressTranslator<'m> {
    /// Creates the translator for a cubin. `maps` are the maps of its code sections, in the order
    /// of the sections.
    pub fn new(cubin: &'m Cubin<'_>, pairs: &'m SectionPairs, maps: &'m [CodeMap]) -> Self {
        Self {
            symbols: cubin.symbols(),
            mercury_symbols: cubin.mercury_symbols(),
            section_pairs: pairs,
            maps,
        }
    }

    /// The pairs of native and Mercury sections and symbols of the cubin.
    pub fn section_pairs(&self) -> &'m SectionPairs {
        self.section_pairs
    }

    /// The address maps of the code sections.
    pub fn maps(&self) -> &'m [CodeMap] {
        self.maps
    }

    /// Returns the Mercury symbol of a native symbol, for a reference that is not a code address.
    ///
    /// # Errors
    ///
    /// The symbol has no counterpart.
    pub fn symbol_to_mercury(&self, symbol: SymbolIndex) -> Result<SymbolIndex, Untranslatable> {
        self.section_pairs.mercury_symbol_of(symbol).ok_or(Untranslatable::Symbol(symbol))
    }

    /// Returns the native symbol of a Mercury symbol, for a reference that is not a code address.
    ///
    /// # Errors
    ///
    /// The symbol has no counterpart.
    pub fn symbol_to_native(&self, symbol: SymbolIndex) -> Result<SymbolIndex, Untranslatable> {
        self.section_pairs.native_symbol_of(symbol).ok_or(Untranslatable::Symbol(symbol))
    }

    /// Translates a symbol and addend that name a native code address to Mercury space. If the
    /// symbol is not in a code section, the addend stays the same.
    ///
    /// # Errors
    ///
    /// The symbol has no counterpart, or the map of its section lacks the address.
    pub fn native_to_mercury(
        &self,
        native: SymbolAndAddend,
        role: AddressRole,
    ) -> Result<SymbolAndAddend, Untranslatable> {
        self.translate_to_mercury(native, |code, address| {
            let found = code.map.mercury(role, address).or_else(|| mercury_start(code, address));
            found.ok_or(Untranslatable::Address(address, role))
        })
    }

    /// Translates a symbol and addend that name a Mercury code address to native space. If the
    /// symbol is not in a capsule, the addend stays the same.
    ///
    /// # Errors
    ///
    /// The symbol has no counterpart, or the map of its section lacks the address.
    pub fn mercury_to_native(
        &self,
        mercury: SymbolAndAddend,
        role: AddressRole,
    ) -> Result<SymbolAndAddend, Untranslatable> {
        self.translate_to_native(mercury, |code, address| {
            let found = code.map.native(role, address).or_else(|| native_start(code, address));
            found.ok_or(Untranslatable::Address(address, role))
        })
    }

    /// Translates the native start address of a function to Mercury space.
    ///
    /// # Errors
    ///
    /// The symbol has no counterpart, or no function of its section starts there.
    pub fn native_start_to_mercury(
        &self,
        native: SymbolAndAddend,
    ) -> Result<SymbolAndAddend, Untranslatable> {
        self.translate_to_mercury(native, |code, address| {
            mercury_start(code, address).ok_or(Untranslatable::Start(address))
        })
    }

    /// Translates the Mercury start address of a function to native space.
    ///
    /// # Errors
    ///
    /// The symbol has no counterpart, or no function of its section starts there.
    pub fn mercury_start_to_native(
        &self,
        mercury: SymbolAndAddend,
    ) -> Result<SymbolAndAddend, Untranslatable> {
        self.translate_to_native(mercury, |code, address| {
            native_start(code, address).ok_or(Untranslatable::Start(address))
        })
    }

    fn translate_to_mercury(
        &self,
        native: SymbolAndAddend,
        there: impl Fn(&CodeMap, u64) -> Result<u64, Untranslatable>,
    ) -> Result<SymbolAndAddend, Untranslatable> {
        let symbol = self.symbol_to_mercury(native.symbol)?;
        let (own, other) = (entry(self.symbols, native.symbol), entry(self.mercury_symbols, symbol));
        let Some(code) = own.section().and_then(|section| CodeMap::of(self.maps, section)) else {
            return Ok(SymbolAndAddend { symbol, addend: native.addend });
        };
        let found = there(code, own.value.wrapping_add_signed(native.addend))?;
        Ok(SymbolAndAddend { symbol, addend: found.wrapping_sub(other.value).cast_signed() })
    }

    fn translate_to_native(
        &self,
        mercury: SymbolAndAddend,
        here: impl Fn(&CodeMap, u64) -> Result<u64, Untranslatable>,
    ) -> Result<SymbolAndAddend, Untranslatable> {
        let symbol = self.symbol_to_native(mercury.symbol)?;
        let (own, other) = (entry(self.mercury_symbols, mercury.symbol), entry(self.symbols, symbol));
        let Some(code) = other.section().and_then(|section| CodeMap::of(self.maps, section)) else {
            return Ok(SymbolAndAddend { symbol, addend: mercury.addend });
        };
        let found = here(code, own.value.wrapping_add_signed(mercury.addend))?;
        Ok(SymbolAndAddend { symbol, addend: found.wrapping_sub(other.value).cast_signed() })
    }
}

fn mercury_start(code: &CodeMap, native: u64) -> Option<u64> {
    Some(code.function_at_native(native)?.mercury.value)
}

fn native_start(code: &CodeMap, mercury: u64) -> Option<u64> {
    Some(code.function_at_mercury(mercury)?.native)
}

fn entry(symbols: &[Symbol], number: SymbolIndex) -> Symbol {
    symbols.get(number.as_usize()).copied().unwrap_or_default()
}
