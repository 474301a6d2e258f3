//! `docs/formats/container.md`.

use crate::{all_pairs, header, number, pair, pairs, section};
use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::cubin::{
    Contents, Cubin, ELFOSABI_CUDA_V2, ET_EWP, SHF_MERCURY, SectionIndex, SymbolIndex,
};
use nv_debug_sections::line;
use nv_debug_sections::release::Release;
use nv_debug_sections::tkinfo;
use std::fs;

#[test]
fn the_file_header() {
    let mut kinds = std::collections::BTreeSet::new();
    for (name, file) in all_pairs() {
        assert_eq!(file[..9], [0x7f, b'E', b'L', b'F', 2, 1, 1, 0x41, 8], "{name}");
        let cubin = Cubin::parse(&file).unwrap();
        assert_eq!((cubin.header.os_abi, cubin.header.abi_version), (ELFOSABI_CUDA_V2, 8), "{name}");
        assert_eq!((number(&file, 18, 2), number(&file, 20, 4), number(&file, 24, 8)), (190, 1, 0), "{name}");
        assert_eq!((number(&file, 62, 2), cubin.header.shstrndx.0), (1, 1), "{name}");
        let words: Vec<&str> = name.split('.').collect();
        let e_type = if words.contains(&"c") {
            1
        } else if words.contains(&"ewp") {
            ET_EWP
        } else {
            2
        };
        assert_eq!((number(&file, 16, 2) as u16, cubin.header.e_type), (e_type, e_type), "{name}");
        let sm: u32 = words[1].strip_prefix("sm_").unwrap().parse().unwrap();
        assert_eq!(cubin.header.sm(), sm, "{name}");
        assert_eq!(number(&file, 54, 2), if e_type != 2 && sm >= 90 { 0 } else { 56 }, "{name}");
        kinds.insert(e_type);
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), [1, 2, ET_EWP]);
}

/// Bits 24 to 31 of `e_flags` are the index of `.note.nv.cuinfo`, also once debug sections are
/// gone.
#[test]
fn e_flags_have_the_chip_and_the_place_of_a_note() {
    // What other sections of these refer to cannot go.
    for (name, file) in all_pairs().into_iter().filter(|(name, _)| !name.starts_with("own_sections")) {
        let mut cubin = Cubin::parse(&file).unwrap();
        let check = |cubin: &Cubin<'_>| {
            let flags = cubin.header.e_flags;
            let note = cubin.section_by_name(".note.nv.cuinfo").unwrap();
            assert_eq!(flags >> 24, note.0, "{name}");
            assert_eq!(flags & 0xff, if cubin.header.sm() < 100 { 4 } else { 2 }, "{name}");
        };
        check(&cubin);
        let before = cubin.header.e_flags >> 24;
        cubin.remove_debug_sections(|_| false).unwrap();
        check(&cubin);
        assert!(cubin.header.e_flags >> 24 < before, "{name}");
    }
}

/// Offsets, gaps, header tables and segments follow from the sections: written again, each file is
/// the same.
#[test]
fn files_are_laid_out_by_rule() {
    for (name, file) in all_pairs() {
        let cubin = Cubin::parse(&file).unwrap();
        // No rule is known for a gap after `.strtab` in files whose capsule has clones with names
        // of their own: those of `.nv.constant4` have one, of the others some.
        let gaps = cubin.iter().filter(|(.., section)| section.slack.is_some()).map(|(_, name, _)| name);
        let gaps: Vec<&str> = gaps.collect();
        let has_clone = |name: &str| cubin.section_by_name(&format!(".nv.merc.nv.{name}")).is_some();
        let has_own_names = ["constant.pic", "constant.user", "global.init"].into_iter().any(has_clone);
        assert!(gaps.is_empty() || has_own_names && gaps == [".strtab"], "{name}");
        assert!(!gaps.is_empty() || !has_clone("constant.pic"), "{name}");
        assert!(cubin.write().unwrap() == file, "{name}");
    }
}

