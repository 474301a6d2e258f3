//! Self-checks of the corpus, sound and damaged.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use dwarf2_writer::frame::CallFrameInstruction;
use merc_capsule::code_maps;
use merc_capsule::register_maps::match_ranges;
use merc_capsule::self_check::{CheckOutcome, SectionCheck, self_check};
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::{Contents, Cubin, SectionIndex};
use nv_debug_sections::frame;
use nv_debug_sections::line::{self, LineRow};
use nv_debug_sections::reg_sass::{self, RegisterRange, SassRegister};
use object::{Object as _, ObjectSection as _};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use support::{cubins, each_capsule};

fn kind(outcome: &CheckOutcome) -> &'static str {
    match outcome {
        CheckOutcome::Same => "same",
        CheckOutcome::Different(_) => "different",
        CheckOutcome::NotChecked => "not checked",
        CheckOutcome::Missing => "missing",
    }
}

#[test]
fn the_corpus_checks_itself() {
    let mut counts: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let mut different = Vec::new();
    each_capsule(|path, cubin| {
        for SectionCheck { native, outcome, .. } in self_check(cubin, None).unwrap() {
            let parts = if native.starts_with(".nv.") { 3 } else { 2 };
            let name = SectionName::parse(&native);
            let base = name.base.split('.').take(parts).collect::<Vec<_>>().join(".");
            let group = SectionName { base: base.into(), ..name }.to_string();
            *counts.entry((group, kind(&outcome))).or_default() += 1;
            if let CheckOutcome::Different(words) = outcome {
                different.push(format!("{} {native}: {words}", path.display()));
            }
        }
    });
    for ((name, kind), count) in counts {
        eprintln!("{count:5} {kind:9} {name}");
    }
    assert!(different.is_empty(), "{} differ: {:#?}", different.len(), &different[..different.len().min(9)]);
}

/// The debug sections of a cubin and its code, put together again.
fn joined(cubin: &Cubin<'_>, check: impl FnOnce(&Cubin<'_>)) {
    let (mut code, mut side) = (cubin.clone(), cubin.clone());
    code.remove_debug_sections(|_| false).unwrap();
    side.keep_only_debug().unwrap();
    let (code, side) = (code.write().unwrap(), side.write().unwrap());
    let (code, mut side) = (Cubin::parse(&code).unwrap(), Cubin::parse(&side).unwrap());
    side.fill_from(&code).unwrap();
    check(&side);
}

/// Calls `check` with the cubin and the values of its side file in `.debug_frame`, where the cubin
/// has stale bytes under RELA entries.
fn with_values(cubin: &Cubin<'_>, check: impl FnOnce(&Cubin<'_>)) {
    let mut side = cubin.clone();
    side.keep_only_debug().unwrap();
    let mut valued = cubin.clone();
    if let Some(index) = cubin.section_by_name(".debug_frame") {
        valued.sections[index.as_usize()].contents = side.sections[index.as_usize()].contents.clone();
    }
    check(&valued);
}

#[test]
fn joined_of_two_files_a_cubin_checks_itself_as_before() {
    for path in cubins() {
        let bytes = fs::read(&path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        if cubin.has_capsule() {
            let is_same = |joined: &Cubin<'_>| self_check(joined, None) == self_check(&cubin, None);
            joined(&cubin, |joined| assert!(is_same(joined), "{}", path.display()));
        }
    }
}

/// Values in fields under RELA entries are not a difference. Any other byte there is one.
#[test]
fn values_in_place_of_stale_bytes_are_no_difference() {
    let (mut checked, mut stale, mut damaged) = (0, 0, 0);
    for path in cubins() {
        let bytes = fs::read(&path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        if !cubin.has_capsule() {
            continue;
        }
        let place = path.display();
        with_values(&cubin, |joined| {
            assert!(self_check(joined, None) == self_check(&cubin, None), "{place}");
            checked += 1;
            let section = |cubin: &Cubin<'_>| {
                let index = cubin.section_by_name(".debug_frame")?;
                let entries = cubin.relocations_of(index).map(|(_, entry)| entry.offset).collect::<Vec<_>>();
                Some((index, cubin.bytes(index).unwrap().into_owned(), entries))
            };
            let (Some((_, before, _)), Some((index, bytes, fields))) = (section(&cubin), section(joined))
            else {
                return;
            };
            let is_stale = |at: &u64| before[*at as usize..][..8] != bytes[*at as usize..][..8];
            let Some(field) = fields.into_iter().find(is_stale) else { return };
            stale += 1;
            for bit in 0..64 {
                let (mut other, mut bytes) = (joined.clone(), bytes.clone());
                bytes[field as usize + bit / 8] ^= 1 << (bit % 8);
                other.sections[index.as_usize()].contents = Contents::Bytes(bytes.into());
                let all = self_check(&other, None).unwrap();
                let own = all.iter().find(|checked| checked.native == ".debug_frame").unwrap();
                let is_found = matches!(own.outcome, CheckOutcome::Different(_));
                assert!(is_found, "{place}: bit {bit} of the field at {field:#x}: {:?}", own.outcome);
                damaged += 1;
            }
        });
    }
    eprintln!("{checked} files, {stale} with values in place of stale bytes, {damaged} damages found");
    assert!(checked == 0 || stale >= 9);
}

/// Sections that the check tells about and that have bytes of their own: in the order of the file,
/// with their ranges in it.
fn told<'c>(cubin: &'c Cubin<'_>, bytes: &[u8]) -> Vec<(&'c str, Range<usize>)> {
    let names: Vec<String> = self_check(cubin, None)
        .unwrap()
        .into_iter()
        .filter(|checked| checked.outcome == CheckOutcome::Same)
        .map(|checked| checked.clone)
        .collect();
    let file = object::read::elf::ElfFile64::<object::LittleEndian>::parse(bytes).unwrap();
    let own = |index: SectionIndex| !matches!(cubin.section(index).unwrap().contents, Contents::Alias(_));
    cubin
        .iter()
        .filter(|(index, name, _)| names.iter().any(|told| told == name) && own(*index))
        .map(|(index, name, _)| {
            let section = file.section_by_index(object::SectionIndex(index.as_usize())).unwrap();
            let (start, size) = section.file_range().unwrap();
            (name, start as usize..(start + size) as usize)
        })
        .collect()
}

