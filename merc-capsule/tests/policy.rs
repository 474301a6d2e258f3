//! The policy table against every sm_100 and later cubin of the corpus.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use std::collections::{BTreeMap, HashMap};
use std::fs;

use merc_capsule::{
    CLONE_POLICIES, CloneContent, CloneStorage, clone_policy, is_mercury, merc_name, native_name,
};
use nv_debug_sections::catalog::Space;
use nv_debug_sections::cubin::{Contents, Cubin, SectionIndex, sht};
use nv_debug_sections::reloc::RelocKind;
use support::{cubins_or_pairs, other_writer};

/// How a clone is stored, for the printed counts.
fn seen(cubin: &Cubin<'_>, clone: SectionIndex, native: Option<SectionIndex>) -> &'static str {
    let section = cubin.section(clone).unwrap();
    let native = native.map(|n| cubin.bytes(n).unwrap());
    match (&section.contents, native) {
        (Contents::Alias(_), _) => "alias",
        (Contents::NoBits(_), _) => "no bytes",
        (_, Some(bytes)) if cubin.bytes(clone).unwrap() == bytes => "copy",
        _ => "own",
    }
}

#[test]
fn the_table_says_what_the_corpus_shows() {
    let paths = cubins_or_pairs();
    let mut counts: BTreeMap<(&str, &str, CloneStorage, &str), usize> = BTreeMap::new();
    let (mut files, mut clones) = (0, 0);
    for path in &paths {
        let bytes = fs::read(path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        if cubin.header.sm() < 100 {
            continue;
        }
        files += 1;
        let at: HashMap<&str, SectionIndex> = cubin.iter().map(|(i, name, _)| (name, i)).collect();
        for (index, name, section) in cubin.iter() {
            let place = || format!("{}: {name}", path.display());
            if !is_mercury(section.flags) {
                assert_eq!(native_name(name), None, "{}", place());
                let is_always_there = |_: &String| {
                    name != ".nv.callgraph"
                        && clone_policy(name).is_some_and(|rule| rule.storage != CloneStorage::OwnIfThere)
                };
                let wanted = merc_name(name).filter(is_always_there);
                if let Some(clone) = wanted {
                    assert!(at.contains_key(&*clone), "{} has no clone {clone}", place());
                }
                continue;
            }
            clones += 1;
            let native = native_name(name).unwrap_or_else(|| panic!("{}", place()));
            assert_eq!(merc_name(&native).as_deref(), Some(name), "{}", place());
            let rule = clone_policy(&native).unwrap();
            let original = at.get(&*native).copied();
            let original_flags = original.map(|o| cubin.section(o).unwrap().flags);
            assert_eq!(section.sh_type, rule.sh_type, "{}", place());
            assert_eq!(section.flags, rule.flags(original_flags.unwrap_or(0x40)), "{}", place());
            let stored = seen(&cubin, index, original);
            let line_offset = RelocKind::LineOffset32.number(Space::Mercury);
            let relocations = at
                .get(&*format!(".nv.merc.rela{native}"))
                .and_then(|i| cubin.section(*i).unwrap().relocations());
            let has_line_offset = relocations.is_some_and(|all| all.iter().any(|r| r.r_type == line_offset));
            let storage_fits = match rule.storage {
                CloneStorage::Alias => stored == "alias",
                CloneStorage::AliasUnlessLineOffset => {
                    (stored == "alias") != has_line_offset || other_writer(path)
                }
                CloneStorage::AliasUnlessRelocated | CloneStorage::AliasIfEqual => stored != "copy",
                CloneStorage::Own | CloneStorage::OwnIfThere => stored != "alias",
            };
            assert!(storage_fits, "{} is stored as {stored}, not {:?}", place(), rule.storage);
            let same = stored == "alias" || stored == "copy";
            assert!(same || rule.content == CloneContent::Mercury || other_writer(path), "{}", place());
            *counts.entry((rule.native, rule.clone, rule.storage, stored)).or_default() += 1;
        }
    }
    eprintln!("{clones} clones in {files} of {} cubins", paths.len());
    for ((native, clone, storage, stored), count) in counts {
        eprintln!("{count:5} {native} -> {clone}: {stored} ({storage:?})");
    }
}

/// `docs/formats/capsule.md`, sections, row by row; some are in no small file.
#[test]
fn rows_of_the_table() {
    use CloneStorage::{Alias, AliasIfEqual, AliasUnlessLineOffset, AliasUnlessRelocated, Own, OwnIfThere};
    for (native, clone, sh_type, storage) in [
        (".text.f", ".nv.capmerc.text.f", 0x7000_0016, Own),
        (".debug_frame", ".nv.merc.debug_frame", 1, AliasIfEqual),
        (".debug_line", ".nv.merc.debug_line", 1, AliasIfEqual),
        (".nv_debug_line_sass", ".nv.merc.nv_debug_line_sass", 1, AliasIfEqual),
        (".nv_debug_info_reg_sass", ".nv.merc.nv_debug_info_reg_sass", 1, AliasIfEqual),
        (".nv_debug_info_reg_type", ".nv.merc.nv_debug_info_reg_type", 1, AliasIfEqual),
        (".debug_abbrev", ".nv.merc.debug_abbrev", 1, Alias),
        (".debug_str", ".nv.merc.debug_str", 1, Alias),
        (".debug_loc", ".nv.merc.debug_loc", 1, Alias),
        (".debug_macinfo", ".nv.merc.debug_macinfo", 1, Alias),
        (".debug_pubnames", ".nv.merc.debug_pubnames", 1, Alias),
        (".debug_pubtypes", ".nv.merc.debug_pubtypes", 1, Alias),
        (".debug_aranges", ".nv.merc.debug_aranges", 1, Alias),
        (".debug_ranges", ".nv.merc.debug_ranges", 1, Alias),
        (".nv_debug_ptx_txt", ".nv.merc.nv_debug_ptx_txt", 1, Alias),
        (".debug_info", ".nv.merc.debug_info", 1, AliasUnlessLineOffset),
        (".of_the_ptx", ".nv.merc.of_the_ptx", 1, Own),
        (".rela.text.f", ".nv.merc.rela.text.f", 0x7000_0082, Own),
        (".rela.debug_info", ".nv.merc.rela.debug_info", 0x7000_0082, Own),
        (".nv.info", ".nv.merc.nv.info", 0x7000_0083, Own),
        (".nv.info.f", ".nv.merc.nv.info.f", 0x7000_0083, Own),
        (".nv.constant2.f", ".nv.merc.nv.constant.optimizer.f", 0x7000_0084, Own),
        (".nv.constant3", ".nv.merc.nv.constant.user", 0x7000_007c, AliasUnlessRelocated),
        (".nv.constant4", ".nv.merc.nv.constant.pic", 0x7000_007d, Alias),
        (".nv.constant0.f", ".nv.merc.nv.constant.entry_image_header_indices.f", 0x7000_0079, OwnIfThere),
        (".nv.global.init", ".nv.merc.nv.global.init", 0x7000_0008, AliasUnlessRelocated),
        (".nv.shared.reserved.0", ".nv.merc.nv.shared.reserved.0", 0x7000_0015, Own),
        (".symtab", ".nv.merc.symtab", 0x7000_0085, Own),
    ] {
        let rule = clone_policy(native).unwrap();
        assert_eq!(merc_name(native).as_deref(), Some(clone));
        assert_eq!((rule.sh_type, rule.storage), (sh_type, storage), "{native}");
        let flags = if clone.starts_with(".nv.capmerc") { 0x1000_0000 } else { 0x1000_0002 };
        assert_eq!(rule.flags(2), flags, "{native}");
    }
}

#[test]
fn names_go_both_ways() {
    let pairs = [
        (".debug_line", ".nv.merc.debug_line"),
        (".nv_debug_ptx_txt.481667147", ".nv.merc.nv_debug_ptx_txt.481667147"),
        (".text.f.g", ".nv.capmerc.text.f.g"),
        (".rela.text.f", ".nv.merc.rela.text.f"),
        (".rela.debug_frame", ".nv.merc.rela.debug_frame"),
        (".nv.constant2.f", ".nv.merc.nv.constant.optimizer.f"),
        (".nv.constant0.f", ".nv.merc.nv.constant.entry_image_header_indices.f"),
        (".rela.nv.constant2.f", ".nv.merc.rela.nv.constant.optimizer.f"),
        (".nv.info", ".nv.merc.nv.info"),
        (".nv.info.f", ".nv.merc.nv.info.f"),
        (".debug_types", ".nv.merc.debug_types"),
        (".nv_debug_ptx_txt_7", ".nv.merc.nv_debug_ptx_txt_7"),
        (".nv.constant.user.f", ".nv.merc.nv.constant.user.f"),
    ];
    for (native, merc) in pairs {
        assert_eq!(merc_name(native).as_deref(), Some(merc));
        assert_eq!(native_name(merc).as_deref(), Some(native));
    }
    for none in [
        "",
        ".shstrtab",
        ".strtab",
        ".note.nv.tkinfo",
        ".note.nv.cuinfo",
        ".nv.compat",
        ".nv.prototype",
        ".nv.global",
        ".nv.shared.f",
        ".nv_debug.shared",
        ".nv.merc.debug_line",
        ".rel.debug_line",
        "text",
        ".",
        // Their clones' names are those of `.nv.constant3`, `.nv.constant4`, `.nv.constant2.f`.
        ".nv.constant.user",
        ".rela.nv.constant.user",
        ".nv.constant.pic",
        ".nv.constant.optimizer.f",
    ] {
        assert_eq!(merc_name(none), None, "{none}");
    }
    for none in [
        ".debug_line",
        ".nv.merc",
        ".nv.merc.",
        ".nv.capmerc.text",
        "",
        // Names that originals with a clone of another name, or with none, would give.
        ".nv.merc.text.f",
        ".nv.merc.nv.constant3",
        ".nv.merc.rela.nv.constant3",
        ".nv.merc.nv.constant0.f",
        ".nv.merc.strtab",
    ] {
        assert_eq!(native_name(none), None, "{none}");
    }
}

#[test]
fn no_two_rows_name_the_same_section() {
    for (i, row) in CLONE_POLICIES.iter().enumerate() {
        assert!(
            CLONE_POLICIES.iter().skip(i + 1).all(|r| (r.clone, r.name_match) != (row.clone, row.name_match)),
            "{row:?}"
        );
        assert!(row.sh_type != sht::MERC_RELA);
    }
}
