//! Appending whole sections: capsules taken out and put back, on every cubin of the corpus; what is
//! refused.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod corpus;

use std::collections::HashSet;

use corpus::{Cubins, file};
use nv_debug_sections::cubin::{
    Contents, Cubin, DebugOnlyFunction, NewSection, Relocation, SHF_MERCURY, Section, SectionIndex,
    SectionInfo, SectionLink, StringTable, Symbol, SymbolIndex, debug_only, sht,
};
use nv_debug_sections::error::ErrorKind;
use nv_debug_sections::release::Release;
use proptest::prelude::*;

/// The capsule as new sections, for the cubin without it; `None` if other sections are after it.
fn capsule<'d>(cubin: &Cubin<'d>) -> Option<Vec<NewSection<'d>>> {
    let first = cubin.sections.iter().position(Section::is_mercury).unwrap();
    if !cubin.sections.iter().skip(first).all(Section::is_mercury) {
        return None;
    }
    let link = |index: u32| match (index as usize).checked_sub(first) {
        Some(number) => SectionLink::New(number),
        None if index == 0 => SectionLink::None,
        None => SectionLink::Old(SectionIndex(index)),
    };
    let all = cubin.iter().skip(first - 1).map(|(_, name, section)| NewSection {
        name: name.to_owned(),
        sh_type: section.sh_type,
        flags: section.flags,
        align: section.align,
        entsize: section.entsize,
        link: link(section.link),
        info: match section.info {
            info if section.info_is_section() => SectionInfo::Section(link(info)),
            info if section.sh_type == sht::MERC_CODE => SectionInfo::Symbol(SymbolIndex(info)),
            info => SectionInfo::Number(info),
        },
        contents: section.contents.clone(),
    });
    Some(all.collect())
}

#[test]
fn capsules_taken_out_and_put_back_give_the_same_bytes() {
    let cubins = Cubins::open();
    let (mut total, mut same, mut twins, mut different) = (0, 0, 0, Vec::new());
    for path in &cubins.paths {
        let bytes = file(path);
        let whole = Cubin::parse(&bytes).unwrap();
        if !whole.has_capsule() {
            continue;
        }
        total += 1;
        let mut cubin = whole.clone();
        let removed = cubin.remove_capsule().unwrap();
        let without = cubin.write().unwrap();
        let mut cubin = Cubin::parse(&without).unwrap();
        let Some(capsule) = capsule(&whole) else {
            different.push(format!("{}: not last", path.display()));
            continue;
        };
        assert_eq!(cubin.append_sections(capsule).unwrap(), removed, "{}", path.display());
        let back = cubin.write().unwrap();
        if back == bytes {
            same += 1;
            continue;
        }
        // nvlink writes the name of each section anew; ours share the first of equal ones.
        let mut values = Cubin::parse(&back).unwrap();
        let mut seen = HashSet::new();
        let has_twins = whole.iter().any(|(_, name, section)| section.is_mercury() && !seen.insert(name));
        let names: Vec<_> = values.iter().map(|(index, ..)| values.section_name(index).to_owned()).collect();
        assert!(whole.iter().map(|(_, name, _)| name).eq(names));
        for (section, original) in values.sections.iter_mut().zip(&whole.sections) {
            section.name = original.name;
        }
        if has_twins && values == whole {
            twins += 1;
        } else {
            different.push(path.display().to_string());
        }
    }
    eprintln!(
        "capsule taken out and put back: {same}/{total} cubins identical, {twins} but for equal section names"
    );
    assert!(total > 0 && twins <= 2 && different.is_empty(), "{different:#?}");
}