/// What a clone says in words to compare: of a line table header and rows, of frames their rules,
/// of others their bytes.
fn said(cubin: &Cubin<'_>, name: &str) -> Option<String> {
    let index = cubin.section_by_name(name)?;
    let bytes = cubin.bytes(index).ok()?;
    let parsed = SectionName::parse(name);
    match parsed.kind().filter(|_| parsed.form.is_none()) {
        Some(SectionKind::DebugLine | SectionKind::NvDebugLineSass) => {
            let tables = line::decode(name, &bytes).ok()?.into_iter().map(|mut table| {
                let sequences = std::mem::take(&mut table.sequences);
                let rows: Vec<Vec<LineRow>> = sequences.iter().map(|one| table.rows(one).collect()).collect();
                let ends: Vec<_> = sequences.iter().map(|one| (one.base, one.base_offset, one.end)).collect();
                format!("{table:?} {rows:?} {ends:?}")
            });
            Some(tables.collect())
        }
        Some(SectionKind::DebugFrame) => {
            let entries = frame::decode(&bytes, &frame::FieldSymbols::new()).ok()?;
            let entries = entries.into_iter().map(|entry| match entry {
                frame::Entry::Cie(cie) => format!("{cie:?}"),
                frame::Entry::Fde(mut fde) => {
                    let instructions = std::mem::take(&mut fde.instructions);
                    format!("{fde:?} {:?}", rules(&instructions))
                }
            });
            Some(entries.collect())
        }
        _ => Some(format!("{bytes:?}")),
    }
}

/// The rules of a function, each after its address: a step without a rule after it says nothing.
fn rules(instructions: &[CallFrameInstruction]) -> Vec<(u32, &CallFrameInstruction)> {
    let mut address = 0_u32;
    let with_addresses = instructions.iter().filter_map(|instruction| {
        let step = match *instruction {
            CallFrameInstruction::AdvanceLoc(step) | CallFrameInstruction::AdvanceLoc1(step) => step.into(),
            CallFrameInstruction::AdvanceLoc2(step) => step.into(),
            CallFrameInstruction::AdvanceLoc4(step) => step,
            CallFrameInstruction::Nop => 0,
            _ => return Some((address, instruction)),
        };
        address = address.wrapping_add(step);
        None
    });
    with_addresses.collect()
}

/// One byte of a debug or relocation section is another, of one section after the other in each
/// file, and the map is that of the sound file. Every damage must show in its section, unless the
/// native tables do not have what it says.
#[test]
fn damage_is_found_in_its_section() {
    let mut random = 1_u64;
    let mut below = |bound: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % bound
    };
    let mut counts: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let mut missed = Vec::new();
    let mut unnamed = Vec::new();
    let files = each_capsule(|path, cubin| {
        let bytes = fs::read(path).unwrap();
        let maps = code_maps(cubin).unwrap();
        for (name, range) in
            told(cubin, &bytes).iter().filter(|(name, _)| SectionName::parse(name).is_debug())
        {
            let mut bytes = bytes.clone();
            let at = range.start + below(range.len().max(1));
            bytes[at] ^= 1 << below(8);
            let place = format!("{} {name}+{:#x}", path.display(), at - range.start);
            let outcome = match Cubin::parse(&bytes) {
                Err(error) if error.section() == *name => "no cubin, and named",
                Err(error) => {
                    unnamed.push(format!("{place}: {error}"));
                    "no cubin"
                }
                Ok(damaged) => match self_check(&damaged, Some(&maps)) {
                    Err(error) => {
                        unnamed.push(format!("{place}: {error}"));
                        "error"
                    }
                    Ok(all) => {
                        let different =
                            |checked: &&SectionCheck| matches!(checked.outcome, CheckOutcome::Different(_));
                        let found: Vec<&str> =
                            all.iter().filter(different).map(|checked| &*checked.clone).collect();
                        if found.contains(name) {
                            if found.len() == 1 { "found" } else { "found, and others" }
                        } else if !found.is_empty() {
                            missed.push(format!("{place} but {found:?}"));
                            "another is named"
                        } else if said(cubin, name) == said(&damaged, name) {
                            "equal values"
                        } else {
                            missed.push(place);
                            "not found"
                        }
                    }
                },
            };
            let name = name
                .trim_start_matches(".nv.merc.")
                .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            *counts.entry((name.to_owned(), outcome)).or_default() += 1;
        }
    });
    eprintln!("{files} files");
    for ((name, outcome), count) in &counts {
        eprintln!("{count:5} {outcome} {name}");
    }
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(unnamed.is_empty(), "{unnamed:#?}");
    let named = |outcome: &str| outcome.ends_with("named") || outcome.starts_with("found");
    let found: usize = counts.iter().filter(|((_, outcome), _)| named(outcome)).map(|(_, count)| count).sum();
    let least = if files < 100 { 100 } else { 200 }; // without the corpus
    assert!(found >= least, "{found}");
}

