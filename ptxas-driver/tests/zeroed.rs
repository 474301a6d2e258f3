//! Nothing of a cubin's debug sections is copied: with their bytes gone, `--code cubin:FILE` makes
//! the same file.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support;
use crate::support::Entry;
use crate::support::driver;
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSection};
use std::collections::BTreeMap;
use std::fs;

/// Sections whose bytes the driver makes from the PTX and facts that stand elsewhere.
/// `.nv_debug_ptx_txt` has a suffix in relocatable files.
const MADE_FROM_PTX: &[&str] = &[
    ".debug_line",
    ".debug_info",
    ".debug_abbrev",
    ".debug_str",
    ".debug_pubnames",
    ".debug_pubtypes",
    ".debug_macinfo",
    ".nv_debug_ptx_txt",
];

/// Whether a section is in the list, as itself or as its Mercury copy.
fn is_made_from_ptx(name: &str) -> bool {
    let name = name.strip_prefix(".nv.merc").unwrap_or(name);
    MADE_FROM_PTX.contains(&name) || name.starts_with(".nv_debug_ptx_txt.")
}

/// File ranges to overwrite: name, start, end. Read with `object` alone, so that our own reader's
/// opinion does not count.
fn ranges(data: &[u8]) -> Vec<(String, usize, usize)> {
    let file = ElfFile64::<LittleEndian>::parse(data).unwrap();
    let sections = file.sections().filter_map(|section| {
        let name = section.name().unwrap();
        let (start, size) = section.file_range()?;
        is_made_from_ptx(name).then(|| (name.to_owned(), start as usize, (start + size) as usize))
    });
    sections.collect()
}

#[derive(Default)]
struct Tally {
    files: usize,
    /// Bytes overwritten, by section.
    overwritten: BTreeMap<String, usize>,
    differing: Vec<String>,
}

impl Tally {
    fn check(&mut self, entry: &Entry) {
        let folder = tempfile::tempdir().unwrap();
        let (code, output) = (folder.path().join("code.cubin"), folder.path().join("out.cubin"));
        let original = fs::read(entry.cubin.as_ref().unwrap()).unwrap();
        let make = |bytes: &[u8]| {
            fs::write(&code, bytes).unwrap();
            let mut command = driver::compile_entry(entry);
            driver::made(command.arg("--code").arg(driver::code_of(&code)), &output)
        };
        let expected = make(&original);
        // Zeros could be mistaken for an empty table, and a wrong byte for a right one: two
        // fillings.
        for filling in [|_| 0, |byte: u8| byte ^ 0xa5] {
            let mut damaged = original.clone();
            for (name, start, end) in ranges(&original) {
                damaged[start..end].iter_mut().for_each(|byte| *byte = filling(*byte));
                *self.overwritten.entry(name).or_default() += end - start;
            }
            assert_ne!(damaged, original, "{} has no debug bytes", entry.name());
            if make(&damaged) != expected {
                self.differing.push(entry.name());
            }
        }
        self.files += 1;
    }

    fn run(title: &str, entries: &[Entry]) {
        let mut tally = Self::default();
        for entry in entries {
            tally.check(entry);
        }
        println!(
            "{title}: {} of {} the same without debug bytes",
            tally.files - tally.differing.len(),
            tally.files
        );
        tally
            .overwritten
            .iter()
            .for_each(|(name, bytes)| println!("  {name:<20} {bytes:>9} bytes overwritten"));
        assert!(tally.files > 0);
        assert!(tally.differing.is_empty(), "debug bytes of the cubin were used: {:#?}", tally.differing);
    }
}

#[test]
fn sm_75_and_sm_80() {
    let entries = support::simple_pairs();
    Tally::run("sm_75 and sm_80", &entries);
}

#[test]
fn sm_90() {
    let entries = driver::sm_90_pairs();
    Tally::run("sm_90", &entries);
}

#[test]
fn sm_100_and_later() {
    let entries = driver::pairs(|sm| sm >= 100);
    Tally::run("sm_100 and later", &entries);
}
