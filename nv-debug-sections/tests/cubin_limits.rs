//! Files at the limits of the container: cut short, as hostile as their size allows, with more
//! sections than 16 bits count, with names that are not text.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod corpus;

use std::path::Path;
use std::process::Command;

use corpus::{Cubins, file, oracle};
use nv_debug_sections::code::Code;
use nv_debug_sections::cubin::{
    Contents, Cubin, DebugOnlyFunction, DebugSection, Relocation, SHF_MERCURY, Section, SectionIndex, Symbol,
    SymbolIndex, debug_only,
};
use nv_debug_sections::error::ErrorKind;
use nv_debug_sections::release::Release;
use nv_debug_sections::relocated::RelocatedCubin;
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol};

fn kernel(name: &str) -> DebugOnlyFunction<'_> {
    DebugOnlyFunction { name, size: 16, kernel: true, local: false }
}

fn debug_section(name: &str) -> DebugSection {
    DebugSection { name: name.into(), bytes: vec![0; 8], rel: Vec::new(), rela: Vec::new() }
}

/// 2 MB in which 3000 symbols share a name of 1 MB: nothing is listed by name.
#[test]
fn one_long_name_for_many_symbols_is_not_listed() {
    let (mut cubin, _) = cubin_of(&[], []);
    let Contents::Strings(strings) = &mut cubin.sections[2].contents else { panic!("no strings") };
    let name = strings.push(&"q".repeat(1 << 20)).unwrap();
    let mut with = |count| {
        cubin.sections[3].contents = Contents::Symbols(vec![Symbol { name, ..Symbol::default() }; count]);
        cubin.check_name_expansion()
    };
    assert_eq!(with(4), Ok(()));
    assert!(with(3000).unwrap_err().to_string().contains("too many symbols"));
}

#[test]
fn every_cut_is_refused() {
    let mut files =
        vec![debug_only(Release::V13_0.target(75), &[kernel("k")], &[]).unwrap().cubin.write().unwrap()];
    let (mut kinds, cubins) = (std::collections::HashSet::new(), Cubins::open());
    let all = cubins.paths.iter().map(|path| file(path));
    files.extend(all.filter(|b| b.len() < 20_000 && kinds.insert((b[7], b[16], b[48..52].to_vec()))));
    let count = files.len();
    for bytes in files {
        for cut in 0..bytes.len() {
            let fault = Cubin::parse(&bytes[..cut]).map(|_| cut).unwrap_err();
            let tables = u64::from_le_bytes(bytes.get(40..48).unwrap().try_into().unwrap());
            if cut as u64 >= tables {
                assert_eq!((fault.section(), fault.offset()), ("", cut as u64));
                assert!(matches!(fault.kind(), ErrorKind::Truncated(_)), "{fault}");
            }
        }
    }
    eprintln!("cut: every prefix of {count} files is refused");
}

/// A cubin with a section table to be filled, names in section 1.
fn cubin_of(
    names: &[&str],
    sections: impl IntoIterator<Item = Section<'static>>,
) -> (Cubin<'static>, Vec<u32>) {
    let mut cubin = debug_only(Release::V13_0.target(90), &[], &[]).unwrap().cubin;
    cubin.sections[1].slack = Some(0); // not room for Mercury names that the file does not have
    let Contents::Strings(table) = &mut cubin.sections[1].contents else { panic!("no names") };
    let offsets = names.iter().map(|name| table.push(name).unwrap()).collect();
    cubin.sections.extend(sections);
    (cubin, offsets)
}