fn pair(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptxas-driver/tests/pairs").join(name)).unwrap()
}

fn differences(cubin: &Cubin<'_>) -> Vec<SectionCheck> {
    let all = self_check(cubin, None).unwrap();
    all.into_iter().filter(|checked| matches!(checked.outcome, CheckOutcome::Different(_))).collect()
}

/// Functions without rules that return by R4, here by R20: as those of the ABI, which have rules at
/// their start.
#[test]
fn folded_functions_may_return_by_any_register() {
    let mut cubin = Cubin::parse(&pair("flag_stays.sm_100.lineinfo.cubin")).unwrap().into_owned();
    for name in [".debug_frame", ".nv.merc.debug_frame"] {
        let at = cubin.section_by_name(name).unwrap();
        let Contents::Bytes(bytes) = &mut cubin.sections[at.as_usize()].contents else { panic!() };
        let bytes = bytes.to_mut();
        let r4 = [0x84, 0x80, 0x80, 0x28];
        let places: Vec<_> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(&r4)).collect();
        // Two functions, in whose CIEs it is twice.
        assert_eq!(places.len(), 4);
        for at in places {
            bytes[at] = 0x94;
        }
    }
    assert_eq!(differences(&cubin), []);
}

/// Symbols of the window that the system keeps are alignments there, in both tables.
#[test]
fn an_extensible_program_checks_itself() {
    assert_eq!(differences(&Cubin::parse(&pair("shared_extensible.sm_100.ewp.cubin")).unwrap()), []);
}

/// A cubin of `cubin-debuginfo/tests/data`.
fn data(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../cubin-debuginfo/tests/data").join(name)).unwrap()
}

/// A register whose range has no native start, in the file as ptxas wrote it.
#[test]
fn a_range_without_native_start_checks_itself() {
    assert_eq!(differences(&Cubin::parse(&data("range_without_start.sm_100.cubin")).unwrap()), []);
    assert_eq!(differences(&Cubin::parse(&data("reversed_ranges.sm_100.cubin")).unwrap()), []);
}

/// Kernels with variables of textures and surfaces: their `.nv.constant0.F` has a clone.
#[test]
fn a_program_with_image_headers_checks_itself() {
    assert_eq!(differences(&Cubin::parse(&data("images.sm_100.cubin")).unwrap()), []);
}

/// Ranges of `%r3` in R4 as ptxas 13.0.88 wrote them for sm_120: the second Mercury one has no
/// native start.
#[test]
fn ranges_without_start_are_matched_by_their_place() {
    let range = |(start, end)| RegisterRange {
        part: 0,
        ptx_name: &b"%r3"[..],
        register: SassRegister(0x0500_0004),
        start,
        end,
    };
    let native = [(0, 0), (reg_sass::NO_START, 0x670), (0x250, 0x360), (0x370, 0x470)].map(range);
    let mercury = [(0, 0), (0x250, 0x740), (0x280, 0x3a0), (0x3b0, 0x4c0)].map(range);
    assert_eq!(match_ranges(&native, &mercury), Some(vec![0, 1, 2, 3]));
}

/// Bug report 97: `IMNMX` of sm_110 has the lines of another instruction, which the capsule says.
#[test]
fn minima_of_sm_110_have_the_lines_that_the_capsule_says() {
    let mut cubin = Cubin::parse(&data("recursion.sm_110.cubin")).unwrap().into_owned();
    assert_eq!(differences(&cubin), []);
    let code = cubin.section_by_name(".text._Z6stairsPi").unwrap();
    let Contents::Bytes(bytes) = &mut cubin.sections[code.as_usize()].contents else { panic!() };
    // `IMNMX.U32 R0, R22, 0x5, !PT`, as nvdisasm shows it.
    let instruction = &mut bytes.to_mut()[0x210..0x220];
    assert_eq!(instruction[..2], [0x17, 0x78]);
    instruction[0] = 0x10;
    let native: Vec<_> = differences(&cubin).into_iter().map(|checked| checked.native).collect();
    assert_eq!(native, [".nv_debug_line_sass"]);
}