/// Names are found, tables and bytes replaced by themselves: nothing changes.
#[test]
fn tables_and_bytes_replaced_by_themselves_change_nothing() {
    let cubins = Cubins::open();
    let (mut tables, mut contents, mut names) = (0, 0, 0);
    for path in &cubins.paths {
        let bytes = file(path);
        let mut cubin = Cubin::parse(&bytes).unwrap();
        for index in (1..cubin.sections.len() as u32).map(SectionIndex) {
            let section = &cubin.sections[index.as_usize()];
            match &section.contents {
                Contents::Symbols(symbols) => {
                    let symbols = symbols.clone();
                    cubin.set_symbols(index, symbols).unwrap();
                    tables += 1;
                }
                Contents::Bytes(old) if section.is_mercury() => {
                    let old = old.to_vec();
                    cubin.set_mercury_bytes(index, old).unwrap();
                    contents += 1;
                }
                _ => {}
            }
        }
        let table = cubin.section(cubin.symtab().unwrap()).unwrap().link;
        let strings = cubin.strings(SectionIndex(table)).unwrap();
        let all: Vec<String> = strings.entries().map(|(_, name)| name.to_owned()).collect();
        let found = cubin.intern_symbol_names(&all).unwrap();
        let strings = cubin.strings(SectionIndex(table)).unwrap();
        assert!(found.iter().zip(&all).all(|(offset, name)| strings.get(*offset) == Some(name)));
        names += all.len();
        assert!(cubin.write().unwrap() == bytes, "{}", path.display());
    }
    eprintln!(
        "replaced by themselves: {tables} symbol tables, {contents} Mercury sections; found: {names} names"
    );
}

/// `.debug_str`, 8 bytes, in a cubin with one function: what the tests append to.
fn small() -> Cubin<'static> {
    let function = DebugOnlyFunction { name: "k", size: 16, kernel: true, local: false };
    let bytes = debug_only(Release::V13_0.target(100), &[function], &[]).unwrap().cubin.write().unwrap();
    let mut cubin = Cubin::parse(&bytes).unwrap().into_owned();
    cubin.append_sections(vec![bytes_section(".debug_str", 0, vec![7; 8])]).unwrap();
    cubin
}

/// Sections of [`small`].
const SHSTRTAB: SectionIndex = SectionIndex(1);
const STRTAB: SectionIndex = SectionIndex(2);
const SYMTAB: SectionIndex = SectionIndex(3);
const TEXT: SectionIndex = SectionIndex(4);
const DEBUG_STR: SectionIndex = SectionIndex(5);
const COUNT: u32 = 6;

fn bytes_section(name: &str, flags: u64, bytes: Vec<u8>) -> NewSection<'static> {
    NewSection {
        name: name.into(),
        sh_type: 1,
        flags,
        align: 1,
        entsize: 0,
        link: SectionLink::None,
        info: SectionInfo::default(),
        contents: Contents::Bytes(bytes.into()),
    }
}

fn alias(target: SectionIndex) -> NewSection<'static> {
    NewSection { contents: Contents::Alias(target), ..bytes_section(".nv.merc.x", SHF_MERCURY, Vec::new()) }
}

fn symtab(symbols: Vec<Symbol>) -> NewSection<'static> {
    NewSection {
        sh_type: sht::MERC_SYMTAB,
        align: 8,
        entsize: 24,
        link: SectionLink::Old(STRTAB),
        info: SectionInfo::Number(1),
        contents: Contents::Symbols(symbols),
        ..bytes_section(".nv.merc.symtab", SHF_MERCURY, Vec::new())
    }
}

/// Relocations of the new section `target` against the new symbol table `table`.
fn rela(table: usize, target: usize, symbol: u32) -> NewSection<'static> {
    let all = vec![Relocation { offset: 0, r_type: 0x1_0002, symbol: SymbolIndex(symbol), addend: Some(0) }];
    NewSection {
        sh_type: sht::MERC_RELA,
        align: 8,
        entsize: 24,
        link: SectionLink::New(table),
        info: SectionInfo::Section(SectionLink::New(target)),
        contents: Contents::Relocations(all),
        ..bytes_section(".nv.merc.rela.debug_line", SHF_MERCURY | 0x40, Vec::new())
    }
}