/// 19 MB in which each of 32,000 sections has a name of 16 MB, or each of 40,000 symbols. That the
/// test ends is the proof: one look at every name's bytes would be at half a terabyte, and a copy
/// of them fits no memory.
#[test]
fn one_long_name_for_everything_costs_nothing() {
    const LENGTH: usize = 1 << 24;
    for prefix in [".text.", ".debug_", "é"] {
        let long = format!("{prefix}{}", "a".repeat(LENGTH));
        let (mut cubin, names) = cubin_of(&[&long], []);
        let unknown = Relocation { offset: 0, r_type: 77, symbol: SymbolIndex(0), addend: Some(0) };
        for i in 0..16_000 {
            let name = names[0];
            let contents = Contents::Bytes(vec![0].into());
            cubin.sections.push(Section { name, sh_type: 1, contents, ..Section::default() });
            let contents = Contents::Relocations(vec![unknown]);
            let table = Section {
                name,
                sh_type: 4,
                link: 3,
                info: 2 * i + 4,
                entsize: 24,
                contents,
                ..Section::default()
            };
            cubin.sections.push(table);
        }
        // Symbols as removed debug sections leave them, which `set_debug_sections` looks for.
        let Contents::Strings(strings) = &mut cubin.sections[2].contents else { panic!("no strings") };
        let name = strings.push(&long).unwrap();
        cubin.sections[3].contents = Contents::Symbols(vec![Symbol { name, ..Symbol::default() }; 40_000]);

        let bytes = cubin.write().unwrap();
        let mut cubin = Cubin::parse(&bytes).unwrap();
        assert_eq!(cubin.write().unwrap(), bytes);
        assert_eq!(cubin.iter().filter(|(_, name, _)| name.len() == long.len()).count(), 32_000);
        let symbols = (0..40_000).map(|i| cubin.symbol_name(SymbolIndex(i)).len());
        assert_eq!(symbols.sum::<usize>(), 40_000 * long.len());
        let view = RelocatedCubin::new(&cubin);
        let faults = (0..cubin.sections.len() as u32).filter_map(|i| view.section(SectionIndex(i)).err());
        assert_eq!(faults.filter(|fault| fault.section().len() < 5000).count(), 16_000);
        assert!(cubin.debug_sections().is_err(), "a list of these names would take 512 GB");
        let mut stripped = cubin.clone();
        let removed = stripped.remove_debug_sections(|_| false).unwrap();
        assert_eq!(removed.len(), if prefix == ".debug_" { 32_000 } else { 0 });
        let mut side = cubin.clone();
        if side.keep_only_debug().is_ok() {
            assert!(prefix != ".debug_", "unknown relocations");
            side.fill_from(&stripped).unwrap();
        }
        cubin.set_debug_sections((0..1000).map(|i| debug_section(&format!(".debug_{i}"))).collect()).unwrap();
        Cubin::parse(&cubin.write().unwrap()).unwrap();
    }
}

/// Relocation sections that apply to themselves, to each other, or to the section that they are
/// relocated against.
#[test]
fn relocations_in_a_circle_end() {
    let relocations = |info, offset| Section {
        sh_type: 4,
        link: 3,
        info,
        entsize: 24,
        contents: Contents::Relocations(vec![Relocation {
            offset,
            r_type: 2,
            symbol: SymbolIndex(0),
            addend: Some(8),
        }]),
        ..Section::default()
    };
    let (mut cubin, names) = cubin_of(&[".debug_info"], []);
    let info = Section {
        name: names[0],
        sh_type: 1,
        contents: Contents::Bytes(vec![1; 8].into()),
        ..Section::default()
    };
    // 4: itself; 5 and 6: each other; 7: the symbols; 8 and 9: a debug section, and the relocations
    // of that.
    cubin.sections.extend([relocations(4, 0), relocations(6, 8), relocations(5, 16), relocations(3, 0)]);
    cubin.sections.extend([relocations(10, 0), relocations(8, 0), info]);
    let bytes = cubin.write().unwrap();
    let cubin = Cubin::parse(&bytes).unwrap();
    assert_eq!(cubin.write().unwrap(), bytes);
    let view = RelocatedCubin::new(&cubin);
    let values: Vec<_> =
        [4, 5, 6, 8, 10].map(|i| view.section(SectionIndex(i)).unwrap().bytes.into_owned()).into();
    assert!(values.iter().all(|bytes| bytes.chunks(8).any(|value| value == 8_u64.to_le_bytes())));
    assert!(view.section(SectionIndex(3)).is_ok());
    // A section that is relocated itself is not a debug section's table alone: it stays, so its
    // table must.
    for edit in [
        |cubin: &mut Cubin<'_>| cubin.remove_debug_sections(|_| false).map(drop),
        |cubin: &mut Cubin<'_>| cubin.set_debug_sections(Vec::new()),
        |cubin: &mut Cubin<'_>| cubin.keep_only_debug(),
    ] {
        let mut edited = cubin.clone();
        match edit(&mut edited) {
            Ok(()) => assert!(Cubin::parse(&edited.write().unwrap()).is_ok()),
            Err(_) => assert_eq!(edited, cubin),
        }
    }
}

