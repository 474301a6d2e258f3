//! Native sections from the capsules of the corpus.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use merc_capsule::finalise::Finaliser;
use merc_capsule::{AddressTranslator, SectionPairs, code_maps};
use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::cubin::{Cubin, DebugSection};
use nv_debug_sections::reg_sass;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use support::each_capsule;

#[test]
fn native_sections_come_back() {
    let mut counts: BTreeMap<(String, &str), [usize; 2]> = BTreeMap::new();
    let mut first = BTreeMap::new();
    each_capsule(|path, cubin| {
        let maps = code_maps(cubin).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let spaces = SectionPairs::of(cubin).unwrap();
        let finaliser = Finaliser::new(cubin, AddressTranslator::new(cubin, &spaces, &maps));
        let natives: BTreeMap<String, DebugSection> = cubin
            .debug_sections()
            .unwrap()
            .into_iter()
            .map(|section| (section.name.clone(), section))
            .collect();
        for (index, name, section) in cubin.iter() {
            let parsed = SectionName::parse(name);
            if !section.is_mercury() || parsed.form.is_some() || !parsed.is_debug() {
                continue;
            }
            let native = &natives[&parsed.base.to_string()];
            let group: String =
                native.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned();
            let mut count = |what, same: bool, words: String| {
                counts.entry((group.clone(), what)).or_default()[usize::from(same)] += 1;
                if !same {
                    first.entry((group.clone(), what)).or_insert(format!("{} {words}", path.display()));
                }
            };
            match finaliser.section(index) {
                Ok(made) => {
                    let at = made.bytes.iter().zip(&native.bytes).position(|(a, b)| a != b);
                    count(
                        "bytes",
                        made.bytes == native.bytes,
                        format!("{at:x?} {:x} {:x}", made.bytes.len(), native.bytes.len()),
                    );
                    let at = made.rela.iter().zip(&native.rela).find(|(a, b)| a != b);
                    if !native.rela.is_empty() || !made.rela.is_empty() {
                        count(
                            "rela",
                            made.rela == native.rela,
                            format!("{at:x?} {} {}", made.rela.len(), native.rela.len()),
                        );
                    }
                }
                Err(error) => count("error", false, error.to_string()),
            }
        }
    });
    for ((name, what), [different, same]) in &counts {
        eprintln!("{name} {what}: {same} same, {different} different");
    }
    for f in &first {
        eprintln!("{f:?}");
    }
    assert!(first.is_empty());
}

/// ptxas 13.0.88 wrote 0xffffffff where the code that sets the register has no native instruction.
#[test]
fn a_range_without_native_start_comes_back() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../cubin-debuginfo/tests/data/range_without_start.sm_100.cubin");
    let bytes = fs::read(path).unwrap();
    let cubin = Cubin::parse(&bytes).unwrap();
    let maps = code_maps(&cubin).unwrap();
    let spaces = SectionPairs::of(&cubin).unwrap();
    let translator = AddressTranslator::new(&cubin, &spaces, &maps);
    let finaliser = Finaliser::new(&cubin, translator);
    let starts = |bytes: &[u8]| -> Vec<u32> {
        let functions = reg_sass::decode(bytes).unwrap().into_iter();
        functions.flat_map(|function| function.ranges).map(|range| range.start).collect()
    };
    let clone = cubin.section_by_name(".nv.merc.nv_debug_info_reg_sass").unwrap();
    let native = cubin.section_by_name(".nv_debug_info_reg_sass").unwrap();
    let made = finaliser.section(clone).unwrap().bytes;
    let open = starts(&made).into_iter().filter(|start| *start == 0xffff_ffff);
    assert!(open.count() > 0);
    assert!(starts(&cubin.bytes(clone).unwrap()).into_iter().all(|start| start != 0xffff_ffff));
    assert!(made == *cubin.bytes(native).unwrap());
}
