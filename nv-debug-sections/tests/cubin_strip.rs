//! Debug sections taken out, into a side file, and put together again, on every cubin of the
//! corpus.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod corpus;

use corpus::{Cubins, file};
use nv_debug_sections::catalog::is_debug_section;
use nv_debug_sections::cubin::{
    Contents, Cubin, DebugOnlyFunction, DebugSection, Keep, Relocation, SHF_MERCURY, Section, SectionIndex,
    Symbol, SymbolIndex, debug_only, sht,
};
use nv_debug_sections::release::Release;
use nv_debug_sections::relocated::RelocatedCubin;
use std::collections::HashSet;

/// Whether a section is debug information by its name alone, as `bugs/48` has it: also a clone or
/// relocations.
fn is_debug(name: &str) -> bool {
    let native = name.strip_prefix(".nv.merc").unwrap_or(name);
    let native = native.strip_prefix(".rela").or(native.strip_prefix(".rel")).unwrap_or(native);
    is_debug_section(native) && native != ".nv_debug.shared"
}

/// Name, header fields that the container keeps, and bytes of everything that is not
/// debug information.
fn code_of(cubin: &Cubin<'_>) -> Vec<(String, [u64; 4], Vec<u8>)> {
    let all = cubin.iter().filter(|(_, name, _)| !is_debug(name));
    all.map(|(index, name, section)| {
        let mut bytes = cubin.bytes(index).unwrap().into_owned();
        match &section.contents {
            // Section symbols of removed sections are undefined; section numbers differ.
            Contents::Symbols(_) => bytes.clear(),
            // The number of the code section is in front.
            _ if name.starts_with(".nv.capmerc.text.") => drop(bytes.drain(..4)),
            _ => {}
        }
        let header = [section.sh_type.into(), section.flags, section.align, section.entsize];
        (name.to_owned(), header, bytes)
    })
    .collect()
}

/// Symbols but those that only stand for debug sections: number, name, and fields but the section's
/// number.
fn symbols_of(cubin: &Cubin<'_>, table: &str) -> Vec<(usize, String, [u64; 4], String)> {
    let Some(table) = cubin.section_by_name(table) else { return Vec::new() };
    let all = cubin.symbols_of(table).iter().enumerate().map(|(index, symbol)| {
        let name = cubin.symbol_name_in(table, SymbolIndex(index as u32)).to_owned();
        let fields = [symbol.info.into(), symbol.other.into(), symbol.value, symbol.size];
        let section = symbol.section().map_or(String::new(), |s| cubin.section_name(s).to_owned());
        (index, name, fields, section)
    });
    all.filter(|(_, name, ..)| !is_debug(name)).collect()
}

#[test]
fn code_symbols_and_records_stay_and_stripping_twice_is_once() {
    let cubins = Cubins::open();
    let (mut before, mut after, mut native) = (0, 0, 0);
    for path in &cubins.paths {
        let bytes = file(path);
        let original = Cubin::parse(&bytes).unwrap();
        let mut cubin = original.clone();
        let removed = cubin.remove_debug_sections(|_| false).unwrap();
        assert!(removed.iter().all(|index| is_debug(original.section_name(*index))));
        let stripped = cubin.write().unwrap();
        let mut again = Cubin::parse(&stripped).unwrap();
        assert_eq!(again, cubin, "{}", path.display());
        assert!(!again.iter().any(|(_, name, _)| is_debug(name)), "{}", path.display());
        assert!(!again.has_debug_sections());
        assert!(code_of(&again) == code_of(&original), "{}", path.display());
        for table in [".symtab", ".nv.merc.symtab"] {
            assert_eq!(symbols_of(&again, table), symbols_of(&original, table), "{}", path.display());
        }
        assert_eq!(again.remove_debug_sections(|_| false), Ok(Vec::new()));
        assert!(again.write().unwrap() == stripped);
        assert_eq!(original.has_debug_sections(), !removed.is_empty());
        assert!(stripped.len() < bytes.len() || removed.is_empty());
        (before, after) = (before + bytes.len(), after + stripped.len());
        if !original.iter().any(|(.., section)| section.is_mercury()) {
            // The other way to the same file.
            let mut cubin = original.clone();
            cubin.set_debug_sections(Vec::new()).unwrap();
            assert!(cubin.write().unwrap() == stripped, "{}", path.display());
            native += 1;
        }
    }
    eprintln!(
        "stripped: {} cubins of {before} bytes to {after}; {native} as by set_debug_sections",
        cubins.paths.len()
    );
}

