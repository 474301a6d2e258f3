//! Self-checks of the corpus, sound and damaged.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use merc_capsule::code_maps;
use merc_capsule::self_check::{Checked, Outcome, self_check};
use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::cubin::{Contents, Cubin, SectionIndex};
use object::{Object as _, ObjectSection as _};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use support::each_capsule;

fn kind(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Same => "same",
        Outcome::Different(_) => "different",
        Outcome::NotTold => "not told",
        Outcome::Missing => "missing",
    }
}

#[test]
fn the_corpus_checks_itself() {
    let mut counts: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let mut different = Vec::new();
    each_capsule(|path, cubin| {
        for Checked { native, outcome, .. } in self_check(cubin, None).unwrap() {
            let parts = if native.starts_with(".nv.") { 3 } else { 2 };
            let name = SectionName::parse(&native);
            let base = name.base.split('.').take(parts).collect::<Vec<_>>().join(".");
            let group = SectionName { base: base.into(), ..name }.to_string();
            *counts.entry((group, kind(&outcome))).or_default() += 1;
            if let Outcome::Different(words) = outcome {
                different.push(format!("{} {native}: {words}", path.display()));
            }
        }
    });
    for ((name, kind), count) in counts {
        eprintln!("{count:5} {kind:9} {name}");
    }
    assert!(different.is_empty(), "{} differ: {:#?}", different.len(), &different[..different.len().min(9)]);
}

/// Sections that the check tells about and that have bytes of their own: in the order of the file, with their ranges in it.
fn told<'c>(cubin: &'c Cubin<'_>, bytes: &[u8]) -> Vec<(&'c str, Range<usize>)> {
    let names: Vec<String> = self_check(cubin, None)
        .unwrap()
        .into_iter()
        .filter(|checked| checked.outcome == Outcome::Same)
        .map(|checked| checked.clone)
        .collect();
    let file = object::read::elf::ElfFile64::<object::LittleEndian>::parse(bytes).unwrap();
    let own = |index: SectionIndex| !matches!(cubin.section(index).unwrap().contents, Contents::Alias(_));
    cubin
        .iter()
        .filter(|(index, name, _)| names.iter().any(|told| told == name) && own(*index))
        .map(|(index, name, _)| {
            let section = file.section_by_index(object::SectionIndex(index.as_usize())).unwrap();
            let (start, size) = section.file_range().unwrap();
            (name, start as usize..(start + size) as usize)
        })
        .collect()
}

/// One byte of a section that is told about is another in each file.
#[test]
fn damage_is_found_in_its_section() {
    let mut random = 1_u64;
    let mut below = |bound: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % bound
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut missed = Vec::new();
    let files = each_capsule(|path, cubin| {
        let mut bytes = fs::read(path).unwrap();
        let maps = code_maps(cubin).unwrap();
        let told = told(cubin, &bytes);
        let (name, range) = &told[below(told.len())];
        let at = range.start + below(range.len().max(1));
        bytes[at] ^= 1 << below(8);
        let place = || format!("{} {name}+{:#x}", path.display(), at - range.start);
        let outcome = match Cubin::parse(&bytes).map(|damaged| self_check(&damaged, Some(&maps))) {
            Err(_) => "no cubin any more",
            Ok(Err(error)) if error.section() == *name || error.section().is_empty() => {
                "unreadable, and named"
            }
            Ok(Err(_)) => "unreadable, another is named",
            Ok(Ok(all)) => {
                let different = |checked: &&Checked| matches!(checked.outcome, Outcome::Different(_));
                let found: Vec<&str> = all.iter().filter(different).map(|checked| &*checked.clone).collect();
                if found.contains(name) {
                    "found"
                } else if found.is_empty() {
                    missed.push(place());
                    "not found"
                } else {
                    missed.push(format!("{} but {found:?}", place()));
                    "another is named"
                }
            }
        };
        *counts.entry(outcome).or_default() += 1;
    });
    eprintln!("{files} files: {counts:?}");
    // What is not told: where entries of rewritten sections apply, addends of code addresses, what native tables do not take over.
    let count = |outcome| counts.get(outcome).copied().unwrap_or(0);
    assert_eq!(count("another is named"), 0, "{missed:#?}");
    assert!(count("not found") * 5 <= files, "{missed:#?}");
}
