//! The container against every cubin of the corpus, and against bytes that are not a cubin.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod corpus;

use corpus::{Cubins, architectures, file, oracle, ptxas_12};
use nv_debug_sections::catalog::is_debug_section;
use nv_debug_sections::code::Code;
use nv_debug_sections::cubin::{
    Contents, Cubin, DebugOnlyFunction, DebugOnlyObject, SectionIndex, debug_only,
};
use nv_debug_sections::error::ErrorKind;
use nv_debug_sections::release::Release;
use nv_debug_sections::relocated::RelocatedCubin;
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol};
use proptest::prelude::*;

#[test]
fn reading_and_writing_gives_the_same_bytes() {
    let cubins = Cubins::open();
    let (mut same, mut stored) = (0, 0);
    let mut different = Vec::new();
    for path in &cubins.paths {
        let bytes = file(path);
        let cubin = Cubin::parse(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display())).into_owned();
        let written = cubin.write().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        stored += cubin.sections.iter().filter(|s| s.slack.is_some()).count();
        if written == bytes {
            same += 1;
        } else {
            let at = written.iter().zip(&bytes).position(|(a, b)| a != b);
            different.push(format!(
                "{}: {at:x?} of {:#x}, {:#x}",
                path.display(),
                written.len(),
                bytes.len()
            ));
        }
    }
    eprintln!("identical: {same}/{} cubins, {stored} stored gaps", cubins.paths.len());
    assert!(different.is_empty(), "{different:#?}");
}

