//! Where kernel parameters start, by the cubins themselves: `EIATTR_PARAM_CBANK` in `.nv.info.F`
//! has the offset.
#![allow(clippy::print_stdout, reason = "the figures")]
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

mod corpus;

use nv_debug_sections::address_space::parameter_base;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::nv_info::{self, Attribute};
use std::collections::BTreeMap;
use std::path::Path;

/// Offsets of the `EIATTR_PARAM_CBANK` records of one section: their operands are a symbol (4
/// bytes), the offset in constant bank 0 (2) and the size (2).
fn parameter_offsets(info: &[u8]) -> Vec<u64> {
    let records = nv_info::decode(nv_info::NAME, info).unwrap();
    let banks = records.iter().filter(|record| record.attribute == Attribute::PARAM_CBANK);
    banks.map(|record| u64::from(record.symbol_and_number().unwrap().1 & 0xffff)).collect()
}

/// Counts records by SM, and checks each.
fn check(path: &Path, counts: &mut BTreeMap<u32, usize>) {
    let data = corpus::file(path);
    let Ok(cubin) = Cubin::parse(&data) else { return }; // the container's own tests count these
    let sm = cubin.header.sm();
    for (index, ..) in cubin.iter().filter(|(_, name, _)| name.starts_with(".nv.info.")) {
        for offset in parameter_offsets(&cubin.bytes(index).unwrap()) {
            assert_eq!(parameter_base(cubin.target()), offset, "{}: sm_{sm}", path.display());
            *counts.entry(sm).or_default() += 1;
        }
    }
}

#[test]
fn own_pairs_have_their_parameters_where_the_table_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptxas-driver/tests/pairs");
    let mut counts = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "cubin") {
            check(&path, &mut counts);
        }
    }
    println!("records by SM: {counts:?}");
    assert!([75, 80, 86, 90].iter().all(|sm| counts.contains_key(sm)), "{counts:?}");
}

#[test]
fn the_corpus_has_its_parameters_where_the_table_says() {
    let cubins = corpus::Cubins::open();
    let mut counts = BTreeMap::new();
    for path in &cubins.paths {
        check(path, &mut counts);
    }
    println!("records by SM: {counts:?}");
    assert!([75, 80, 90, 100, 120].iter().all(|sm| counts.contains_key(sm)), "{counts:?}");
}
