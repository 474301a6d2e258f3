//! Native line programs taken back to Mercury ones that lead to them.

#![allow(clippy::print_stderr, clippy::unwrap_used, reason = "counts must be seen; a panic is a failed test")]

mod corpus;

use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::line::{self, LineOp};
use nv_debug_sections::line_table::{
    AddressPair, EntryRow, Loc, LocId, LocatedInstruction, last_inlined_name, line_program_from_locs,
    mercury_to_native, native_to_mercury,
};
use nv_debug_sections::release::Release;
use nv_debug_sections::relocated::RelocatedCubin;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::collections::{BTreeMap, BTreeSet};

/// Whether a Mercury program is found, in a space where instructions are `scale` times as large,
/// and has the rows of the native one.
fn comes_back(native: &[LineOp], name: u32, starts: &[u64], scale: u64) -> Result<(), String> {
    let mut addresses: BTreeSet<u64> = starts.iter().copied().collect();
    addresses.extend(native.iter().filter_map(|op| match *op {
        LineOp::Row { address, .. } | LineOp::Advance(address) => Some(address),
        _ => None,
    }));
    let pairs: Vec<AddressPair> =
        addresses.into_iter().map(|native| AddressPair { native, mercury: native * scale }).collect();
    let mercury = native_to_mercury(native, name, &pairs, starts)
        .ok_or_else(|| format!("not found: {native:?} {starts:?}"))?;
    if mercury_to_native(&mercury, name, &pairs, starts, 0) != native {
        return Err(format!("leads elsewhere: {native:?}"));
    }
    Ok(())
}

#[test]
fn every_native_program_of_the_corpus() {
    let mut counts: BTreeMap<(&str, u64), [usize; 2]> = BTreeMap::new();
    let mut faults = Vec::new();
    let cubins = corpus::Cubins::open();
    for path in &cubins.paths {
        let bytes = corpus::file(path);
        let cubin = Cubin::parse(&bytes).unwrap();
        if cubin.header.sm() < 90 {
            continue;
        }
        let mut starts: BTreeMap<SectionIndex, BTreeSet<u64>> = BTreeMap::new();
        for (_, symbol) in cubin.functions() {
            if let Some(section) = symbol.section() {
                starts.entry(section).or_default().insert(symbol.value);
            }
        }
        for kind in [SectionKind::DebugLine, SectionKind::NvDebugLineSass] {
            let Some(index) = cubin.section_by_name(kind.name()) else { continue };
            let section = RelocatedCubin::new(&cubin).section(index).unwrap();
            for table in line::decode(kind.name(), &section.bytes).unwrap() {
                for sequence in &table.sequences {
                    let code = section.target(sequence.base_offset).and_then(|target| target.section);
                    let Some(code) = code else { continue };
                    let starts: Vec<u64> = starts.get(&code).into_iter().flatten().copied().collect();
                    for scale in [1, 2] {
                        let result = comes_back(&sequence.ops, 0, &starts, scale);
                        counts.entry((kind.name(), scale)).or_default()[usize::from(result.is_ok())] += 1;
                        if let Err(words) = result {
                            faults.push(format!(
                                "{} {} x{scale}: {words}",
                                path.display(),
                                cubin.section_name(code)
                            ));
                        }
                    }
                }
            }
        }
    }
    for ((table, scale), [different, same]) in counts {
        eprintln!("{table}, instructions {scale} times as large: {same} come back, {different} do not");
    }
    assert!(
        faults.is_empty(),
        "{}: {}",
        faults.len(),
        faults.iter().take(6).cloned().collect::<Vec<_>>().join("\n")
    );
}

prop_compose! {
    fn programs()(
        directives in prop::collection::vec((1_u32..4, 1_u32..30, 0_u32..4, prop::option::of(any::<prop::sample::Index>())), 1..16),
        code in prop::collection::vec((any::<prop::sample::Index>(), 1_u64..4), 1..40),
        entries in prop::collection::btree_map(0_u64..60, (any::<prop::sample::Index>(), any::<bool>()), 1..4),
        name in 0_u32..3,
    ) -> (Vec<Loc>, Vec<LocatedInstruction>, Vec<EntryRow>, u32) {
        let mut locs: Vec<Loc> = Vec::new();
        for (file, line, called, parent) in directives {
            let parent = parent.filter(|_| !locs.is_empty()).map(|index| LocId(index.index(locs.len()) as u32));
            locs.push(Loc { file, line, name: if parent.is_some() { 100 + called } else { 0 }, parent });
        }
        let mut address = 0;
        let located = code.iter().map(|(loc, step)| {
            let here = LocatedInstruction { address, loc: Some(LocId(loc.index(locs.len()) as u32)) };
            address += 16 * step;
            here
        }).collect();
        let entries = entries.iter().enumerate().map(|(number, (at, (loc, flagged)))| EntryRow {
            address: if number == 0 { 0 } else { 16 * at },
            loc: LocId(loc.index(locs.len()) as u32),
            flagged: *flagged,
        }).collect();
        (locs, located, entries, name)
    }
}

/// What `mercury_to_native` makes of the directives of random programs comes back. The programs are
/// the same each time: one in 350,000 does not.
#[test]
fn random_programs() {
    let config = ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let result = runner.run(&(programs(), 1_u64..3), |((locs, located, entries, name), scale)| {
        let mercury = line_program_from_locs(&locs, &located, &entries, Space::Mercury, Release::V13_0);
        let starts: Vec<u64> = entries.iter().map(|entry| entry.address).collect();
        let pairs: Vec<AddressPair> =
            (0..200).map(|at| AddressPair { native: 16 * at, mercury: 16 * at }).collect();
        let native = mercury_to_native(&mercury, name, &pairs, &starts, 0);
        comes_back(&native, last_inlined_name(&[], name), &starts, scale).map_err(TestCaseError::fail)
    });
    result.unwrap();
}