/// Chips and kinds of output that the corpus lacks.
#[test]
fn other_kinds_of_output_too() {
    let cubins = Cubins::open();
    let (Some(ptxas), Some(nvlink)) = (oracle("ptxas"), oracle("nvlink")) else { return };
    let source =
        cubins.paths.iter().find(|p| p.ends_with("deep_inline/sm_75/lineinfo/deep_inline.cubin")).unwrap();
    let ptx = String::from_utf8(file(&source.with_extension("ptx"))).unwrap();
    let folder = std::env::temp_dir().join(format!("nv-debug-sections-kinds-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (input, output, linked) = (folder.join("a.ptx"), folder.join("a.cubin"), folder.join("r.cubin"));
    std::fs::write(&input, &ptx).unwrap();
    let run = |tool: &std::path::Path, arguments: &[&str], from: &std::path::Path, to: &std::path::Path| {
        let done =
            std::process::Command::new(tool).args(arguments).arg(from).arg("-o").arg(to).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let mut count = 0;
    let mut check = |what: &str, path: &std::path::Path| {
        let bytes = file(path);
        let cubin = Cubin::parse(&bytes).unwrap();
        assert!(cubin.write().unwrap() == bytes, "{what}");
        assert!(cubin.sections.iter().all(|s| s.slack.is_none()), "{what} has an unexplained gap");
        count += 1;
    };
    let names = architectures::of(&ptxas);
    for name in &names {
        let arch = format!("-arch={name}");
        for kind in ["-lineinfo", "-c", "-ewp"] {
            run(&ptxas, &[&arch, kind], &input, &output);
            check(&format!("ptxas {arch} {kind}"), &output);
            if kind == "-c" {
                run(&nvlink, &["-r", &arch], &output, &linked);
                check(&format!("nvlink -r {arch}"), &linked);
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    eprintln!(
        "identical: {count}/{count} files of {} architectures, executable, relocatable (ptxas, nvlink -r), -ewp",
        names.len()
    );
}

/// CUDA 12's ptxas knows chips that 13's does not, and writes `EI_OSABI` 0x33 below sm_100.
#[test]
fn old_chips_too() {
    let cubins = Cubins::open();
    let Some(ptxas) = ptxas_12() else { return };
    let source =
        cubins.paths.iter().find(|p| p.ends_with("deep_inline/sm_75/lineinfo/deep_inline.cubin")).unwrap();
    let ptx = String::from_utf8(file(&source.with_extension("ptx"))).unwrap();
    let header = |line: &str| match line.split(' ').next() {
        Some(".version") => ".version 7.8\n".to_owned(),
        Some(".target") => ".target sm_50\n".to_owned(),
        _ => format!("{line}\n"),
    };
    let folder = std::env::temp_dir().join(format!("nv-debug-sections-old-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (input, output) = (folder.join("a.ptx"), folder.join("a.cubin"));
    std::fs::write(&input, ptx.lines().map(header).collect::<String>()).unwrap();
    let chips = [50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 120, 121];
    for (sm, kind) in chips.iter().flat_map(|sm| ["-lineinfo", "-c", "-ewp"].map(|kind| (*sm, kind))) {
        let arch = format!("-arch=sm_{sm}");
        let mut command = std::process::Command::new(&ptxas);
        let done = command.args([&*arch, kind, "-o"]).args([&output, &input]).output().unwrap();
        assert!(done.status.success(), "{arch}: {}", String::from_utf8_lossy(&done.stderr));
        let bytes = file(&output);
        let mut cubin = Cubin::parse(&bytes).unwrap();
        assert_eq!((cubin.header.sm(), bytes[7]), (sm, if sm < 100 { 0x33 } else { 0x41 }));
        assert!(cubin.write().unwrap() == bytes, "{arch} {kind}");
        let own = cubin.debug_sections().unwrap();
        assert!(own.iter().any(|section| section.name == ".debug_line"));
        cubin.set_debug_sections(own).unwrap();
        assert!(cubin.write().unwrap() == bytes, "{arch} {kind} with its own sections");
        for (index, name, _) in cubin.iter().filter(|(_, name, _)| is_debug_section(name)) {
            assert!(RelocatedCubin::new(&cubin).section(index).is_ok(), "{arch} {kind} {name}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    eprintln!("identical: {0}/{0} files of {1} chips from sm_50 on", chips.len() * 3, chips.len());
}

/// What CUDA 12 writes into the file header, by hand.
#[test]
fn an_old_header_is_read_and_written() {
    let function = DebugOnlyFunction { name: "k", size: 16, kernel: true, local: false };
    let mut bytes = debug_only(Release::V13_0.target(50), &[function], &[]).unwrap().cubin.write().unwrap();
    assert_eq!(Cubin::parse(&bytes).unwrap().header.sm(), 50);
    (bytes[7], bytes[8]) = (0x33, 7);
    bytes[48..52].copy_from_slice(&0x0032_0532_u32.to_le_bytes());
    let cubin = Cubin::parse(&bytes).unwrap();
    assert_eq!((cubin.header.sm(), cubin.header.abi_version), (50, 7));
    assert_eq!(cubin.write().unwrap(), bytes);
}

#[test]
fn sm_is_what_the_path_says() {
    let cubins = Cubins::open();
    for path in &cubins.paths {
        let bytes = file(path);
        let sm = Cubin::parse(&bytes).unwrap().header.sm();
        let folder = format!("sm_{sm}");
        assert!(path.iter().any(|part| part == folder.as_str()), "{}: sm_{sm}", path.display());
    }
}

#[test]
fn every_debug_section_can_be_relocated() {
    let cubins = Cubins::open();
    let (mut sections, mut fields, mut stale) = (0, 0, 0);
    for path in &cubins.paths {
        let bytes = file(path);
        let cubin = Cubin::parse(&bytes).unwrap();
        let view = RelocatedCubin::new(&cubin);
        for (index, name, section) in cubin.iter() {
            if !is_debug_section(name)
                && !name.starts_with(".nv.merc.debug_")
                && !name.starts_with(".nv.merc.nv_debug_")
            {
                continue;
            }
            let relocated = view.section(index).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            assert_eq!(relocated.fields().len(), cubin.relocations_of(index).count());
            sections += 1;
            fields += relocated.fields().len();
            let raw = cubin.bytes(index).unwrap();
            let width = |f: &nv_debug_sections::relocated::RelocatedField| {
                let range = f.offset as usize..f.offset as usize + usize::from(f.width);
                raw[range.clone()] != relocated.bytes[range]
            };
            stale += relocated.fields().iter().filter(|f| width(f)).count();
            for field in relocated.fields() {
                let kind = cubin.symbols_of(field.target.table)[field.target.symbol.as_usize()];
                if kind.is_function() && !section.is_mercury() {
                    // A code address lies in its function's section, end included.
                    let text = field.target.section.unwrap();
                    let size = cubin.bytes(text).unwrap().len() as u64;
                    assert!(field.target.offset <= size, "{}: {field:?}", path.display());
                }
            }
        }
    }
    eprintln!(
        "relocated: {sections} sections, {fields} fields; {stale} of these held other bytes in the file"
    );
}

#[test]
fn a_debug_only_object_survives_the_round_trip() {
    let function = |name, local: bool| DebugOnlyFunction { name, size: 0x90, kernel: !local, local };
    let functions = [function("k", false), function("helper", true), function("m", false)];
    let DebugOnlyObject { cubin, functions: indices, .. } =
        debug_only(Release::V13_0.target(90), &functions, &[]).unwrap();
    let names: Vec<_> = indices.iter().map(|i| cubin.symbol_name(*i)).collect();
    assert_eq!(names, ["k", "helper", "m"]);
    let addresses: Vec<_> = indices.iter().map(|i| cubin.symbols()[i.as_usize()].value).collect();
    assert_eq!(addresses, [0x1000, 0x1100, 0x1200]);

    let bytes = cubin.write().unwrap();
    let again = Cubin::parse(&bytes).unwrap();
    assert_eq!(again, cubin);
    assert_eq!(again.header.sm(), 90);
    let load = again.layout().unwrap().segments.pop().unwrap();
    assert_eq!((load.address, load.file_size, load.memory_size), (0x1000, 0, 0x290));

    let (code, second) = (Code::new(&again), again.section_by_name(".text.helper").unwrap());
    assert_eq!(
        [0xfff, 0x1100, 0x118f].map(|a| code.at_address(a).map(|(s, o)| (s == second, o))),
        [None, Some((true, 0)), Some((true, 0x8f))]
    );

    // Another reader's view of the same bytes.
    let elf = ElfFile64::<LittleEndian>::parse(&*bytes).unwrap();
    let text: Vec<_> = elf.sections().filter(|s| s.name().unwrap().starts_with(".text.")).collect();
    assert_eq!(text.iter().map(ObjectSection::address).collect::<Vec<_>>(), [0x1000, 0x1100, 0x1200]);
    let helper = elf.symbols().find(|s| s.name() == Ok("helper")).unwrap();
    assert!(helper.is_local() && helper.section_index() == Some(text[1].index()));
}

/// What a hand-made fault must be called.
fn fault(edit: impl FnOnce(&mut Vec<u8>)) -> String {
    let function = DebugOnlyFunction { name: "k", size: 16, kernel: true, local: false };
    let mut bytes = debug_only(Release::V13_0.target(75), &[function], &[]).unwrap().cubin.write().unwrap();
    edit(&mut bytes);
    Cubin::parse(&bytes).unwrap_err().to_string()
}

#[test]
fn faults_are_named_with_their_place() {
    let headers = |bytes: &[u8]| u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    let cases: &[(&str, String)] = &[
        ("offset 0x0: not a cubin: no ELF magic", fault(|b| b[0] = 0)),
        ("offset 0x0: not a cubin: a 32-bit ELF file", fault(|b| b[4] = 1)),
        ("offset 0x0: not a cubin: a big-endian ELF file", fault(|b| b[5] = 2)),
        ("offset 0x12: the ELF file is for x86-64 (62), not for NVIDIA CUDA (190)", fault(|b| b[18] = 62)),
        ("offset 0x28: the data ends inside the ELF file header", fault(|b| b.truncate(0x28))),
        ("the data ends inside the section header table", fault(|b| b.truncate(headers(b) + 100))),
        ("offset 0x3c: e_shnum is 0x0, expected at least 1", fault(|b| b[60..62].fill(0))),
        (
            "section 2+0x0: sh_name is 0xffff",
            fault(|b| {
                let h = headers(b) + 2 * 64;
                b[h..h + 2].fill(0xff);
            }),
        ),
        (
            ".strtab+0x0: the section's 0xff",
            fault(|b| {
                let h = headers(b) + 2 * 64 + 32;
                b[h + 2] = 0xff;
            }),
        ),
        (
            ".symtab+0x0: sh_link is 0x4, expected a string table",
            fault(|b| {
                let h = headers(b) + 3 * 64;
                b[h + 40] = 4;
            }),
        ),
        (
            ".symtab+0x0: sh_entsize is 0x17, expected 24",
            fault(|b| {
                let h = headers(b) + 3 * 64;
                b[h + 56] = 23;
            }),
        ),
        (
            ".symtab+0x0: section (sh_link) 255 does not exist (there are 5)",
            fault(|b| {
                let h = headers(b) + 3 * 64;
                b[h + 40] = 255;
            }),
        ),
        (
            ".text.k+0x0: sh_addralign is 0x3",
            fault(|b| {
                let h = headers(b) + 4 * 64;
                b[h + 48] = 3;
            }),
        ),
    ];
    for (expected, found) in cases {
        assert!(found.contains(expected), "{expected:?} is not in {found:?}");
    }
}

/// CUDA 12.0 to 12.2 write 5 where the index of the symbol table belongs, also into files with five
/// sections, such as the image without code that nvlink puts into libraries. Observed: libnvjpeg of
/// CUDA 12.0.
#[test]
fn a_wrong_link_to_the_symbol_table_may_be_past_the_last_section() {
    let function = DebugOnlyFunction { name: "k", size: 16, kernel: true, local: false };
    let mut bytes = debug_only(Release::V13_0.target(75), &[function], &[]).unwrap().cubin.write().unwrap();
    let code = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize + 4 * 64;
    for wrong in [5, 200] {
        bytes[code + 40] = wrong;
        let cubin = Cubin::parse(&bytes).unwrap();
        assert_eq!(cubin.wrong_symbol_link(), Some(wrong.into()));
        assert_eq!(cubin.sections[4].link, cubin.symtab().unwrap().0);
    }
}

#[test]
fn relocations_are_applied_or_refused() {
    use nv_debug_sections::cubin::{DebugSection, Relocation, SymbolIndex};
    let function = DebugOnlyFunction { name: "k", size: 0x100, kernel: true, local: false };
    let relocation = |offset, r_type, addend| Relocation { offset, r_type, symbol: SymbolIndex(1), addend };
    let apply = |rel: Vec<Relocation>, rela: Vec<Relocation>| {
        let mut cubin = debug_only(Release::V13_0.target(75), &[function], &[]).unwrap().cubin;
        let bytes = (1..=24).collect();
        cubin
            .set_debug_sections(vec![DebugSection { name: ".debug_info".into(), bytes, rel, rela }])
            .unwrap();
        let bytes = cubin.write().unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        let index = cubin.section_by_name(".debug_info").unwrap();
        let text = cubin.section_by_name(".text.k").unwrap();
        RelocatedCubin::new(&cubin).section(index).map(|s| (s.bytes.to_vec(), s.target(8).copied(), text))
    };
    // RELA ignores the field's bytes, REL adds them; the symbol is at 0x1000.
    let (bytes, target, text) = apply(vec![], vec![relocation(8, 2, Some(0x20))]).unwrap();
    assert_eq!(bytes[8..16], 0x1020_u64.to_le_bytes());
    assert_eq!(target.map(|t| (t.section, t.offset, t.addend)), Some((Some(text), 0x20, 0x20)));
    let (bytes, ..) = apply(vec![relocation(0, 2, None)], vec![]).unwrap();
    assert_eq!(bytes[..8], (0x0807_0605_0403_0201_u64 + 0x1000).to_le_bytes());
    let (bytes, target, _) = apply(vec![], vec![relocation(8, 0x49, Some(0))]).unwrap();
    assert_eq!((bytes[8], target.is_some()), (9, true));

    let refused = |rela: Vec<Relocation>| apply(vec![], rela).unwrap_err();
    assert!(matches!(refused(vec![relocation(8, 77, Some(0))]).kind(), ErrorKind::Value { found: 77, .. }));
    assert!(matches!(refused(vec![relocation(17, 2, Some(0))]).kind(), ErrorKind::Truncated(_)));
    assert!(matches!(refused(vec![relocation(u64::MAX, 2, Some(0))]).kind(), ErrorKind::Truncated(_)));
    assert!(matches!(refused(vec![relocation(0, 1, Some(1 << 40))]).kind(), ErrorKind::DoesNotFit { .. }));
    let overlap = refused(vec![relocation(8, 2, Some(0)), relocation(4, 2, Some(0))]);
    assert_eq!((overlap.section(), overlap.offset()), (".debug_info", 8));
}

/// Parses, and if that works uses everything the values offer: no panic, no memory beyond the
/// input's order.
fn exercise(data: &[u8]) -> bool {
    let Ok(mut cubin) = Cubin::parse(data) else { return false };
    let limit = data.len() * 4 + 65_536;
    if let Ok(written) = cubin.write() {
        assert!(written.len() <= limit, "{} bytes from {}", written.len(), data.len());
        assert!(Cubin::parse(&written).is_ok());
    }
    let view = RelocatedCubin::new(&cubin);
    for index in 0..cubin.sections.len().min(64) as u32 {
        let _ = view.section(SectionIndex(index));
    }
    let symbols = cubin.functions().map(|(i, _)| cubin.symbol_name(i).len()).sum::<usize>();
    assert!(symbols <= data.len() * 64);
    let mut stripped = cubin.clone();
    if stripped.remove_debug_sections(|name| name == ".debug_line").is_ok() {
        let written = stripped.write().unwrap();
        assert!(written.len() <= limit + data.len() && Cubin::parse(&written).is_ok());
        let mut side = cubin.clone();
        if side.keep_only_debug().is_ok() && side.write().is_ok_and(|side| Cubin::parse(&side).is_ok()) {
            let _ = side.fill_from(&stripped);
        }
    }
    let _ = cubin.set_debug_sections(Vec::new());
    if let Ok(written) = cubin.write() {
        assert!(written.len() <= limit + data.len());
    }
    assert!(cubin.sections.iter().all(|s| !matches!(s.contents, Contents::Alias(SectionIndex(0)))));
    true
}

/// One small cubin of each kind, from the corpus.
fn seeds() -> Vec<Vec<u8>> {
    let function = DebugOnlyFunction { name: "k", size: 16, kernel: true, local: false };
    let mut out =
        vec![debug_only(Release::V13_0.target(90), &[function], &[]).unwrap().cubin.write().unwrap()];
    let mut kinds = std::collections::HashSet::new();
    let mut all: Vec<_> = Cubins::open().paths.iter().map(|path| file(path)).collect();
    all.sort_by_key(Vec::len);
    out.extend(all.into_iter().filter(|b| kinds.insert((b[7], b[16], b[48..51].to_vec(), b.len() > 6000))));
    out
}

#[derive(Debug, Clone)]
enum Mutation {
    Byte(prop::sample::Index, u8),
    /// A field of the file header or of a section header, where mutations matter most.
    Header(prop::sample::Index, prop::sample::Index, u64),
    Cut(prop::sample::Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    use prop::sample::Index;
    let value = prop_oneof![0u64..128, any::<u64>(), Just(u64::MAX), Just(1 << 31)];
    prop_oneof![
        4 => (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Byte(at, byte)),
        8 => (any::<Index>(), any::<Index>(), value).prop_map(|(at, field, value)| Mutation::Header(at, field, value)),
        1 => any::<Index>().prop_map(Mutation::Cut),
    ]
}

fn mutate(data: &mut Vec<u8>, mutation: &Mutation) {
    match mutation {
        Mutation::Byte(at, byte) => {
            let at = at.index(data.len());
            data[at] = *byte;
        }
        Mutation::Header(at, field, value) => {
            // `(offset in the header, width)` of each field of an Elf64_Shdr.
            const FIELDS: [(usize, usize); 10] =
                [(0, 4), (4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 4), (44, 4), (48, 8), (56, 8)];
            let table = data.get(40..48).map_or(0, |b| u64::from_le_bytes(b.try_into().unwrap()) as usize);
            let count =
                data.get(60..62).map_or(0, |b| usize::from(u16::from_le_bytes(b.try_into().unwrap())));
            let (offset, width) = FIELDS[field.index(FIELDS.len())];
            let start = table.saturating_add(at.index(count.max(1)) * 64 + offset);
            if let Some(slot) = start.checked_add(width).and_then(|end| data.get_mut(start..end)) {
                slot.copy_from_slice(&value.to_le_bytes()[..width]);
            }
        }
        Mutation::Cut(at) => data.truncate(at.index(data.len()).max(1)),
    }
}

#[test]
fn mutated_cubins_never_panic() {
    let seeds = seeds();
    let cases = if seeds.len() > 1 { 3000 } else { 300 };
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    });
    let input = (any::<prop::sample::Index>(), prop::collection::vec(mutation(), 1..6));
    let parsed = std::cell::Cell::new(0);
    let run = |(seed, mutations): (prop::sample::Index, Vec<Mutation>)| {
        let mut data = seeds[seed.index(seeds.len())].clone();
        for one in &mutations {
            mutate(&mut data, one);
        }
        parsed.set(parsed.get() + u32::from(exercise(&data)));
        Ok(())
    };
    runner.run(&input, run).unwrap();
    eprintln!("mutated: {} of {cases} could still be parsed", parsed.get());
}
