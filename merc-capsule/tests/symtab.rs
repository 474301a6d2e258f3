//! Mercury symbols made of the native ones, against those of the corpus.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use merc_capsule::symtab::build_mercury_symtab;
use merc_capsule::{SectionPairs, code_maps};
use nv_debug_sections::cubin::SymbolIndex;
use support::each_capsule;

#[test]
fn symbols_are_those_of_the_corpus() {
    let mut equal = 0;
    let mut first = None;
    let files = each_capsule(|path, cubin| {
        // Where functions are is the code generator's choice: as the capsule has it.
        let maps = code_maps(cubin).unwrap();
        let made = build_mercury_symtab(cubin, &SectionPairs::of(cubin).unwrap(), &maps)
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
