//! Counterparts in the corpus.
#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use merc_capsule::Spaces;
use nv_debug_sections::cubin::{Cubin, SymbolIndex};
use std::fs;

#[test]
fn symbols_pair_up() {
    let (mut files, mut symbols, mut alone) = (0, 0, 0);
    for path in support::cubins() {
        let bytes = fs::read(&path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        if !cubin.has_capsule() {
            continue;
        }
        files += 1;
        match Spaces::of(&cubin) {
            Ok(spaces) => {
                for number in (0..).take(cubin.symbols().len()) {
                    symbols += 1;
                    if spaces.mercury_symbol(SymbolIndex(number)).is_none() {
                        alone += 1;
                        let name = cubin.symbol_name(SymbolIndex(number));
                        if !name.starts_with(".nv.constant0") {
                            eprintln!("{} {name}", path.display());
                        }
                    }
                }
            }
            Err(error) => eprintln!("{}: {error}", path.display()),
        }
    }
    eprintln!("{files} files, {symbols} symbols, {alone} alone");
}