/// A capsule's code, a clone that shares bytes, one that does not, its relocations, symbols; each
/// refers to later ones.
fn capsule_of_small() -> Vec<NewSection<'static>> {
    let symbol = Symbol { name: 0, info: 3, shndx: COUNT + 2, ..Symbol::default() };
    let code = NewSection {
        sh_type: sht::MERC_CODE,
        align: 16,
        link: SectionLink::New(4),
        info: SectionInfo::Symbol(SymbolIndex(1)),
        ..bytes_section(".nv.capmerc.text.k", SHF_MERCURY, vec![4, 0, 0, 0, 9, 9])
    };
    vec![
        code,
        NewSection { name: ".nv.merc.debug_str".into(), ..alias(DEBUG_STR) },
        bytes_section(".nv.merc.debug_line", SHF_MERCURY, vec![0; 8]),
        rela(4, 2, 1),
        symtab(vec![Symbol::default(), symbol]),
    ]
}

#[test]
fn a_capsule_refers_to_itself_and_to_the_file() {
    let mut cubin = small();
    let before = cubin.clone();
    let indices = cubin.append_sections(capsule_of_small()).unwrap();
    assert_eq!(indices, (COUNT..COUNT + 5).map(SectionIndex).collect::<Vec<_>>());
    let (header, bytes) = (cubin.header, cubin.write().unwrap());
    assert_eq!(header, before.header);
    let read = Cubin::parse(&bytes).unwrap();
    assert_eq!(read, cubin);
    let [code, shared, own, rela, table] = indices[..] else { panic!("{indices:?}") };
    assert_eq!(read.mercury_symtab(), Some(table));
    assert_eq!(read.mercury_symbols()[1].section(), Some(own));
    assert_eq!(read.sections[code.as_usize()].link, table.0);
    assert_eq!(read.section_name(code), ".nv.capmerc.text.k");
    assert_eq!(read.sections[shared.as_usize()].contents, Contents::Alias(DEBUG_STR));
    assert_eq!(read.relocations_of(own).map(|(from, _)| from).collect::<Vec<_>>(), [rela]);
    // Names stay when sections go, and are found again.
    cubin.remove_capsule().unwrap();
    let names = cubin.strings(SHSTRTAB).unwrap().clone();
    assert_eq!(cubin.sections[2..], before.sections[2..]);
    cubin.append_sections(capsule_of_small()).unwrap();
    assert_eq!(cubin.strings(SHSTRTAB).unwrap(), &names);
    assert!(cubin.write().unwrap() == bytes);
}

