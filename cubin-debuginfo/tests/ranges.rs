//! Code that `DW_AT_ranges` lists: [`Variables`], [`Coverage`] and [`verify`] beside gimli, which
//! gets the sections with the relocations that the crate `object` finds.
//!
//! `data/ranges.ptx` has lists of labels, of numbers, with entries that say from where numbers
//! count, and an empty one.
#![allow(clippy::unwrap_used)] // a panic is a failed test

use cubin_debuginfo::coverage::Coverage;
use cubin_debuginfo::entries::Entries;
use cubin_debuginfo::symbolize::Symbolizer;
use cubin_debuginfo::variables::Variables;
use cubin_debuginfo::verify::verify;
use gimli::{EndianSlice, LittleEndian};
use nv_debug_sections::cubin::Cubin;
use object::{
    Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags, RelocationTarget, SectionKind,
};
use std::collections::{BTreeMap, BTreeSet};

const FILES: [(&str, &[u8]); 3] = [
    ("sm_80", include_bytes!("data/ranges.sm_80.cubin")),
    ("sm_80 -c", include_bytes!("data/ranges.sm_80.c.cubin")),
    ("sm_100", include_bytes!("data/ranges.sm_100.cubin")),
];

/// A section whose addresses are the number of a code section, shifted by 32, and an offset in it.
fn relocated(file: &object::File<'_>, name: &str) -> Vec<u8> {
    let Some(section) = file.section_by_name(name) else { return Vec::new() };
    let mut bytes = section.data().unwrap().to_vec();
    for (at, relocation) in section.relocations() {
        let RelocationTarget::Symbol(symbol) = relocation.target() else { panic!("{relocation:?}") };
        let symbol = file.symbol_by_index(symbol).unwrap();
        let home = symbol.section_index().unwrap();
        let is_code = file.section_by_index(home).unwrap().kind() == SectionKind::Text;
        let base = if is_code { (home.0 as u64) << 32 } else { 0 };
        // R_CUDA_32 and R_CUDA_64.
        let RelocationFlags::Elf { r_type } = relocation.flags() else { panic!("{relocation:?}") };
        let width = match r_type.0 {
            1 => 4,
            2 => 8,
            other => panic!("{other:?}"),
        };
        let field = &mut bytes[at as usize..at as usize + width];
        let mut number = [0; 8];
        number[..width].copy_from_slice(field);
        let held = if relocation.has_implicit_addend() { u64::from_le_bytes(number) } else { 0 };
        let address = base + symbol.address() + held.wrapping_add_signed(relocation.addend());
        field.copy_from_slice(&address.to_le_bytes()[..width]);
    }
    bytes
}

/// By offset of an entry with `DW_AT_ranges`: the instructions of its code, as gimli reads them.
fn listed_by_gimli(bytes: &[u8]) -> BTreeMap<u64, BTreeSet<u64>> {
    let file = object::File::parse(bytes).unwrap();
    let sections: BTreeMap<_, _> = [".debug_abbrev", ".debug_info", ".debug_line", ".debug_ranges"]
        .map(|name| (name, relocated(&file, name)))
        .into();
    let dwarf = gimli::Dwarf::load(|id| {
        let bytes = sections.get(id.name()).map_or(&[][..], Vec::as_slice);
        Ok::<_, gimli::Error>(EndianSlice::new(bytes, LittleEndian))
    })
    .unwrap();
    let mut listed = BTreeMap::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next().unwrap() {
        let unit = dwarf.unit(header).unwrap();
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs().unwrap() {
            if entry.attr(gimli::DW_AT_ranges).is_none() {
                continue;
            }
            let mut code = BTreeSet::new();
            let mut ranges = dwarf.die_ranges(&unit, entry).unwrap();
            while let Some(range) = ranges.next().unwrap() {
                code.extend((range.begin..range.end).step_by(16));
            }
            let offset = entry.offset().to_debug_info_offset(&unit.header).unwrap();
            listed.insert(offset.0 as u64, code);
        }
    }
    listed
}

#[test]
fn scopes_have_the_code_that_gimli_reads() {
    for (name, bytes) in FILES {
        let expected = listed_by_gimli(bytes);
        let cubin = Cubin::parse(bytes).unwrap();
        let entries = Entries::read(&cubin).unwrap();
        let variables = Variables::read(&cubin, &entries).unwrap();
        let mut found = BTreeMap::new();
        for scope in variables.scopes() {
            let offset = entries.get(scope.entry).unwrap().offset();
            let of_range = |code: &cubin_debuginfo::variables::CodeRange| {
                let base = u64::from(code.section.0) << 32;
                (base + code.range.start..base + code.range.end).step_by(16)
            };
            let code: BTreeSet<u64> = scope.code.iter().flat_map(of_range).collect();
            if expected.contains_key(&offset) {
                found.insert(offset, code);
            }
        }
        assert!(found == expected, "{name}: {found:x?}, not {expected:x?}");
        // Two share the list of labels, whose code is in two pieces; one has none.
        let sizes: Vec<usize> = expected.values().map(BTreeSet::len).collect();
        assert_eq!((sizes.len(), sizes[0]), (5, sizes[1]), "{name}");
        assert_eq!(sizes[2..], [0, 2, 3], "{name}");

        // The first block has the only variable.
        let symbolizer = Symbolizer::new(&cubin).unwrap();
        let coverage = Coverage::of(&cubin, &symbolizer).unwrap();
        let locals =
            coverage.functions.iter().map(|function| (function.locals.all, function.locals.scope_bytes));
        let locals: Vec<(u64, u64)> = locals.filter(|(all, _)| *all > 0).collect();
        assert_eq!(locals, [(1, 16 * sizes[0] as u64)], "{name}");
    }
}

/// Numbers are places where what they count from is one.
#[test]
fn lists_of_numbers_are_in_order() {
    for (name, bytes) in FILES {
        let report = verify(&Cubin::parse(bytes).unwrap());
        let of_lists: Vec<String> = report
            .findings()
            .iter()
            .filter(|finding| finding.rule.code.starts_with('O'))
            .map(ToString::to_string)
            .collect();
        assert!(of_lists.is_empty(), "{name}: {of_lists:#?}");
    }
}
