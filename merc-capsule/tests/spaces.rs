//! Counterparts in the corpus.
#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use merc_capsule::SectionPairs;
use nv_debug_sections::cubin::{Cubin, SymbolIndex};
use std::fs;

#[test]
fn symbols_pair_up_in_all_files() {
    let (mut files, mut symbols, mut alone) = (0, 0, 0);
    for path in support::cubins() {
        let bytes = fs::read(&path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        if !cubin.has_capsule() {
            continue;
        }
        files += 1;
        let spaces = SectionPairs::of(&cubin).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let names = cubin.symtab().unwrap();
        for number in (0..).map(SymbolIndex).take(cubin.symbols().len()) {
            symbols += 1;
            let name = cubin.symbol_name_in(names, number);
            if let Some(other) = spaces.mercury_symbol_of(number) {
                assert_eq!(spaces.native_symbol_of(other), Some(number));
            } else {
                alone += 1;
                assert!(name.starts_with(".nv.constant0."), "{}: {name}", path.display());
            }
        }
    }
    eprintln!("{files} files, {symbols} symbols, {alone} of them native only");
}