/// Sections start at the next multiple of their alignment; then the section headers, then the
/// program headers.
#[test]
fn where_sections_and_tables_start() {
    for (name, file) in all_pairs() {
        let cubin = Cubin::parse(&file).unwrap();
        let layout = cubin.layout().unwrap();
        let (tables, segments) = (number(&file, 40, 8), number(&file, 32, 8));
        assert_eq!((layout.section_headers, layout.program_headers), (tables, segments), "{name}");
        assert_eq!(tables % 8, 0, "{name}");
        let count = number(&file, 60, 2);
        let is_program = cubin.header.e_type == 2;
        assert_eq!(segments, if is_program { tables + 64 * count } else { 0 }, "{name}");
        assert_eq!(layout.size, file.len() as u64, "{name}");
        for (index, _, section) in cubin.iter() {
            let at = number(&file, tables as usize + 64 * index.as_usize() + 24, 8);
            assert_eq!(layout.offsets[index.as_usize()], at, "{name}");
            assert!(
                matches!(section.contents, Contents::Alias(_)) || at.is_multiple_of(section.align.max(1)),
                "{name}"
            );
        }
    }
}

/// Zeros after `.shstrtab`.
#[test]
fn the_gap_after_the_names_of_sections() {
    for (name, file) in all_pairs() {
        let cubin = Cubin::parse(&file).unwrap();
        let layout = cubin.layout().unwrap();
        let end = layout.offsets[1] + cubin.size_of(&cubin.sections[1]);
        let text = cubin.iter().filter_map(|(_, name, _)| name.strip_prefix(".text."));
        let want = match cubin.header.sm() {
            ..90 => 0,
            90..100 => {
                14 + text.map(|function| ".nv.capmerc.text.".len() + function.len() + 1).sum::<usize>()
            }
            100.. => 36,
        };
        assert_eq!((cubin.sections[1].slack, cubin.sections[2].align), (None, 1), "{name}");
        assert_eq!(layout.offsets[2] - end, want as u64, "{name}");
    }
}

fn names(cubin: &Cubin<'_>) -> Vec<String> {
    cubin.iter().map(|(_, name, _)| name.to_owned()).collect()
}

#[test]
fn the_order_of_sections() {
    let file = pair("references.sm_75.g");
    let found = names(&Cubin::parse(&file).unwrap());
    let want = ".shstrtab .strtab .symtab .debug_frame .debug_line .nv_debug_line_sass .nv_debug_ptx_txt \
        .nv_debug_info_reg_sass .nv_debug_info_reg_type .debug_abbrev .debug_info";
    assert_eq!(found[..11].join(" "), want.split_whitespace().collect::<Vec<_>>().join(" "));
    for (name, file) in all_pairs() {
        let cubin = Cubin::parse(&file).unwrap();
        let first = |test: &dyn Fn(&str) -> bool| names(&cubin).iter().position(|name| test(name));
        let last = |test: &dyn Fn(&str) -> bool| names(&cubin).iter().rposition(|name| test(name));
        let is_contents = |name: &str| name.starts_with(".debug_") || name.starts_with(".nv_debug_");
        let is_reloc = |name: &str| name.starts_with(".rel") && name.contains("debug_");
        let note = first(&|name| name.starts_with(".note.")).unwrap();
        let code = first(&|name| name.starts_with(".text.")).unwrap();
        let clone = first(&|name| name.starts_with(".nv.merc") || name.starts_with(".nv.capmerc"));
        assert_eq!(first(&|name| name == ".symtab"), Some(2), "{name}");
        assert_eq!(first(&is_contents), Some(3), "{name}");
        assert!(last(&is_contents).unwrap() < note, "{name}");
        assert!(note < first(&is_reloc).unwrap() && last(&is_reloc).unwrap() < code, "{name}");
        assert_eq!(clone.is_some(), cubin.header.sm() >= 100, "{name}");
        if let Some(clone) = clone {
            let all = names(&cubin);
            assert!(
                all[clone..]
                    .iter()
                    .all(|name| name.starts_with(".nv.merc") || name.starts_with(".nv.capmerc"))
            );
            assert_eq!(all.last().map(String::as_str), Some(".nv.merc.symtab"), "{name}");
        }
    }
}

/// Whether `.debug_str` stands after the PTX text, and not after `.debug_line`.
fn is_debug_str_last(cubin: &Cubin<'_>) -> bool {
    let all = names(cubin);
    let before = all.iter().position(|name| name == ".debug_str").and_then(|at| all.get(at - 1));
    before.is_some_and(|name| name.starts_with(".nv_debug_ptx_txt"))
}

/// `.debug_str` stands after `.debug_line`, if the latter names functions in it.
#[test]
fn the_place_of_debug_str() {
    for (name, file) in all_pairs() {
        let cubin = Cubin::parse(&file).unwrap();
        if cubin.section_by_name(".debug_str").is_none() {
            continue;
        }
        let tables = section(&cubin, ".debug_line");
        let tables = line::decode(".debug_line", &tables).unwrap();
        let is_named = tables[0].debug_str_base.is_some();
        assert_eq!(is_debug_str_last(&cubin), !is_named, "{name}");
    }
}

