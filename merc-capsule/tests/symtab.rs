//! Mercury symbols made of the native ones, against those of the corpus.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use merc_capsule::symtab::{MercuryFunction, symbols};
use nv_debug_sections::cubin::{Cubin, SectionIndex, Symbol, SymbolIndex};
use std::collections::HashMap;
use support::each_capsule;

/// Where functions are is the code generator's choice: as the capsule has it, by section and name.
fn functions(cubin: &Cubin<'_>) -> HashMap<SymbolIndex, MercuryFunction> {
    let (native, mercury) = (cubin.symtab().unwrap(), cubin.mercury_symtab().unwrap());
    let all = |table: SectionIndex| {
        let symbols = (0..).zip(cubin.symbols_of(table)).filter(|(_, symbol)| symbol.is_function());
        symbols.map(move |(number, symbol)| {
            let number = SymbolIndex(number);
            (cubin.symbol_name_in(table, number), number, *symbol)
        })
    };
    let there: HashMap<&str, Symbol> = all(mercury).map(|(name, _, symbol)| (name, symbol)).collect();
    let place = |(name, number, _)| {
        let symbol = there.get(name)?;
        Some((number, MercuryFunction { value: symbol.value, size: symbol.size }))
    };
    all(native).filter_map(place).collect()
}

#[test]
fn symbols_are_those_of_the_corpus() {
    let mut equal = 0;
    let mut first = None;
    let files = each_capsule(|path, cubin| {
        let places = functions(cubin);
        let made = symbols(cubin, |number| places.get(&number).copied())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let found = cubin.mercury_symbols();
        if made == found {
            equal += 1;
        } else if first.is_none() {
            let at = made.iter().zip(found).position(|(a, b)| a != b);
            let name =
                at.map(|at| cubin.symbol_name_in(cubin.mercury_symtab().unwrap(), SymbolIndex(at as u32)));
            first = Some(format!(
                "{}: {} for {} symbols, {name:?}: {:?} for {:?}",
                path.display(),
                made.len(),
                found.len(),
                at.map(|at| made[at]),
                at.map(|at| found[at])
            ));
        }
    });
    eprintln!("{equal} of {files} symbol tables are equal");
    assert_eq!(equal, files, "{first:?}");
}