/// A debug section as readers see it: bytes with relocations applied, and what they refer to.
fn seen(
    cubin: &Cubin<'_>,
    view: &RelocatedCubin<'_, '_>,
    index: SectionIndex,
) -> (Vec<u8>, Vec<(u64, String, u64)>) {
    let section = view.section(index).unwrap();
    let targets = section.fields().iter().map(|field| {
        let name = field.target.section.map_or("", |target| cubin.section_name(target));
        (field.offset, name.to_owned(), field.target.offset)
    });
    let targets = targets.collect();
    (section.bytes.into_owned(), targets)
}

#[test]
fn a_side_file_and_the_code_are_the_cubin_again() {
    let cubins = Cubins::open();
    let mut joined = 0;
    for path in &cubins.paths {
        let bytes = file(path);
        let original = Cubin::parse(&bytes).unwrap();
        let mut code = original.clone();
        if code.remove_debug_sections(|name| name == ".debug_frame").unwrap().is_empty() {
            continue;
        }
        let mut side = original.clone();
        side.keep_only_debug().unwrap();
        let (code, side) = (code.write().unwrap(), side.write().unwrap());
        let (code, mut side) = (Cubin::parse(&code).unwrap(), Cubin::parse(&side).unwrap());
        assert!(side.is_side_file() && !original.is_side_file());
        // Without the code: names, sizes and addresses are there, and debug sections say the same.
        let (own, views) = (RelocatedCubin::new(&original), RelocatedCubin::new(&side));
        for (index, name, _) in original.iter() {
            assert_eq!(side.section_name(index), name);
            if is_debug(name) && side.section(index).unwrap().relocations().is_none() {
                assert!(
                    seen(&side, &views, index) == seen(&original, &own, index),
                    "{} {name}",
                    path.display()
                );
            }
        }
        side.fill_from(&code).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        joined += 1;
        assert_eq!(side.header, original.header);
        // That includes fields under RELA entries, where side files have the values instead.
        assert!(side.write().unwrap() == bytes, "{}", path.display());
        // The whole cubin can stand for its side file.
        let mut whole = original.clone();
        whole.fill_from(&code).unwrap();
        assert!(whole == original);
    }
    eprintln!("joined: {joined} cubins");
}

#[test]
fn fields_under_rela_entries_hold_their_values_in_side_files() {
    let cubins = Cubins::open();
    let (mut fields, mut stale) = (0, 0);
    for path in cubins.paths.iter().filter(|path| path.iter().any(|part| part == "sm_90")) {
        let bytes = file(path);
        let original = Cubin::parse(&bytes).unwrap();
        let mut side = original.clone();
        side.keep_only_debug().unwrap();
        let view = RelocatedCubin::new(&original);
        for (index, name, _) in original.iter().filter(|(_, name, _)| is_debug_section(name)) {
            let section = view.section(index).unwrap();
            // sm_90 has RELA entries only (docs/formats/relocations.md, REL and RELA), so all of
            // the section is as a reader without relocations needs it.
            assert_eq!(side.bytes(index).unwrap(), section.bytes, "{} {name}", path.display());
            fields += section.fields().len();
            stale += usize::from(original.bytes(index).unwrap() != section.bytes);
        }
    }
    eprintln!("side files: {fields} fields have their values, {stale} sections had other ones");
}

#[test]
fn a_damaged_side_file_is_refused() {
    let (code, side) = (code(small(90, 32)), side(small(90, 32)));
    let written = side.write().unwrap();
    assert!(side.clone().fill_from(&code).is_ok());
    let mut refused = 0;
    for at in 0..written.len() {
        let mut damaged = written.clone();
        damaged[at] ^= 1;
        let Ok(mut damaged) = Cubin::parse(&damaged) else { continue };
        // What differs in the header, the null section or the padding is in no section.
        if damaged.sections != side.sections {
            assert!(damaged.fill_from(&code).is_err() || !damaged.is_side_file(), "{at:#x}");
            refused += 1;
        }
    }
    assert!(refused > written.len() / 4, "{refused} of {}", written.len());
}

