//! Sections of cubins, and random ones, as gimli reads them, also where bytes are wrong.
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]
#![allow(clippy::print_stdout, reason = "how much was compared, or that it was skipped")]

#[path = "support/entries.rs"]
mod entries;
#[path = "support/expressions.rs"]
mod expressions;
#[path = "support/frames.rs"]
mod frames;
#[path = "support/lines.rs"]
mod lines;
#[path = "support/lists.rs"]
mod lists;
#[path = "support/outcome.rs"]
mod outcome;
#[path = "support/sections.rs"]
mod sections;
mod support;

use dwarf2_reader::{Format, aranges, frame, line, loc, macinfo, pubnames, ranges, strings};
use outcome::Outcome;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::collections::BTreeMap;
use support::{File, files, files_with};

#[test]
fn entries_of_cubins() {
    let mut count = 0;
    for file in files() {
        let (name, info, abbrev) = (&file.name, file.section(".debug_info"), file.section(".debug_abbrev"));
        assert_eq!(entries::compare(info, abbrev), Outcome::Same, "{name}");
        count += entries::ours(info, abbrev).0.len();
    }
    println!("entries: {count}");
    assert!(count >= 200, "{count}"); // of the repository alone
}

#[test]
fn expressions_of_cubins() {
    let mut count = 0;
    for file in files() {
        let name = &file.name;
        for item in loc::items(file.section(".debug_loc"), 0, |_| false) {
            let (_, loc::Item::Location { expression, .. }) = item.unwrap() else { continue };
            let outcome = expressions::compare(expression);
            assert!(matches!(outcome, Outcome::Same | Outcome::Known("a large register")), "{name}");
            count += 1;
        }
    }
    println!("expressions: {count}");
}

#[test]
fn frames_of_cubins() {
    let files = files_with(".debug_frame");
    let (mut counts, mut small) = (Outcomes::new(), 0);
    for file in &files {
        let section = file.section(".debug_frame");
        let outcome = frames::compare(section);
        assert!(matches!(outcome, Outcome::Same | Outcome::Known("a large register")), "{}", file.name);
        *counts.entry(outcome).or_default() += 1;
        let outcome = frames::compare(&with_small_registers(section));
        // Pointers in the FDEs of nvlink go past their CIE (docs/conformance.md, `.debug_frame`).
        let is_linked = file.name.ends_with("linked.cubin");
        let is_known = is_linked && outcome == Outcome::Known("an FDE that is not after its CIE");
        assert!(is_known || outcome == Outcome::Same, "{}: {outcome:?}", file.name);
        small += usize::from(outcome == Outcome::Same);
    }
    println!("frames: {counts:?}; with small registers the same: {small}");
    assert_enough(&files);
}

#[test]
fn lines_of_cubins() {
    let files = files_with(".debug_line");
    let mut count = 0;
    for file in &files {
        let section = file.section(".debug_line");
        assert_eq!(lines::compare(section), Outcome::Same, "{}", file.name);
        for item in line::units(section) {
            let (span, unit) = item.unwrap();
            let rows = lines::rows(&unit).unwrap();
            // gimli has line 0 where a line is moved below it; a line of more than 31 bits is
            // written as such a move.
            if rows.iter().any(|row| i32::try_from(row.line).is_err()) {
                continue;
            }
            assert!(rows == lines::gimli_rows(section, span.start).unwrap(), "{}: {span:x?}", file.name);
            count += rows.len();
        }
    }
    println!("lines: {count} rows of {} cubins", files.len());
    assert!(count >= 100, "{count}");
    assert_enough(&files);
}