#[test]
fn what_cannot_be_read_again_is_refused() {
    let merc = |section| NewSection { flags: SHF_MERCURY, ..section };
    let plain = || bytes_section(".nv.merc.x", SHF_MERCURY, vec![0]);
    let index = |index| SectionIndex(index);
    let old = |index| SectionLink::Old(SectionIndex(index));
    let symbol = |name, shndx| symtab(vec![Symbol { name, shndx, ..Symbol::default() }]);
    let null = || symtab(vec![Symbol::default()]);
    let to = |link, info| NewSection { link, info, ..plain() };
    let missing = NewSection { link: SectionLink::None, ..null() };
    let without_addend = Relocation { offset: 0, r_type: 0x1_0002, symbol: SymbolIndex(0), addend: None };
    let rows: Vec<(&str, Vec<NewSection<'static>>)> = vec![
        ("a\0b+0x0: the name holds a NUL", vec![NewSection { name: "a\0b".into(), ..plain() }]),
        ("section (sh_link) 6 does not exist (there are 6)", vec![to(old(COUNT), SectionInfo::default())]),
        ("new section 2 does not exist (there are 1)", vec![to(SectionLink::New(2), SectionInfo::default())]),
        (
            "new section 1 does not exist",
            vec![to(SectionLink::None, SectionInfo::Section(SectionLink::New(1)))],
        ),
        ("section (sh_info) 9 does not exist", vec![to(SectionLink::None, SectionInfo::Section(old(9)))]),
        (
            "sh_info is 0x3, expected a section index if",
            vec![to(SectionLink::None, SectionInfo::Section(old(3)))],
        ),
        (
            "sh_info is 0x7, expected",
            vec![NewSection { info: SectionInfo::Number(7), ..rela(1, 1, 0) }, null()],
        ),
        (
            "symbol (sh_info) 2 does not exist (there are 2)",
            vec![to(old(3), SectionInfo::Symbol(SymbolIndex(2)))],
        ),
        (
            "symbol (sh_info) 1 does not",
            vec![to(SectionLink::New(1), SectionInfo::Symbol(SymbolIndex(1))), null()],
        ),
        ("expected a symbol table, since", vec![to(old(2), SectionInfo::Symbol(SymbolIndex(0)))]),
        ("alias is 0x0, expected an earlier section with bytes", vec![alias(index(0))]),
        ("alias is 0x6, expected", vec![alias(index(COUNT))]),
        ("alias is 0x7, expected", vec![alias(index(COUNT + 1)), plain()]),
        ("alias is 0x4, expected", vec![alias(TEXT)]),
        ("alias is 0x6, expected", vec![alias(DEBUG_STR), alias(index(COUNT))]),
        ("sh_addralign is 0x10, expected no more", vec![NewSection { align: 16, ..alias(DEBUG_STR) }]),
        ("more than 4 sections share", (0..5).map(|_| alias(DEBUG_STR)).collect()),
        ("sh_type is 0x1, expected", vec![NewSection { flags: 0, ..alias(DEBUG_STR) }]),
        ("sh_type is 0x1, expected", vec![NewSection { contents: Contents::NoBits(4), ..plain() }]),
        ("sh_type is 0x8, expected", vec![NewSection { sh_type: 8, ..plain() }]),
        ("sh_type is 0x3, expected", vec![NewSection { sh_type: 3, ..plain() }]),
        ("sh_type is 0x70000085, expected", vec![NewSection { entsize: 16, ..null() }]),
        ("sh_addralign is 0x3, expected 0 or a power", vec![NewSection { align: 3, ..plain() }]),
        ("sh_link is 0x0, expected a string table", vec![missing]),
        ("st_name is 0x999, expected an offset", vec![symbol(0x999, 0)]),
        ("section (st_shndx) 7 does not exist (there are 7)", vec![symbol(0, COUNT + 1)]),
        ("symbol 1 does not exist (there are 1)", vec![null(), rela(0, 0, 1)]),
        ("expected a symbol table", vec![plain(), rela(0, 0, 0)]),
        (
            "a relocation without addend in a section of type 0x70000082",
            vec![
                null(),
                NewSection { contents: Contents::Relocations(vec![without_addend]), ..rela(0, 0, 0) },
            ],
        ),
        ("expected a symbol table", vec![NewSection { sh_type: 18, ..merc(plain()) }]),
    ];
    let count = rows.len();
    for (expected, sections) in rows {
        let names: Vec<String> = sections.iter().map(|section| section.name.clone()).collect();
        let mut cubin = small();
        let before = cubin.clone();
        let fault = cubin.append_sections(sections).unwrap_err();
        assert!(fault.to_string().contains(expected), "{fault}, not {expected}");
        assert!(names.iter().any(|name| name == fault.section()), "{fault}");
        assert_eq!(cubin, before, "{expected}");
    }
    eprintln!("{count} faults are refused");
}

