//! Native sections from the capsules of the corpus.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use merc_capsule::finalise::Finaliser;
use merc_capsule::{AddressTranslator, SectionPairs, code_maps};
use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::cubin::DebugSection;
use std::collections::BTreeMap;
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