/// The build ID, from the bytes of a stripped file as another reader sees its sections.
fn build_id_of_stripped(bytes: &[u8]) -> String {
    use object::elf::FileHeader64;
    use object::read::elf::{FileHeader as _, SectionHeader as _};
    use sha2::{Digest as _, Sha256};
    let endian = object::LittleEndian;
    let header = FileHeader64::<object::LittleEndian>::parse(bytes).unwrap();
    let table = header.sections(endian, bytes).unwrap();
    let mut hash = Sha256::new();
    hash.update(header.e_flags.get(endian).0.to_le_bytes());
    for section in table.iter().skip(1) {
        hash.update(table.section_name(endian, section).unwrap());
        hash.update([0]);
        hash.update(section.sh_size(endian).to_le_bytes());
        // NVIDIA has types of its own for sections without bytes.
        let is_empty = matches!(section.sh_type(endian).0, sht::CUDA_GLOBAL | sht::CUDA_SHARED)
            || section.sh_type(endian).0 == sht::CUDA_SHARED_RESERVED
                && section.sh_flags(endian).0 & SHF_MERCURY == 0;
        hash.update(if is_empty { &[] } else { section.data(endian, bytes).unwrap() });
    }
    let id = hash.finalize().iter().take(20).copied().collect::<Vec<u8>>();
    let (high, low) = id.split_at(4);
    let number = |bytes: &[u8]| bytes.iter().fold(0_u128, |id, byte| id << 8 | u128::from(*byte));
    format!("{:08x}{:032x}", number(high), number(low))
}

#[test]
fn the_build_id_is_the_same_before_and_after() {
    let cubins = Cubins::open();
    let mut ids = HashSet::new();
    for path in &cubins.paths {
        let bytes = file(path);
        let original = Cubin::parse(&bytes).unwrap();
        let id = original.build_id().unwrap();
        for keep in [Keep::Lines, Keep::AllWithoutPtx, Keep::None] {
            let mut stripped = original.clone();
            stripped.strip(keep).unwrap();
            let stripped = stripped.write().unwrap();
            assert_eq!(Cubin::parse(&stripped).unwrap().build_id().unwrap(), id, "{}", path.display());
            // Sections that share bytes are counted in a way of their own.
            let shares =
                original.sections.iter().any(|section| matches!(section.contents, Contents::Alias(_)));
            if keep == Keep::None && !shares {
                assert_eq!(build_id_of_stripped(&stripped), id.to_string(), "{}", path.display());
            }
        }
        assert_eq!(id.side_file_name(), format!("{id}.debug"));
        ids.insert(id.0);
    }

    assert!(ids.len() > cubins.paths.len() / 2, "{} build IDs", ids.len());
}

/// A cubin-like object without any corpus: two functions, a reference from `.debug_info` to each
/// and to `.debug_abbrev`.
fn small(sm: u32, second: u64) -> Cubin<'static> {
    let function = |name, size| DebugOnlyFunction { name, size, kernel: true, local: false };
    let made =
        debug_only(Release::V13_0.target(sm), &[function("a", 16), function("b", second)], &[]).unwrap();
    let mut cubin = made.cubin;
    let at = |offset, symbol| Relocation { offset, r_type: 2, symbol, addend: Some(4) };
    let rela = vec![at(0, made.functions[0]), at(8, made.functions[1])];
    let section =
        |name: &str, rela| DebugSection { name: name.into(), bytes: vec![7; 16], rel: Vec::new(), rela };
    cubin.set_debug_sections(vec![section(".debug_line", Vec::new()), section(".debug_info", rela)]).unwrap();
    cubin
}