/// The order is ours too: sections that were taken out go back to where they were.
#[test]
fn sections_are_put_where_ptxas_has_them() {
    for (name, file) in all_pairs() {
        let mut cubin = Cubin::parse(&file).unwrap().into_owned();
        // Two sections of one name cannot be told apart. `.debug_str` has another place if nothing
        // refers to it.
        let is_special = ["own_sections", "odd_references"].iter().any(|stem| name.starts_with(stem));
        if is_special || is_debug_str_last(&cubin) {
            continue;
        }
        let own = cubin.debug_sections().unwrap();
        let order = names(&cubin);
        cubin.set_debug_sections(Vec::new()).unwrap();
        let native = |name: &String| SectionName::parse(name).is_debug() && !name.starts_with(".nv.merc");
        assert!(
            names(&cubin).iter().filter(|name| native(name)).all(|name| name == ".nv_debug.shared"),
            "{name}"
        );
        // Given the other way round; those of the PTX keep their order.
        let (of_ptx, mut of_ptxas): (Vec<_>, Vec<_>) = own.into_iter().partition(|section| {
            let row = SectionName::native(&*section.name).entry();
            row.is_none_or(|row| row.in_text_order)
        });
        of_ptxas.reverse();
        cubin.set_debug_sections([of_ptx, of_ptxas].concat()).unwrap();
        assert_eq!(names(&cubin), order, "{name}");
    }
}

#[test]
fn headers_of_debug_sections() {
    for (name, file) in all_pairs() {
        let cubin = Cubin::parse(&file).unwrap();
        for (index, section_name, _) in cubin.iter() {
            let parsed = SectionName::parse(section_name);
            if !parsed.is_debug() || section_name == ".nv_debug.shared" {
                continue;
            }
            let (_, sh_type, flags, align, link, info) = header(&cubin, index);
            let is_clone = section_name.starts_with(".nv.merc");
            let mercury = if is_clone { SHF_MERCURY } else { 0 };
            let want = match section_name {
                name if name.contains(".rela.") => {
                    (if is_clone { 0x7000_0082 } else { 4 }, 0x40 | mercury, 8)
                }
                name if name.contains(".rel.") => (9, 0x40, 8),
                _ => (1, mercury, 1),
            };
            assert_eq!((sh_type, flags, align), want, "{name}: {section_name}");
            assert_eq!(
                parsed.header_fields(Release::V13_0).map(|shape| (shape.sh_type, shape.flags, shape.align)),
                Some(want),
                "{name}"
            );
            let entsize = cubin.section(index).unwrap().entsize;
            if sh_type == 1 {
                assert_eq!((link, info, entsize), (0, 0, 0), "{name}: {section_name}");
            } else {
                let table = if is_clone { ".nv.merc.symtab" } else { ".symtab" };
                assert_eq!(cubin.section_name(SectionIndex(link)), table, "{name}: {section_name}");
                assert!(
                    section_name
                        .ends_with(cubin.section_name(SectionIndex(info)).trim_start_matches(".nv.merc"))
                );
                assert_eq!(entsize, if sh_type == 9 { 16 } else { 24 }, "{name}: {section_name}");
            }
        }
    }
    assert_eq!(SHF_MERCURY, 0x1000_0000);
}

#[test]
fn notes() {
    for (name, file) in all_pairs() {
        let cubin = Cubin::parse(&file).unwrap();
        let [tools, chip] =
            [".note.nv.tkinfo", ".note.nv.cuinfo"].map(|note| cubin.section_by_name(note).unwrap());
        let (_, sh_type, flags, align, ..) = header(&cubin, tools);
        assert_eq!((sh_type, flags, align), (7, 0x200_0000, 4), "{name}");
        let (_, sh_type, flags, align, ..) = header(&cubin, chip);
        let want = if cubin.header.sm() < 90 { 0x100_0000 } else { 0x100_0040 };
        assert_eq!((sh_type, flags, align), (7, want, 4), "{name}");
        let note = section(&cubin, ".note.nv.tkinfo");
        let by = tkinfo::decode(&note).unwrap();
        assert_eq!((by.len(), by[0].tool), (1, &b"ptxas"[..]), "{name}");
        assert_eq!(by[0].object.is_empty(), !name.split('.').any(|word| word == "g"), "{name}");
        let bytes = section(&cubin, ".note.nv.cuinfo");
        assert_eq!(
            (number(&bytes, 0, 4), number(&bytes, 8, 4), &bytes[12..24]),
            (12, 1000, &b"NVIDIA Corp\0"[..])
        );
        let fields = [24, 26, 28, 30].map(|at| number(&bytes, at, 2));
        assert_eq!((fields, bytes.len()), ([2, target_of_ptx(&name), 130, 0], 32), "{name}");
    }
}