#[test]
fn few_clones_share_the_bytes_of_one_section() {
    let parse = |clones| {
        let bytes = Contents::Bytes(vec![7; 64].into());
        let clone = Section {
            sh_type: 1,
            flags: SHF_MERCURY,
            contents: Contents::Alias(SectionIndex(4)),
            ..Section::default()
        };
        let owner = Section { sh_type: 1, contents: bytes, ..Section::default() };
        let (cubin, _) = cubin_of(&[], [owner].into_iter().chain(vec![clone; clones]));
        Cubin::parse(&cubin.write().unwrap()).map(|again| assert_eq!(again.sections.len(), 5 + clones))
    };
    assert_eq!(parse(4), Ok(()));
    assert!(parse(5).unwrap_err().to_string().contains("more than 4 sections share these bytes"));
}

/// Another reader's view: names and sections of all functions. What binutils and LLVM say, where
/// they are.
fn check_functions(bytes: &[u8], names: &[String]) {
    let elf = ElfFile64::<LittleEndian>::parse(bytes).unwrap();
    let sections: Vec<_> = elf.sections().map(|s| s.name().unwrap().to_owned()).collect();
    let functions: Vec<_> = elf.symbols().filter(|s| s.kind() == object::SymbolKind::Text).collect();
    assert_eq!(functions.len(), names.len());
    for (symbol, name) in functions.iter().zip(names) {
        assert_eq!(symbol.name(), Ok(name.as_str()));
        let section = symbol.section_index().unwrap();
        assert_eq!(sections[section.0 - 1], format!(".text.{name}"));
    }
    let path =
        std::env::temp_dir().join(format!("nv-debug-sections-{}-{}.o", names.len(), std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    for tool in ["readelf", "llvm-readelf"] {
        let Ok(output) = Command::new(tool).args(["-SsW"]).arg(&path).output() else {
            eprintln!("skipped: no {tool}");
            continue;
        };
        let text = String::from_utf8_lossy(&output.stdout);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !message.to_lowercase().contains("warning"), "{tool}: {message}");
        let last = names.last().unwrap();
        let index = sections.iter().position(|s| s == &format!(".text.{last}")).unwrap() + 1;
        let symbol = text.lines().find(|l| l.contains(" FUNC ") && l.ends_with(&format!(" {last}"))).unwrap();
        assert!(symbol.split_whitespace().any(|word| word == index.to_string()), "{tool}: {symbol}");
        assert!(text.contains(&format!("[{index}] .text.{last} ")), "{tool} lacks section {index}");
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_hundred_thousand_functions() {
    let names: Vec<_> = (0..100_000).map(|i| format!("f{i}")).collect();
    let functions: Vec<_> = names.iter().map(|name| kernel(name)).collect();
    let made = debug_only(Release::V13_0.target(90), &functions, &[]).unwrap();
    let mut cubin = made.cubin;
    let last = *made.functions.last().unwrap();
    check_functions(&cubin.write().unwrap(), &names);

    let before = cubin.clone();
    cubin.set_debug_sections(vec![debug_section(".debug_info"), debug_section(".debug_line")]).unwrap();
    let bytes = cubin.write().unwrap();
    check_functions(&bytes, &names);
    let mut again = Cubin::parse(&bytes).unwrap();
    assert_eq!(again, cubin);
    let section = again.symbols()[last.as_usize()].section().unwrap();
    assert_eq!(again.section_name(section), ".text.f99999");
    assert_eq!(Code::new(&again).at_address(again.symbols()[last.as_usize()].value), Some((section, 0)));

    again.set_debug_sections(Vec::new()).unwrap();
    let without = again.write().unwrap();
    check_functions(&without, &names);
    assert_eq!(again.symbols(), before.symbols());
}

/// Numbers on both sides of the last one that 16 bits hold, and the names after all functions.
#[test]
fn extended_numbering_starts_where_it_must() {
    let names: Vec<_> = (0..0xf001).map(|i| format!("f{i}")).collect();
    let functions: Vec<_> = names.iter().map(|name| kernel(name)).collect();
    let mut cubin = debug_only(Release::V13_0.target(90), &functions, &[]).unwrap().cubin;
    for more in 0xff00 - cubin.sections.len() - 1..0xff00 - cubin.sections.len() + 2 {
        let sections: Vec<_> = (0..more).map(|i| debug_section(&format!(".debug_{i}"))).collect();
        cubin.set_debug_sections(sections).unwrap();
        let names_at = cubin.header.shstrndx;
        let mut moved = cubin.clone();
        moved.sections.push(Section::default());
        let end = moved.sections.len() - 1;
        moved.sections.swap(names_at.as_usize(), end);
        moved.header.shstrndx = SectionIndex(end as u32);
        for cubin in [&cubin, &moved] {
            let bytes = cubin.write().unwrap();
            let is_extended = cubin.sections.len() >= 0xff00;
            assert_eq!(bytes[60..62] == [0, 0], is_extended);
            let again = Cubin::parse(&bytes).unwrap();
            assert_eq!(again.header, cubin.header);
            assert_eq!(again.symbols(), cubin.symbols());
            check_functions(&bytes, &names);
        }
        cubin.set_debug_sections(Vec::new()).unwrap();
    }
    // Without a table for the symbols' section indices there is no room.
    let mut short = debug_only(Release::V13_0.target(90), &functions[1..], &[]).unwrap().cubin;
    let before = short.clone();
    let fault = short.set_debug_sections((0..0xf00).map(|i| debug_section(&format!(".debug_{i}"))).collect());
    assert!(fault.unwrap_err().to_string().contains("does not fit st_shndx"));
    assert_eq!(short, before);
}

#[test]
fn names_that_are_not_text_are_shown_and_kept() {
    let mut bytes =
        debug_only(Release::V13_0.target(75), &[kernel("kernel")], &[]).unwrap().cubin.write().unwrap();
    let at = bytes.windows(8).rposition(|window| window == b"\0kernel\0").unwrap();
    bytes[at + 3] = 0xff;
    let mut cubin = Cubin::parse(&bytes).unwrap();
    assert_eq!(cubin.functions().map(|(i, _)| cubin.symbol_name(i)).collect::<Vec<_>>(), ["ke?nel"]);
    assert_eq!(cubin.section_by_name(".text.kernel"), Some(SectionIndex(4)));
    assert_eq!(cubin.write().unwrap(), bytes);
    assert_eq!(cubin.clone().into_owned().write().unwrap(), bytes);
    cubin.set_debug_sections(vec![debug_section(".debug_info")]).unwrap();
    assert!(cubin.write().unwrap().windows(7).any(|window| window == b"\0ke\xffnel"));
}

/// Debug sections that refer to labels in code: ptxas gives their symbols names that differ from
/// run to run.
#[test]
fn garbage_names_of_ptxas_are_read() {
    let Some(ptxas) = oracle("ptxas") else { return };
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases");
    let output = std::env::temp_dir().join(format!("nv-debug-sections-garbage-{}.cubin", std::process::id()));
    let (mut garbage, mut read) = (0, 0);
    for case in ["695-infolabel-own.ptx", "698-infolabel-cross.ptx"] {
        let case = cases.join(case);
        if !case.is_file() {
            eprintln!("skipped: no {}", case.display());
            continue;
        }
        for arch in ["-arch=sm_90", "-arch=sm_100"].repeat(3) {
            let done = Command::new(&ptxas).args(["-g", arch, "-o"]).args([&output, &case]).output().unwrap();
            if !done.status.success() {
                continue; // the names it finds there may be none
            }
            let bytes = file(&output);
            let cubin = Cubin::parse(&bytes).unwrap();
            assert!(cubin.write().unwrap() == bytes, "{}", case.display());
            read += 1;
            garbage += u32::from(cubin.sections.iter().any(|s| match &s.contents {
                Contents::Strings(table) => std::str::from_utf8(table.as_bytes()).is_err(),
                _ => false,
            }));
        }
    }
    let _ = std::fs::remove_file(&output);
    eprintln!(
        "garbage: {read} files read and written identically, {garbage} of them with names that are not UTF-8"
    );
}
