//! Fuzz target: a file as a cubin. What can be parsed can be written, and reads as the same values.
//!
//! It is written within 4 times the size and 64 KiB. Relocating never panics. A file takes its own
//! debug sections unchanged, and none.

use crate::Target;
use crate::seeds::files;
use std::collections::HashSet;

use nv_debug_sections::catalog::{SectionKind, SectionName, is_debug_section};
use nv_debug_sections::cubin::{Contents, Cubin, DebugSection, Relocation, Section, SectionIndex};
use nv_debug_sections::level::compare::compare;
use nv_debug_sections::level::detected::DetectedLevel;
use nv_debug_sections::relocated::RelocatedCubin;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(5_000, 200);
    target.run_on_damaged(60_000, &files("cubin"));
}

/// Takes `data` apart, if it is a cubin, writes it and edits it.
pub(crate) fn run(data: &[u8]) {
    let Ok(cubin) = Cubin::parse(data) else { return };
    assert!(cubin.sections.iter().map(stored).sum::<usize>() <= data.len());
    let written = cubin.write().expect("what was parsed can be written");
    assert!(written.len() <= data.len() * 4 + 64 * 1024, "{} bytes from {}", written.len(), data.len());
    assert_eq!(reread(&written), cubin);
    check_relocated(&cubin);
    check_expected(&cubin);
    check_edit(&cubin, Vec::new(), false);
    let (own, is_all) = own_sections(&cubin);
    check_edit(&cubin, own, is_all);
    check_strip(&cubin);
}

/// Bytes of the file that the values of a section stand for.
fn stored(section: &Section<'_>) -> usize {
    match &section.contents {
        Contents::Bytes(bytes) => bytes.len(),
        Contents::Strings(table) => table.as_bytes().len(),
        Contents::Symbols(symbols) => symbols.len() * 24,
        Contents::Relocations(all) => all.iter().map(|r| if r.addend.is_some() { 24 } else { 16 }).sum(),
        Contents::NoBits(_) | Contents::Alias(_) => 0,
    }
}

/// The file that was written can be read, and makes the same file again.
fn reread(written: &[u8]) -> Cubin<'_> {
    let again = Cubin::parse(written).expect("what was written can be parsed");
    assert!(again.write().expect("what was parsed can be written") == written);
    again
}

fn check_relocated(cubin: &Cubin<'_>) {
    let view = RelocatedCubin::new(cubin);
    for index in (0..cubin.sections.len() as u32).map(SectionIndex) {
        let raw = cubin.bytes(index).expect("aliases were checked by `parse`");
        let Ok(section) = view.section(index) else { continue };
        assert_eq!(section.bytes.len(), raw.len());
        let mut at = 0;
        for field in section.fields() {
            assert!(at <= field.offset, "{field:?} overlaps");
            at = field.offset + u64::from(field.width);
            assert_eq!(section.target(field.offset), Some(&field.target));
        }
        assert!(at <= raw.len() as u64);
    }
    for (index, _) in cubin.functions() {
        let _ = cubin.symbol_name(index);
    }
}

/// Names come back, and what is said to be missing or extra is.
fn check_expected(cubin: &Cubin<'_>) {
    let names: HashSet<&str> = cubin.iter().map(|(_, name, _)| name).collect();
    assert!(names.iter().all(|name| SectionName::parse(name).to_string() == **name));
    let expected = DetectedLevel::of(cubin).expected();
    let comparison = compare(cubin, &expected);
    assert!(comparison.missing.iter().all(|name| !names.contains(&*name.to_string())));
    for index in &comparison.extra {
        let text = cubin.section_name(*index);
        let name = SectionName::parse(text);
        let is_expected = expected.iter().any(|section| section.name == name);
        let mut before = cubin.iter().take_while(|(other, ..)| other < index);
        assert!(name.is_debug() && (!is_expected || before.any(|(_, other, _)| other == text)));
    }
}

/// An edit that is refused changes nothing; one that is not makes a file that can be written and
/// read.
fn check_edit(cubin: &Cubin<'_>, sections: Vec<DebugSection>, same: bool) {
    let mut edited = cubin.clone();
    match edited.set_debug_sections(sections) {
        Err(_) => assert_eq!(edited, *cubin),
        Ok(()) => {
            // Gaps may differ in name: one that was stored can be explained by the alignment of a
            // new neighbour.
            reread(&edited.write().expect("an edited file can be written"));
        }
    }
    if same {
        assert_eq!(edited, *cubin);
    }
}

/// Without its debug sections the file can be written and read; with them in a side file it is what
/// it was.
fn check_strip(cubin: &Cubin<'_>) {
    let _ = cubin.debug_sections();
    let mut code = cubin.clone();
    match code.remove_debug_sections(|_| false) {
        Err(_) => return assert_eq!(code, *cubin),
        Ok(removed) => assert_eq!(removed.is_empty(), !cubin.has_debug_sections()),
    }
    assert!(!code.has_debug_sections());
    let code = code.write().expect("a stripped file can be written");
    let code = reread(&code);
    let mut side = cubin.clone();
    if side.keep_only_debug().is_err() {
        return assert_eq!(side, *cubin);
    }
    let Ok(side) = side.write() else { return };
    let mut side = reread(&side);
    if side.fill_from(&code).is_ok() {
        assert_eq!(side.sections.len(), cubin.sections.len());
        let same = |(a, b): (&Section<'_>, &Section<'_>)| {
            a.name == b.name && a.sh_type == b.sh_type && a.flags == b.flags
        };
        assert!(side.sections.iter().zip(&cubin.sections).all(same));
        let _ = side.write();
    }
}

/// The sections that `set_debug_sections` replaces.
fn is_replaced(name: &str) -> bool {
    is_debug_section(name) && name != SectionKind::NvDebugShared.name()
}

/// The file's debug sections, and whether they are all that the file has: bytes, and at most one
/// table of each kind.
fn own_sections(cubin: &Cubin<'_>) -> (Vec<DebugSection>, bool) {
    let mut is_all = true;
    let mut own = Vec::new();
    for (index, name, section) in cubin.iter().filter(|(_, name, _)| is_replaced(name)) {
        let Contents::Bytes(bytes) = &section.contents else {
            is_all &= !matches!(section.contents, Contents::NoBits(_));
            continue;
        };
        if section.is_mercury() {
            continue;
        }
        let (mut rel, mut rela) = (Vec::<Relocation>::new(), Vec::<Relocation>::new());
        let mut seen = HashSet::new();
        for (_, _, table) in cubin.iter().filter(|(_, _, s)| s.info == index.0 && !s.is_mercury()) {
            let Some(all) = table.relocations() else { continue };
            let is_own = Some(SectionIndex(table.link)) == cubin.symtab();
            is_all &= is_own && !all.is_empty() && seen.insert(table.sh_type);
            if is_own {
                let part = if all.iter().any(|r| r.addend.is_some()) { &mut rela } else { &mut rel };
                part.extend_from_slice(all);
            }
        }
        own.push(DebugSection { name: name.to_owned(), bytes: bytes.to_vec(), rel, rela });
    }
    (own, is_all)
}