/// The SM number in the `.target` of the PTX that a cubin of the folder was made from.
fn target_of_ptx(cubin: &str) -> u64 {
    let ptx = pairs().join(format!("{}.ptx", cubin.split('.').next().unwrap()));
    let text = fs::read_to_string(ptx).unwrap();
    let target = text.lines().find_map(|line| line.trim().strip_prefix(".target sm_")).unwrap();
    target.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

/// `sh_info` of code: the symbol of its function, and up to sm_89 the registers that it needs.
#[test]
fn code_sections_name_their_function() {
    for (name, file) in all_pairs() {
        let cubin = Cubin::parse(&file).unwrap();
        for (index, section_name, section) in cubin.iter() {
            let Some(function) = section_name.strip_prefix(".text.") else { continue };
            assert_eq!(cubin.section_name(SectionIndex(section.link)), ".symtab", "{name}");
            let symbol = SymbolIndex(section.info & 0xff_ffff);
            assert_eq!(cubin.symbol_name(symbol), function, "{name}");
            let own = cubin.symbols()[symbol.as_usize()];
            assert!(own.is_function() && own.section() == Some(index), "{name}");
            assert_eq!(section.info >> 24 != 0, cubin.header.sm() < 90, "{name}");
            let capsule = cubin.section_by_name(&format!(".nv.capmerc.text.{function}"));
            assert_eq!(capsule.is_some(), cubin.header.sm() >= 100, "{name}");
            if let Some(capsule) = capsule {
                assert_eq!(number(&cubin.bytes(capsule).unwrap(), 0, 4), u64::from(index.0), "{name}");
                let header = cubin.section(capsule).unwrap();
                assert_eq!((header.align, header.flags), (16, SHF_MERCURY), "{name}");
                let table = cubin.mercury_symtab().unwrap();
                assert_eq!(header.link, table.0, "{name}");
                assert_eq!(cubin.symbol_name_in(table, SymbolIndex(header.info)), function, "{name}");
            }
        }
    }
}

/// Code names its function, and up to sm_89 its registers, also once other symbols are gone.
#[test]
fn code_keeps_its_function_and_registers() {
    for name in ["stack_arguments.sm_75.g", "references.sm_80.g.c", "stack_arguments.sm_100.g"] {
        let file = pair(name);
        let before = Cubin::parse(&file).unwrap();
        let mut cubin = before.clone();
        cubin.remove_debug_sections(|_| false).unwrap();
        let again = cubin.write().unwrap();
        let cubin = Cubin::parse(&again).unwrap();
        for (index, text, section) in cubin.iter() {
            let Some(function) = text.strip_prefix(".text.") else { continue };
            assert_eq!(cubin.section_name(SectionIndex(section.link)), ".symtab", "{name}");
            assert_eq!(cubin.symbol_name(SymbolIndex(section.info & 0xff_ffff)), function, "{name}");
            let old = before.section(before.section_by_name(text).unwrap()).unwrap();
            assert_eq!(section.info >> 24, old.info >> 24, "{name}: {index:?}");
        }
    }
}

/// The capsule follows `.text.F` when sections before it come and go.
#[test]
fn capsules_follow_their_code() {
    let file = pair("stack_arguments.sm_100.g");
    let mut cubin = Cubin::parse(&file).unwrap();
    cubin.remove_debug_sections(|_| false).unwrap();
    let again = cubin.write().unwrap();
    let cubin = Cubin::parse(&again).unwrap();
    let table = cubin.mercury_symtab().unwrap();
    for (index, name, _) in cubin.iter() {
        if let Some(function) = name.strip_prefix(".text.") {
            let capsule = cubin.section_by_name(&format!(".nv.capmerc.text.{function}")).unwrap();
            assert_eq!(number(&cubin.bytes(capsule).unwrap(), 0, 4), u64::from(index.0));
            let (.., align, link, info) = header(&cubin, capsule);
            assert_eq!((align, link), (16, table.0));
            assert_eq!(cubin.symbol_name_in(table, SymbolIndex(info)), function);
        }
    }
}