/// From 0xff00 sections on, symbol tables need an `SHT_SYMTAB_SHNDX` section, which is kept right.
#[test]
fn many_sections_need_wide_symbols() {
    let plain = || bytes_section(".x", 0, Vec::new());
    let many = || (COUNT..0xff00).map(|_| plain());
    let mut cubin = small();
    let before = cubin.clone();
    let fault = cubin.append_sections(many().collect()).unwrap_err();
    assert!(matches!(fault.kind(), ErrorKind::DoesNotFit { value: 0xff00, .. }), "{fault}");
    assert_eq!(cubin, before);
    let wide = |name: &str, table| NewSection {
        sh_type: 18,
        align: 4,
        entsize: 4,
        link: table,
        ..bytes_section(name, 0, Vec::new())
    };
    let last = 0xff03;
    let symbol = Symbol { shndx: last, info: 3, ..Symbol::default() };
    let tables = [
        wide(".a", SectionLink::Old(SYMTAB)),
        wide(".b", SectionLink::New(2)),
        symtab(vec![Symbol::default(), symbol]),
    ];
    cubin.append_sections(tables.into_iter().chain(many()).chain([plain()]).collect()).unwrap();
    assert_eq!(cubin.sections.len(), last as usize + 1);
    let bytes = cubin.write().unwrap();
    let read = Cubin::parse(&bytes).unwrap();
    assert_eq!(read, cubin);
    assert_eq!(read.mercury_symbols()[1].section(), Some(SectionIndex(last)));
    let names = read.strings(SHSTRTAB).unwrap();
    assert_eq!(names.entries().filter(|(_, name)| *name == ".x").count(), 1);
    // Other symbols, too.
    let other = Symbol { shndx: last - 1, ..symbol };
    let table = cubin.mercury_symtab().unwrap();
    cubin.set_symbols(table, vec![Symbol::default(), other, other]).unwrap();
    let bytes = cubin.write().unwrap();
    assert_eq!(Cubin::parse(&bytes).unwrap(), cubin);
}

#[test]
fn symbols_are_replaced_where_nothing_needs_the_old_ones() {
    let mut cubin = small();
    cubin.append_sections(capsule_of_small()).unwrap();
    let before = cubin.clone();
    let table = cubin.mercury_symtab().unwrap();
    let local = Symbol { info: 3, shndx: TEXT.0, ..Symbol::default() };
    let global = Symbol { info: 0x12, ..local };
    let mut refused = |table, symbols, expected: &str| {
        let fault = cubin.set_symbols(table, symbols).unwrap_err();
        assert!(fault.to_string().contains(expected), "{fault}, not {expected}");
        assert_eq!(cubin, before);
    };
    refused(SectionIndex(99), vec![], "section 99 does not exist");
    refused(DEBUG_STR, vec![], ".debug_str+0x0: the section is not a symbol table");
    refused(table, vec![Symbol::default()], ".nv.capmerc.text.k+0x0: symbol (sh_info) 1 does not exist");
    refused(table, vec![local, Symbol { name: 99, ..local }], ".nv.merc.symtab+0x18: st_name is 0x63");
    refused(table, vec![local, Symbol { shndx: 11, ..local }], "section (st_shndx) 11 does not exist");
    let code = before.mercury_symtab().unwrap().0 - 4;
    let mut without_code = before.clone();
    without_code.sections[code as usize].info = 0;
    let fault = without_code.set_symbols(table, vec![local]).unwrap_err();
    assert_eq!(fault.to_string(), ".nv.merc.rela.debug_line+0x0: symbol 1 does not exist (there are 1)");

    cubin.set_symbols(table, vec![Symbol::default(), global, local, global]).unwrap();
    assert_eq!(cubin.section(table).unwrap().info, 3);
    assert_eq!(cubin.mercury_symbols()[3], global);
    cubin.set_symbols(table, vec![Symbol::default(), global]).unwrap();
    assert_eq!(cubin.section(table).unwrap().info, 1);
    let bytes = cubin.write().unwrap();
    assert_eq!(Cubin::parse(&bytes).unwrap(), cubin);
}

#[test]
fn names_of_symbols_are_found_or_added() {
    let mut cubin = small();
    let length = cubin.strings(STRTAB).unwrap().as_bytes().len() as u32;
    assert_eq!(cubin.intern_symbol_names(&["new", "k", "", "new", "k"]), Ok(vec![length, 1, 0, length, 1]));
    assert_eq!(cubin.strings(STRTAB).unwrap().get(length), Some("new"));
    let before = cubin.clone();
    assert!(cubin.intern_symbol_names(&["other", "a\0"]).unwrap_err().to_string().contains("NUL"));
    assert_eq!(cubin, before);
    assert_eq!(cubin.intern_symbol_names::<&str>(&[]), Ok(vec![]));
}

