//! Pairs each native section of a cubin with its Mercury clone, and each symbol with that of
//! `.nv.merc.symtab`.

use crate::clone_policy::merc_name;
use foldhash::{HashMap, HashMapExt as _};
use nv_debug_sections::cubin::{Cubin, SectionIndex, SymbolIndex};
use nv_debug_sections::{Error, ErrorKind, Result};
use std::collections::VecDeque;

/// The pairs of native and Mercury sections, and of native and Mercury symbols, of one cubin.
///
/// A section and its clone belong together by name. Files that nvlink wrote have several sections
/// of one name: these belong together in file order. Symbols belong together in the order of both
/// tables; the Mercury table lacks some (docs/formats/capsule.md, symbols).
#[derive(Debug, Clone)]
pub struct SectionPairs {
    mercury_section: HashMap<SectionIndex, SectionIndex>,
    native_section: HashMap<SectionIndex, SectionIndex>,
    mercury_symbol: Vec<Option<SymbolIndex>>,
    native_symbol: Vec<SymbolIndex>,
}

impl SectionPairs {
    /// Finds for each section and symbol of a cubin its Mercury clone.
    ///
    /// # Errors
    ///
    /// That of [`Cubin::check_name_expansion`]; a symbol of `.nv.merc.symtab` is none of the native
    /// ones, or not in their order.
    pub fn of(cubin: &Cubin<'_>) -> Result<Self> {
        let mut pairs = Self::of_sections(cubin)?;
        pairs.pair_symbols(cubin)?;
        Ok(pairs)
    }

    /// Finds only the pairs of sections, for a file that has no Mercury symbols yet.
    ///
    /// # Errors
    ///
    /// That of [`Cubin::check_name_expansion`].
    pub fn of_sections(cubin: &Cubin<'_>) -> Result<Self> {
        cubin.check_name_expansion()?;
        let mut clones: HashMap<&str, VecDeque<SectionIndex>> = HashMap::new();
        for (index, name, _) in cubin.iter().filter(|(_, _, section)| section.is_mercury()) {
            clones.entry(name).or_default().push_back(index);
        }
        let mut mercury_section = HashMap::new();
        for (index, name, _) in cubin.iter().filter(|(_, _, section)| !section.is_mercury()) {
            let clone = merc_name(name).and_then(|clone| clones.get_mut(&*clone)?.pop_front());
            mercury_section.extend(clone.map(|clone| (index, clone)));
        }
        let native_section = mercury_section.iter().map(|(native, mercury)| (*mercury, *native)).collect();
        Ok(Self { mercury_section, native_section, mercury_symbol: Vec::new(), native_symbol: Vec::new() })
    }

    fn pair_symbols(&mut self, cubin: &Cubin<'_>) -> Result<()> {
        let (Some(native), Some(mercury)) = (cubin.symtab(), cubin.mercury_symtab()) else { return Ok(()) };
        let (own, others) = (cubin.symbols_of(native), cubin.symbols_of(mercury));
        self.mercury_symbol.reserve(own.len());
        self.native_symbol.reserve(others.len());
        let mut others = (0..).zip(others).peekable();
        for (number, symbol) in (0..).zip(own) {
            let name = cubin.symbol_name_in(native, SymbolIndex(number));
            let section = symbol.section();
            let is_same = |other: &(u32, &nv_debug_sections::cubin::Symbol)| {
                let (number, other) = *other;
                // Section symbols have the name of the clone, less its prefix.
                let by_section = || {
                    section.map(|section| self.mercury_section(section).unwrap_or(section)) == other.section()
                };
                if symbol.is_section() && other.is_section() && section.is_some() {
                    by_section()
                } else {
                    name == cubin.symbol_name_in(mercury, SymbolIndex(number))
                }
            };
            let other = others.next_if(is_same).map(|(number, _)| SymbolIndex(number));
            self.mercury_symbol.push(other);
            self.native_symbol.extend(other.map(|_| SymbolIndex(number)));
        }
        match others.next() {
            None => Ok(()),
            Some((number, _)) => {
                let name = cubin.symbol_name_in(mercury, SymbolIndex(number));
                let text = format!("symbol {number}, {name}, is none of .symtab in its order there");
                Err(Error::in_section(cubin.section_name(mercury), ErrorKind::NoCounterpart(text)))
            }
        }
    }

    /// Returns the Mercury section of a native section: its clone, or for a code section its code
    /// capsule.
    pub fn mercury_section(&self, native: SectionIndex) -> Option<SectionIndex> {
        self.mercury_section.get(&native).copied()
    }

    /// Returns the native section that belongs to a Mercury section: to a clone, or to a code
    /// capsule.
    pub fn native_section(&self, mercury: SectionIndex) -> Option<SectionIndex> {
        self.native_section.get(&mercury).copied()
    }

    /// Returns the symbol in `.nv.merc.symtab` that corresponds to a symbol of `.symtab`.
    pub fn mercury_symbol_of(&self, native: SymbolIndex) -> Option<SymbolIndex> {
        self.mercury_symbol.get(native.as_usize()).copied().flatten()
    }

    /// Returns the symbol in `.symtab` that corresponds to a symbol of `.nv.merc.symtab`.
    pub fn native_symbol_of(&self, mercury: SymbolIndex) -> Option<SymbolIndex> {
        self.native_symbol.get(mercury.as_usize()).copied()
    }
}
