//! Entries, frames, line programs and expressions of cubins as gimli reads them, also where bytes are wrong.
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
#[path = "support/outcome.rs"]
mod outcome;
mod support;

use dwarf2_reader::{Format, frame, line, loc};
use outcome::Outcome;
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
        // Pointers in the FDEs of nvlink go past their CIE: by 8 bytes in the second, by 16 in the third.
        let is_linked = file.name.ends_with("linked.cubin");
        let is_known = is_linked && outcome == Outcome::Known("an FDE that is not behind its CIE");
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
            // gimli has line 0 where a line is moved below it; a line of more than 31 bits is written as such a move.
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

/// A section whose registers have no more than 16 bits, in as many bytes: gimli reads no others, and NVIDIA's are larger.
fn with_small_registers(section: &[u8]) -> Vec<u8> {
    let mut changed = section.to_vec();
    for item in frame::entries(section) {
        let fields = match item.unwrap() {
            // Behind length, CIE_id and version.
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
    let least = if support::corpus().is_dir() { 300 } else { 5 };
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

/// Up to four bytes of a section are changed, or it is cut, 10,000 times.
fn changed_sections(name: &str, mut sections: Vec<Vec<u8>>, compare: fn(&[u8]) -> Outcome) {
    sections.retain(|section| section.len() <= 20_000);
    let mut random = fastrand::Rng::with_seed(20_130_088);
    let mut counts = Outcomes::new();
    for round in 0..10_000 {
        let mut section = sections[round % sections.len()].clone();
        change(&mut section, &mut random);
        if random.u8(..) < 10 {
            section.truncate(random.usize(..section.len()));
        }
        *counts.entry(compare(&section)).or_default() += 1;
    }
    assert_many(name, &counts);
}

#[test]
fn changed_frames() {
    let files = files_with(".debug_frame");
    let sections = files.iter().map(|file| with_small_registers(file.section(".debug_frame")));
    changed_sections(".debug_frame", sections.collect(), frames::compare);
}

#[test]
fn changed_lines() {
    let files = files_with(".debug_line");
    let sections = files.iter().map(|file| file.section(".debug_line").to_vec());
    changed_sections(".debug_line", sections.collect(), lines::compare);
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