fn code(mut cubin: Cubin<'static>) -> Cubin<'static> {
    cubin.remove_debug_sections(|_| false).unwrap();
    cubin
}

fn side(mut cubin: Cubin<'static>) -> Cubin<'static> {
    cubin.keep_only_debug().unwrap();
    cubin
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let refused = |own: Cubin<'static>, code: &Cubin<'static>| {
        let (mut joined, before) = (own.clone(), own);
        let error = joined.fill_from(code).unwrap_err().to_string();
        assert_eq!(joined, before);
        error
    };
    let mut joined = side(small(90, 32));
    joined.fill_from(&code(small(90, 32))).unwrap();
    assert_eq!(joined.sections.len(), small(90, 32).sections.len());

    assert!(
        refused(side(small(90, 32)), &code(small(80, 32)))
            .contains("sm_80, ELF type 0x2; the debug file has sm_90")
    );
    assert_eq!(
        refused(side(small(90, 32)), &code(small(90, 48))),
        ".text.b+0x0: the section has 0x30 bytes, in the debug file 0x20"
    );
    // Other code of the same size, with a side file and with the whole cubin.
    let with_code = |byte: u8| {
        let mut cubin = small(90, 32);
        let text = cubin.section_by_name(".text.b").unwrap();
        let section = &mut cubin.sections[text.0 as usize];
        (section.sh_type, section.contents) = (1, Contents::Bytes(vec![byte; 32].into()));
        cubin
    };
    side(with_code(1)).fill_from(&code(with_code(1))).unwrap();
    assert_eq!(
        refused(side(with_code(1)), &code(with_code(2))),
        ".text.b+0x0: the section is another one than that which the debug file was made of"
    );
    assert_eq!(
        refused(with_code(1), &code(with_code(2))),
        ".text.b+0x0: the debug file has other bytes here"
    );
    // Another function of the same size and order.
    let renamed = {
        let function = |name| DebugOnlyFunction { name, size: 16, kernel: true, local: false };
        debug_only(Release::V13_0.target(90), &[function("a"), function("c")], &[]).unwrap().cubin
    };
    assert_eq!(
        refused(side(small(90, 16)), &renamed),
        ".text.c+0x0: the debug file has .text.b in its place"
    );
}

/// What a section may be changed to: its contents in one place, each of its header's fields.
fn changed<'d>(section: &Section<'d>) -> Vec<(&'static str, Section<'d>)> {
    let with = |what, change: &dyn Fn(&mut Section<'d>)| {
        let mut changed = section.clone();
        change(&mut changed);
        (what, changed)
    };
    let mut all = vec![
        with("type", &|section| section.sh_type ^= 0x100_0000),
        with("flags", &|section| section.flags ^= 1 << 40),
        with("address", &|section| section.address ^= 8),
        with("alignment", &|section| section.align = section.align.max(1) * 2),
        with("entry size", &|section| section.entsize += 8),
        with("link", &|section| section.link += 1),
        with("info", &|section| section.info += 1),
    ];
    match &section.contents {
        Contents::Bytes(bytes) => all.extend([0, bytes.len() / 2, bytes.len()].iter().filter_map(|&at| {
            let mut bytes = bytes.to_vec();
            *bytes.get_mut(at)? ^= 1;
            Some(("byte", Section { contents: Contents::Bytes(bytes.into()), ..section.clone() }))
        })),
        Contents::Relocations(relocations) if !relocations.is_empty() => {
            let with = |what, change: &dyn Fn(&mut Relocation)| {
                let mut relocations = relocations.clone();
                change(relocations.last_mut().unwrap());
                (what, Section { contents: Contents::Relocations(relocations), ..section.clone() })
            };
            all.push(with("relocation offset", &|relocation| relocation.offset += 16));
            all.push(with("relocation type", &|relocation| relocation.r_type ^= 1));
            all.push(with("relocation symbol", &|relocation| relocation.symbol.0 ^= 1));
            if relocations.last().unwrap().addend.is_some() {
                all.push(with("addend", &|relocation| relocation.addend = relocation.addend.map(|a| a + 4)));
            }
        }
        Contents::Symbols(symbols) => {
            let with = |what, change: &dyn Fn(&mut Symbol)| {
                let mut symbols = symbols.clone();
                change(symbols.last_mut().unwrap());
                (what, Section { contents: Contents::Symbols(symbols), ..section.clone() })
            };
            all.push(with("symbol value", &|symbol| symbol.value += 16));
            all.push(with("symbol size", &|symbol| symbol.size += 16));
            all.push(with("symbol binding", &|symbol| symbol.info ^= 0x10));
            all.push(with("symbol visibility", &|symbol| symbol.other ^= 0x20));
            all.push(with("symbol name", &|symbol| symbol.name += 1));
        }
        Contents::NoBits(size) => {
            all.push(("size", Section { contents: Contents::NoBits(size + 4), ..section.clone() }));
        }
        Contents::Alias(_) | Contents::Strings(_) | Contents::Relocations(_) => {}
    }
    all
}

/// Whatever strip leaves must be as it was, with a side file and with the whole cubin; only where
/// it lies does not matter.
#[test]
fn no_change_of_what_is_left_goes_unnoticed() {
    let cubins = Cubins::open();
    let mut arches = HashSet::new();
    let (mut refused, mut kinds) = (0, HashSet::new());
    for path in
        cubins.paths.iter().filter(|path| path.iter().any(|part| part == "G" || part == "lineinfo-rdc"))
    {
        let bytes = file(path);
        let original = Cubin::parse(&bytes).unwrap();
        if !arches.insert((original.header.sm(), original.header.e_type)) {
            continue;
        }
        let mut side = original.clone();
        side.keep_only_debug().unwrap();
        for keep in [&[][..], &[".debug_frame", ".debug_line", ".debug_str"]] {
            let mut code = original.clone();
            code.remove_debug_sections(|name| keep.contains(&name)).unwrap();
            side.clone().fill_from(&code).unwrap();
            let mut moved = code.clone();
            moved.sections.last_mut().unwrap().slack = Some(64);
            side.clone().fill_from(&moved).unwrap();
            let mut flagged = code.clone();
            flagged.header.e_flags ^= 1;
            assert!(
                side.clone().fill_from(&flagged).is_err() && original.clone().fill_from(&flagged).is_err()
            );
            for index in 1..code.sections.len() {
                let name = code.section_name(SectionIndex(index as u32)).to_owned();
                if is_debug(&name) {
                    continue;
                }
                for (what, section) in changed(&code.sections[index]) {
                    let mut other = code.clone();
                    other.sections[index] = section;
                    for own in [&side, &original] {
                        let mut joined = own.clone();
                        assert!(joined.fill_from(&other).is_err(), "{}: {name}: {what}", path.display());
                        assert!(joined == *own);
                    }
                    refused += 1;
                    kinds.insert(what);
                }
            }
        }
    }
    eprintln!(
        "{refused} changes of {} kinds in cubins of {} kinds: none unnoticed",
        kinds.len(),
        arches.len()
    );
    assert!(kinds.len() > 15 && arches.len() > 4, "{kinds:?} {arches:?}");
}

#[test]
fn a_section_that_another_one_needs_cannot_go_alone() {
    let mut cubin = small(90, 32);
    // `.debug_info` gets a reference to the symbol of `.debug_line`, as ptxas writes them.
    let line = cubin.section_by_name(".debug_line").unwrap();
    let table = cubin.symtab().unwrap();
    let Contents::Symbols(symbols) = &mut cubin.sections[table.0 as usize].contents else { panic!() };
    symbols[1].shndx = line.0;
    symbols[1].info = 3;
    let before = cubin.clone();
    let error = cubin.remove_debug_sections(|name| name == ".debug_info").unwrap_err();
    assert_eq!(error.to_string(), ".debug_info+0x0: the field needs .debug_line, which is removed");
    assert_eq!(cubin, before);
    cubin.remove_debug_sections(|name| name == ".debug_line").unwrap();
    let names: Vec<_> = cubin.iter().map(|(_, name, _)| name).filter(|name| is_debug(name)).collect();
    assert_eq!(names, [".debug_line"]);
}

/// Found by mutation: relocations of code in a section that is called as a debug section.
#[test]
fn relocations_with_a_debug_name_are_no_debug_section() {
    let function = DebugOnlyFunction { name: "k", size: 64, kernel: true, local: false };
    let mut cubin = debug_only(Release::V13_0.target(75), &[function], &[]).unwrap().cubin;
    let text = cubin.section_by_name(".text.k").unwrap();
    let (link, shstrndx) = (cubin.symtab().unwrap().0, cubin.header.shstrndx.as_usize());
    let Contents::Strings(names) = &mut cubin.sections[shstrndx].contents else { panic!("no names") };
    let name = names.push(".nv_debug_ptx_txt.7").unwrap();
    let of_code = Relocation { offset: 0, r_type: 2, symbol: SymbolIndex(0), addend: Some(0) };
    let contents = Contents::Relocations(vec![of_code]);
    let table = Section {
        name,
        sh_type: 4,
        link,
        info: text.0,
        align: 8,
        entsize: 24,
        contents,
        ..Section::default()
    };
    cubin.sections.push(table);
    let bytes = vec![7; 8];
    let debug = DebugSection { name: ".debug_str".into(), bytes, rel: Vec::new(), rela: Vec::new() };
    cubin.set_debug_sections(vec![debug]).unwrap();

    let (mut code, mut side) = (cubin.clone(), cubin.clone());
    code.remove_debug_sections(|_| false).unwrap();
    side.keep_only_debug().unwrap();
    let (code, side) = (code.write().unwrap(), side.write().unwrap());
    let (code, mut side) = (Cubin::parse(&code).unwrap(), Cubin::parse(&side).unwrap());
    assert_eq!(side.fill_from(&code), Ok(()));
}
