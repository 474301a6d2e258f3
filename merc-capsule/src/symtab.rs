//! `.nv.merc.symtab`: the symbols of a cubin in Mercury space.

use crate::clone_policy::merc_name;
use crate::code_map::CodeMap;
pub use crate::code_map::MercuryFunction;
use crate::section_pairs::SectionPairs;
use foldhash::{HashMap, HashMapExt as _};
use nv_debug_sections::address_space::shared_window_reserve;
use nv_debug_sections::catalog::{MERCURY_PREFIX, SectionKind};
use nv_debug_sections::cubin::{Cubin, SectionIndex, StringTable, Symbol, SymbolIndex, sht};
use nv_debug_sections::{Error, ErrorKind, Result};
use std::cell::OnceCell;

/// `STT_OBJECT`, which variables of whole programs have.
const OBJECT: u8 = 1;

/// Sections of shared memory that the tools reserve; their variables count from its start.
const RESERVED: &str = ".nv.shared.reserved.";

/// What `st_other` says of a variable with NVIDIA's type, by the beginning of its section's name.
const SPACES: [(&str, u8); 5] = [
    (RESERVED, 0xa0),
    (".nv.global", Symbol::CUDA_GLOBAL),
    (".nv.shared", Symbol::CUDA_SHARED),
    (SectionKind::NvDebugShared.name(), Symbol::CUDA_SHARED),
    (".nv.constant", Symbol::CUDA_CONSTANT),
];

/// Whether a symbol of `.symtab` is in `.nv.merc.symtab` too: all but the section symbols of
/// `.nv.constant0.F` without a clone. `section` is the name of its section.
fn has_counterpart(cubin: &Cubin<'_>, symbol: &Symbol, section: &str) -> bool {
    if !symbol.is_section() || !section.starts_with(".nv.constant0.") {
        return true;
    }
    merc_name(section).is_some_and(|clone| cubin.section_by_name(&clone).is_some())
}

/// The numbers in `.nv.merc.symtab` of all symbols of `.symtab`, for a file that has yet to get the
/// former.
pub(crate) fn mercury_symbol_numbers(cubin: &Cubin<'_>) -> Vec<Option<SymbolIndex>> {
    let mut next = 0;
    let number = |symbol: &Symbol| {
        let section = symbol.section().map(|section| cubin.section_name(section)).unwrap_or_default();
        has_counterpart(cubin, symbol, section).then(|| {
            next += 1;
            SymbolIndex(next - 1)
        })
    };
    cubin.symbols().iter().map(number).collect()
}

/// Builds the symbols of `.nv.merc.symtab`, beginning with the null symbol, for a file that has the
/// clones of its sections already.
///
/// They are those of `.symtab` in the same order, but for the section symbols of `.nv.constant0.F`,
/// which seldom has a clone. What is in a section with a clone is in the clone; functions are where
/// `maps` say; what is reserved of shared memory counts nothing. Section symbols of clones that
/// have names of their own have these, without `.nv.merc` (docs/formats/capsule.md, symbols;
/// observed: ptxas 13.0.88).
///
/// # Errors
///
/// There is no `.symtab`, `maps` have no place for a function with a capsule, or `.strtab` lacks
/// the name of a clone.
pub fn build_mercury_symtab(
    cubin: &Cubin<'_>,
    pairs: &SectionPairs,
    maps: &[CodeMap],
) -> Result<Vec<Symbol>> {
    let functions = maps.iter().flat_map(|code| &code.functions);
    let functions: HashMap<SymbolIndex, MercuryFunction> =
        functions.map(|function| (function.symbol, function.mercury)).collect();
    let fault = |kind| Error::in_section(".symtab", kind);
    let symtab = cubin
        .symtab()
        .ok_or_else(|| fault(ErrorKind::Missing("there is none to make Mercury symbols of".into())))?;
    let strings = cubin.strings(SectionIndex(cubin.section(symtab)?.link));
    // Offsets of names, once one is looked for.
    let own_names: OnceCell<HashMap<&str, u32>> = OnceCell::new();
    let first = (0..).map(SymbolIndex).zip(cubin.symbols_of(symtab));
    let first =
        first.filter(|(number, _)| cubin.symbol_name_in(symtab, *number) == ".nv.reservedSmem.offset0");
    let reserved_start = first.map(|(_, symbol)| symbol.value).next().unwrap_or(0);
    let reserved = shared_window_reserve(cubin.target());
    // Before addresses are given, values are alignments, and sections are of NVIDIA's types.
    let has_address = |symbol: &Symbol| {
        let section = symbol.section().and_then(|section| cubin.section(section).ok());
        section.is_some_and(|section| section.sh_type != sht::CUDA_SHARED_RESERVED)
    };
    let mut all = Vec::with_capacity(cubin.symbols_of(symtab).len());
    for (number, symbol) in (0..).zip(cubin.symbols_of(symtab)) {
        let name = cubin.symbol_name_in(symtab, SymbolIndex(number));
        let section = symbol.section().map(|section| cubin.section_name(section)).unwrap_or_default();
        if !has_counterpart(cubin, symbol, section) {
            continue;
        }
        let clone = symbol.section().and_then(|section| pairs.mercury_section(section));
        let mut mercury = *symbol;
        if let Some(index) = clone {
            mercury.shndx = index.0;
            let own_name = cubin
                .section_name(index)
                .strip_prefix(MERCURY_PREFIX)
                .filter(|own| *own != section && !symbol.is_function());
            if let Some(own) = own_name.filter(|_| symbol.is_section()) {
                let names = own_names.get_or_init(|| {
                    let mut names = HashMap::new();
                    for (offset, name) in strings.into_iter().flat_map(StringTable::entries) {
                        names.entry(name).or_insert(offset);
                    }
                    names
                });
                let offset = names.get(own).copied();
                mercury.name = offset
                    .ok_or_else(|| fault(ErrorKind::Missing(format!(".strtab has no name {own}").into())))?;
            }
        }
        if symbol.is_function() && clone.is_some() {
            let place = functions.get(&SymbolIndex(number)).copied();
            let place = place.ok_or_else(|| {
                fault(ErrorKind::NoCounterpart(format!("function {name} has no place in Mercury code")))
            })?;
            (mercury.value, mercury.size) = (place.value, place.size);
        } else if name.starts_with(".nv.reservedSmem.") {
            mercury.value = 0;
        } else if section.starts_with(RESERVED) && symbol.kind() != Symbol::CUDA_OBJECT && has_address(symbol)
        {
            mercury.value = symbol.value.saturating_sub(reserved_start);
        }
        let space = SPACES.iter().find(|(stem, _)| section.starts_with(stem));
        if let Some((_, mark)) = space.filter(|_| symbol.kind() == OBJECT) {
            mercury.info = symbol.binding() << 4 | Symbol::CUDA_OBJECT;
            mercury.other |= mark;
            if *mark == Symbol::CUDA_SHARED {
                mercury.value = symbol.value.saturating_sub(reserved);
            }
        }
        all.push(mercury);
    }
    Ok(all)
}