/// A comparison of a section with lists, a look-up table, macros or strings, by the name of the
/// section.
type Comparison = (&'static str, fn(&[u8]) -> Outcome);

const LOCATIONS: Comparison = (loc::SECTION, lists::compare_locations);
const RANGES: Comparison = (ranges::SECTION, lists::compare_ranges);
const ADDRESSES: Comparison = (aranges::SECTION, lists::compare_addresses);
const NAMES: Comparison = (".debug_pubnames", |section| lists::compare_names(".debug_pubnames", section));
const TYPES: Comparison = (".debug_pubtypes", |section| lists::compare_names(".debug_pubtypes", section));
const MACROS: Comparison = (macinfo::SECTION, lists::compare_macros);
const STRINGS: Comparison = (strings::SECTION, lists::compare_strings);

/// How many entries, ends and headers a section has.
fn items(name: &'static str, section: &[u8]) -> usize {
    match name {
        loc::SECTION => loc::items(section, 0, |_| false).count(),
        ranges::SECTION => ranges::items(section, 0, |_| false).count(),
        aranges::SECTION => aranges::items(section, |_| false).count(),
        macinfo::SECTION => macinfo::items(section, 0).count(),
        strings::SECTION => strings::strings(section).count(),
        _ => pubnames::items(name, section).count(),
    }
}

#[test]
fn lists_and_tables_of_cubins() {
    let mut counts = BTreeMap::<_, (usize, usize)>::new();
    for file in files_with(".debug_frame") {
        for (name, compare) in [LOCATIONS, RANGES, ADDRESSES, NAMES, TYPES, MACROS, STRINGS] {
            let clone = format!(".nv.merc{name}");
            for section in [name, &clone].map(|name| file.section(name)).iter().filter(|s| !s.is_empty()) {
                assert_eq!(compare(section), Outcome::Same, "{}: {name} or its clone", file.name);
                let (sections, all) = counts.entry(name).or_default();
                (*sections, *all) = (*sections + 1, *all + items(name, section));
            }
        }
    }
    println!("sections and items: {counts:?}");
    let least = support::corpus_root::at_least(40);
    // No producer of the corpus writes ranges: they are of a test of `cubin-debuginfo`.
    let mut of_corpus = counts.iter().filter(|(name, _)| **name != ranges::SECTION);
    assert!(of_corpus.all(|(_, (sections, _))| *sections >= least), "{counts:?}");
    assert!(counts.contains_key(loc::SECTION) && counts.contains_key(strings::SECTION), "{counts:?}");
}

/// A section whose registers have no more than 16 bits, in as many bytes: gimli reads no others,
/// and NVIDIA's are larger.
fn with_small_registers(section: &[u8]) -> Vec<u8> {
    let mut changed = section.to_vec();
    for item in frame::entries(section) {
        let fields = match item.unwrap() {
            // After length, CIE_id and version.
            (span, frame::Entry::Cie(cie)) => {
                span.start + if cie.format == Format::Dwarf64 { 21 } else { 9 }..span.end
            }
            (_, frame::Entry::Fde(fde)) => fde.instructions,
        };
        let fields = &mut changed[fields.start as usize..fields.end as usize];
        // Whatever a number is of: only registers are so large.
        for number in fields.split_inclusive_mut(|byte| byte & 0x80 == 0).filter(|number| number.len() > 2) {
            let last = number.len() - 1;
            number[2] &= 0x83;
            number[3..].fill(0x80);
            number[last] &= 0x7f;
        }
    }
    changed
}

/// The corpus has hundreds of cubins.
fn assert_enough(files: &[File]) {
    let least = support::corpus_root::at_least(300);
    assert!(files.len() >= least, "{}", files.len());
}

/// How often each outcome was found.
type Outcomes = BTreeMap<Outcome, usize>;

fn assert_many(what: &str, counts: &Outcomes) {
    println!("changed {what}: {counts:?}");
    for outcome in [Outcome::Same, Outcome::Refused] {
        assert!(counts.get(&outcome).is_some_and(|count| *count > 500), "{what}: {counts:?}");
    }
}

/// Changes up to four bytes of a section.
fn change(section: &mut [u8], random: &mut fastrand::Rng) {
    for _ in 0..random.usize(1..=4) {
        let at = random.usize(..section.len());
        section[at] = if random.bool() { random.u8(..) } else { random.u8(0..0x20) };
    }
}

/// Up to four bytes of a section are changed, or it is cut, 10,000 times; `cuts` of 256 sections
/// are cut.
fn changed_sections(name: &str, mut sections: Vec<Vec<u8>>, compare: fn(&[u8]) -> Outcome, cuts: u8) {
    sections.retain(|section| !section.is_empty() && section.len() <= 20_000);
    let mut random = fastrand::Rng::with_seed(20_130_088);
    let mut counts = Outcomes::new();
    for round in 0..10_000 {
        let mut section = sections[round % sections.len()].clone();
        change(&mut section, &mut random);
        if random.u8(..) < cuts {
            section.truncate(random.usize(..section.len()));
        }
        *counts.entry(compare(&section)).or_default() += 1;
    }
    assert_many(name, &counts);
}

/// Sections of cubins, and 300 random ones that are the same to both readers. Many are cut: changed
/// bytes of a list are another list.
fn changed_lists((name, compare): Comparison, random: impl Strategy<Value = Vec<u8>>) {
    let mut runner = TestRunner::deterministic();
    let mut sections: Vec<_> = (0..300).map(|_| random.new_tree(&mut runner).unwrap().current()).collect();
    for section in &sections {
        assert_eq!(compare(section), Outcome::Same, "{name}: {section:x?}");
    }
    sections.extend(files_with(name).iter().map(|file| file.section(name).to_vec()));
    changed_sections(name, sections, compare, 64);
}

#[test]
fn changed_locations() {
    changed_lists(LOCATIONS, sections::locations());
}

#[test]
fn changed_ranges() {
    changed_lists(RANGES, sections::ranges());
}

#[test]
fn changed_addresses() {
    changed_lists(ADDRESSES, sections::addresses());
}

#[test]
fn changed_names() {
    changed_lists(NAMES, sections::names());
}

#[test]
fn changed_names_of_types() {
    changed_lists(TYPES, sections::names());
}

#[test]
fn changed_macros() {
    changed_lists(MACROS, sections::macros());
}

#[test]
fn changed_strings() {
    changed_lists(STRINGS, sections::strings());
}

/// One input for each difference that the comparisons list.
#[test]
fn known_differences_of_lists() {
    let names = |rest: &[u8]| {
        let header = b"\x02\0\0\0\0\0\x40\0\0\0\x0b\0\0\0k\0";
        [&[(header.len() + rest.len()) as u8, 0, 0, 0], &header[..], rest].concat()
    };
    let addresses = |version: u8, address_size: u8, rest: &[u8]| {
        let header = [version, 0, 0, 0, 0, 0, address_size, 0, 0, 0, 0, 0];
        [&[(header.len() + rest.len()) as u8, 0, 0, 0], &header[..], rest].concat()
    };
    let end: &[u8] = &[0; 4];
    let mut other_version = names(end);
    other_version[4] = 5;
    for (comparison, section, expected) in [
        (NAMES, names(end), Outcome::Same),
        (NAMES, names(&[0; 7]), Outcome::Same),
        (NAMES, names(&[0; 3]), Outcome::Refused),
        (NAMES, names(&[]), Outcome::Known("names without an end")),
        (NAMES, names(b"\0\0\0\0\x0b\0\0\0k\0"), Outcome::Known("bytes after the names of a set")),
        (NAMES, [names(end), vec![0; 2]].concat(), Outcome::Known("zeros between sets")),
        (NAMES, other_version, Outcome::Known("another version")),
        (ADDRESSES, addresses(2, 8, &[0; 32]), Outcome::Same),
        (ADDRESSES, addresses(3, 8, &[1; 16]), Outcome::Same),
        (ADDRESSES, addresses(2, 8, &[&[0; 16][..], &[1; 32]].concat()), Outcome::Same),
        (ADDRESSES, addresses(2, 8, &[1; 24]), Outcome::Known("a set that ends in a range")),
        (ADDRESSES, addresses(2, 4, &[0; 16]), Outcome::Known("addresses of another size")),
        (ADDRESSES, addresses(5, 8, &[0; 16]), Outcome::Known("another version")),
        (ADDRESSES, [addresses(2, 8, &[0; 16]), vec![0; 4]].concat(), Outcome::Known("zeros between sets")),
        (MACROS, b"\x04\0\x04\0".to_vec(), Outcome::Same),
        (MACROS, b"\x04\0\x04".to_vec(), Outcome::Known("a list without an end")),
        (MACROS, b"\x05\0".to_vec(), Outcome::Refused),
        (LOCATIONS, vec![1; 19], Outcome::Refused),
        (LOCATIONS, [&[1; 16][..], &[0; 2]].concat(), Outcome::Same),
        (RANGES, [[0; 16], [1; 16]].concat(), Outcome::Same),
        (STRINGS, b"a\0b".to_vec(), Outcome::Refused),
    ] {
        assert_eq!((comparison.1)(&section), expected, "{}: {section:x?}", comparison.0);
    }
}

/// Sets of 64-bit DWARF, which the writer does not write.
#[test]
fn tables_of_64_bits() {
    let addresses = [
        &b"\xff\xff\xff\xff\x34\0\0\0\0\0\0\0\x02\0\x40\0\0\0\x01\0\0\0\x08\0"[..],
        &[0; 8],
        &0x7000_u64.to_le_bytes(),
        &0x80_u64.to_le_bytes(),
        &[0; 16],
    ]
    .concat();
    assert_eq!((items(aranges::SECTION, &addresses), ADDRESSES.1(&addresses)), (4, Outcome::Same));
    let names = b"\xff\xff\xff\xff\x24\0\0\0\0\0\0\0\x02\0\x40\0\0\0\x01\0\0\0\x30\0\0\0\0\0\0\0\
                  \x0b\0\0\0\0\0\0\0k\0\0\0\0\0\0\0\0\0";
    assert_eq!((items(NAMES.0, names), NAMES.1(names)), (3, Outcome::Same));
    assert_eq!(TYPES.1(names), Outcome::Same);
}

#[test]
fn changed_frames() {
    let files = files_with(".debug_frame");
    let sections = files.iter().map(|file| with_small_registers(file.section(".debug_frame")));
    changed_sections(".debug_frame", sections.collect(), frames::compare, 10);
}

#[test]
fn changed_lines() {
    let files = files_with(".debug_line");
    let sections = files.iter().map(|file| file.section(".debug_line").to_vec());
    changed_sections(".debug_line", sections.collect(), lines::compare, 10);
}

/// Up to four bytes are changed or the section is cut, 10,000 times.
#[test]
fn changed_bytes() {
    let files = files();
    let mut random = fastrand::Rng::with_seed(20_130_088);
    let mut counts = Outcomes::new();
    for round in 0..10_000 {
        let file = &files[round % files.len()];
        let (mut info, mut abbrev) =
            (file.section(".debug_info").to_vec(), file.section(".debug_abbrev").to_vec());
        if info.is_empty() || abbrev.is_empty() || info.len() > 20_000 {
            continue;
        }
        for _ in 0..random.usize(1..=4) {
            let section = if random.u8(..) < 160 { &mut info } else { &mut abbrev };
            let at = random.usize(..section.len());
            section[at] = if random.bool() { random.u8(..) } else { random.u8(0..0x20) };
        }
        if random.u8(..) < 10 {
            info.truncate(random.usize(..info.len()));
        }
        *counts.entry(entries::compare(&info, &abbrev)).or_default() += 1;
    }
    assert_many(".debug_info", &counts);
}
