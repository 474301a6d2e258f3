//! Clones of the corpus, from the native sections.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use merc_capsule::clone::{Cloner, Lines};
use merc_capsule::{Spaces, Translation, code_maps};
use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::cubin::MercurySection;
use std::collections::BTreeMap;
use support::each_capsule;

#[test]
fn clones_are_made_again() {
    let mut counts: BTreeMap<(String, &str), [usize; 2]> = BTreeMap::new();
    let mut first = BTreeMap::new();
    each_capsule(|path, cubin| {
        let maps = code_maps(cubin).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let spaces = Spaces::of(cubin).unwrap();
        let translation = Translation::new(cubin, &spaces, &maps);
        let lines = Lines::of_tables(cubin, translation).unwrap();
        let cloner = Cloner::new(cubin, translation, &lines);
        let clones: BTreeMap<String, MercurySection> = cubin
            .mercury_sections()
            .unwrap()
            .into_iter()
            .map(|section| (section.native.clone(), section))
            .collect();
        for (index, name, section) in cubin.iter() {
            let parsed = SectionName::parse(name);
            if section.is_mercury() || parsed.form.is_some() || !parsed.is_debug() {
                continue;
            }
            let Some(there) = clones.get(&parsed.base.to_string()) else { continue };
            let group: String = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned();
            let mut count = |what, same: bool, words: String| {
                counts.entry((group.clone(), what)).or_default()[usize::from(same)] += 1;
                if !same {
                    first.entry((group.clone(), what)).or_insert(format!("{} {words}", path.display()));
                }
            };
            match cloner.section(index) {
                Ok(made) => {
                    let (a, b) = (
                        made.bytes.as_deref().unwrap_or_default(),
                        there.bytes.as_deref().unwrap_or_default(),
                    );
                    let at = a.iter().zip(b).position(|(a, b)| a != b);
                    count("bytes", made.bytes == there.bytes, format!("{at:x?} {:x} {:x}", a.len(), b.len()));
                    let at = made.rela.iter().zip(&there.rela).find(|(a, b)| a != b);
                    if !there.rela.is_empty() || !made.rela.is_empty() {
                        count(
                            "rela",
                            made.rela == there.rela,
                            format!("{at:x?} {} {}", made.rela.len(), there.rela.len()),
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
