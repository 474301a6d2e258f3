//! `docs/formats/relocations.md`, on files of ptxas.

use crate::{all_pairs, number, pair};
use nv_debug_sections::catalog::Space;
use nv_debug_sections::cubin::{Cubin, Relocation, SectionIndex};
use nv_debug_sections::reloc::{RelocAction, RelocKind, RelocType};
use nv_debug_sections::relocated::RelocatedCubin;

/// Debug sections' relocations: name of the relocation section, target's name, entries.
fn tables<'c>(cubin: &'c Cubin<'_>) -> Vec<(&'c str, &'c str, &'c [Relocation])> {
    let all = cubin.iter().filter_map(|(_, name, section)| {
        let target = cubin.section_name(SectionIndex(section.info));
        Some((name, target, section.relocations()?))
    });
    all.filter(|(_, target, _)| target.contains("debug_")).collect()
}

#[test]
fn numbers_of_types() {
    for (kind, native, mercury, width, action) in [
        (RelocKind::Absolute32, 0x1, 0x1_0003, 4, RelocAction::Add),
        (RelocKind::LineOffset32, 0x1, 0x1_0008, 4, RelocAction::Add),
        (RelocKind::Code32, 0x1, 0x1_003c, 4, RelocAction::Add),
        (RelocKind::Absolute64, 0x2, 0x1_0002, 8, RelocAction::Add),
        (RelocKind::Code64, 0x2, 0x1_003d, 8, RelocAction::Add),
        (RelocKind::Generic64, 0x4, 0x1_0001, 8, RelocAction::Add),
        (RelocKind::UnusedClear64, 0x49, 0x1_000e, 8, RelocAction::Clear),
    ] {
        let numbers = [Space::Native, Space::Mercury].map(|space| kind.number(space));
        assert_eq!((numbers, kind.width(), kind.action()), ([native, mercury], width, action), "{kind:?}");
        assert_eq!(RelocKind::from_mercury(mercury), Some(kind));
        for number in numbers {
            let known = RelocType::from_number(number).unwrap();
            assert_eq!((usize::from(known.width), known.action), (width, action), "{number:#x}");
        }
    }
}

#[test]
fn types_of_ptxas_are_known_and_each_in_its_space() {
    let mut seen = std::collections::BTreeSet::new();
    for (name, file) in all_pairs() {
        let cubin = Cubin::parse(&file).unwrap();
        for (table, target, entries) in tables(&cubin) {
            for entry in entries {
                let known =
                    RelocType::from_number(entry.r_type).unwrap_or_else(|| panic!("{name}: {entry:x?}"));
                let is_clone = target.starts_with(".nv.merc");
                assert_eq!(known.number > 0x1_0000, is_clone, "{name}: {table}");
                seen.insert(known.number);
            }
        }
    }
    let all = [1, 2, 4, 0x49, 0x1_0001, 0x1_0002, 0x1_0003, 0x1_0008, 0x1_000e, 0x1_003c, 0x1_003d];
    assert!(seen.iter().eq(all.iter()), "{seen:x?}");
}

/// REL up to sm_89, RELA from sm_90 on, and in clones.
#[test]
fn which_form_a_section_has() {
    for (name, file) in all_pairs() {
        let cubin = Cubin::parse(&file).unwrap();
        let is_legacy = cubin.header.sm() < 90;
        for (table, target, entries) in tables(&cubin) {
            let is_rel = table.starts_with(".rel.");
            assert!(is_legacy || !is_rel, "{name}: {table}");
            assert!(!is_rel || target != ".debug_info", "{name}");
            assert!(entries.iter().all(|entry| entry.addend.is_none() == is_rel), "{name}: {table}");
        }
    }
}

/// Entries descend by offset but for native line tables from sm_90 on, which ascend, and
/// `.debug_frame`.
#[test]
fn the_order_of_entries() {
    // PTX with several blocks of one section comes to its fields block by block.
    let blocks = |name: &str| name.starts_with("own_sections") || name.starts_with("odd_references");
    for (name, file) in all_pairs().into_iter().filter(|(name, _)| !blocks(name)) {
        let cubin = Cubin::parse(&file).unwrap();
        for (table, target, entries) in tables(&cubin) {
            if target.ends_with("debug_frame") {
                continue;
            }
            let ascends = cubin.header.sm() >= 90 && [".debug_line", ".nv_debug_line_sass"].contains(&target);
            let in_order =
                entries.is_sorted_by(|a, b| if ascends { a.offset < b.offset } else { a.offset > b.offset });
            assert!(in_order, "{name}: {table}");
        }
    }
}

/// Code addresses of `.debug_info` from sm_100 on: the field of both sections has the addend of the
/// clone's entry.
#[test]
fn fields_under_rela_are_stale() {
    let file = pair("odd_references.sm_100.g");
    let cubin = Cubin::parse(&file).unwrap();
    let entries = |name: &str| {
        let index = cubin.section_by_name(name).unwrap();
        let bytes = cubin.bytes(index).unwrap();
        let entries = cubin.relocations_of(index).map(|(_, entry)| {
            let width = RelocType::from_number(entry.r_type).unwrap().width;
            (entry.offset, entry.addend.unwrap(), number(&bytes, entry.offset as usize, width.into()))
        });
        entries.collect::<Vec<_>>()
    };
    // Only the addend of the entry is right, and that is what a reader gets.
    let info = cubin.section_by_name(".debug_info").unwrap();
    let relocated = RelocatedCubin::new(&cubin).section(info).unwrap();
    for (_, entry) in cubin.relocations_of(info) {
        let width = RelocType::from_number(entry.r_type).unwrap().width;
        let value = cubin.symbols()[entry.symbol.as_usize()].value + entry.addend.unwrap() as u64;
        assert_eq!(number(&relocated.bytes, entry.offset as usize, width.into()), value, "{entry:x?}");
    }
    let (native, clone) = (entries(".debug_info"), entries(".nv.merc.debug_info"));
    assert_eq!(native.len(), clone.len());
    let mut stale = 0;
    for ((offset, addend, field), (of_clone, mercury, clone_field)) in native.into_iter().zip(clone) {
        assert_eq!((offset, field), (of_clone, clone_field));
        assert_eq!(field, mercury as u64, "{offset:#x}");
        stale += usize::from(field != addend as u64);
    }
    assert!(stale > 0);
}