#[test]
fn bytes_of_mercury_sections_are_replaced() {
    let mut cubin = small();
    let all = cubin.append_sections(capsule_of_small()).unwrap();
    let [code, shared, own, rela, _] = all[..] else { panic!("{all:?}") };
    for (index, expected) in [
        (SectionIndex(0), "not a Mercury one"),
        (DEBUG_STR, "not a Mercury one"),
        (rela, "holds no bytes"),
        (SectionIndex(99), "section 99 does not exist"),
    ] {
        let fault = cubin.set_mercury_bytes(index, vec![1]).unwrap_err();
        assert!(fault.to_string().contains(expected), "{fault}");
    }
    for index in [code, shared, own] {
        cubin.set_mercury_bytes(index, vec![1, 2]).unwrap();
        assert_eq!(*cubin.bytes(index).unwrap(), [1, 2]);
    }
    assert_eq!(*cubin.bytes(DEBUG_STR).unwrap(), [7; 8]);
    cubin.append_sections(vec![alias(own)]).unwrap();
    assert!(cubin.set_mercury_bytes(own, vec![3]).unwrap_err().to_string().contains("share"));
    let bytes = cubin.write().unwrap();
    assert_eq!(Cubin::parse(&bytes).unwrap(), cubin);
}

proptest! {
    /// Whatever is asked for, it is refused without a trace, or it is read again as it was given.
    #[test]
    fn what_is_appended_is_read_again(
        asked in prop::collection::vec((0..5usize, 0..8u32, 0..8u32, 0..4usize, 0..3u32), 1..6),
    ) {
        let mut cubin = small();
        let before = cubin.clone();
        let new = asked.iter().map(|&(kind, index, shndx, number, symbol)| match kind {
            0 => alias(SectionIndex(index)),
            1 => NewSection {
                link: SectionLink::Old(SectionIndex(index)),
                ..symtab(vec![Symbol { shndx, ..Symbol::default() }])
            },
            2 => rela(number, number, symbol),
            3 => NewSection {
                link: SectionLink::New(number),
                info: SectionInfo::Symbol(SymbolIndex(symbol)),
                ..alias(DEBUG_STR)
            },
            // Never empty: a clone of nothing may be read as nothing of its own, for both are at
            // one place.
            _ => bytes_section(".y", SHF_MERCURY, vec![0; index as usize + 1]),
        });
        if let Ok(indices) = cubin.append_sections(new.collect()) {
            prop_assert_eq!(indices.len(), asked.len());
            let bytes = cubin.write().unwrap();
            let read = Cubin::parse(&bytes).unwrap();
            prop_assert_eq!(&read, &cubin);
            prop_assert_eq!(&cubin.sections[2..before.sections.len()], &before.sections[2..]);
        } else {
            prop_assert_eq!(cubin, before);
        }
    }

    /// Against the obvious way: look for a name, push it if it is not there.
    #[test]
    fn names_are_those_of_the_first_equal_string(
        names in prop::collection::vec("[ab]{0,2}", 0..12),
        table in prop::collection::vec("[ab]{0,2}", 0..12),
    ) {
        let mut strings = StringTable::default();
        for name in &table {
            strings.push(name).unwrap();
        }
        let mut naive = strings.clone();
        let mut expected = Vec::new();
        for name in &names {
            let found = naive.entries().find(|(_, entry)| entry == name).map(|(offset, _)| offset);
            expected.push(found.unwrap_or_else(|| naive.push(name).unwrap()));
        }
        prop_assert_eq!(strings.intern(&names), Ok(expected));
        prop_assert_eq!(strings, naive);
    }
}
