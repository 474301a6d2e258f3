//! A capsule that is not sound is refused with the section at fault, and nothing is changed.

#![allow(clippy::unwrap_used, clippy::panic)] // a panic is a failed test
#![allow(clippy::cast_possible_truncation, reason = "small numbers")]
#![allow(dead_code, reason = "the round trip uses the rest")]

#[path = "support/generate.rs"]
mod generate;
#[path = "support/values.rs"]
mod values;

use generate::{Choices, GeneratedCubin, Order, given};
use merc_capsule::clone_cubin::{self, CloneInputs};
use merc_capsule::clone_section::Cloner;
use merc_capsule::finalise::{Finaliser, finalise_cubin};
use merc_capsule::loc_streams::LineTableInputs;
use merc_capsule::register_maps::{self, FunctionRanges, RangeMap};
use merc_capsule::self_check::self_check;
use merc_capsule::{AddressMap, AddressRole, AddressTranslator, CodeMap, SectionPairs};
use nv_debug_sections::Error;
use nv_debug_sections::cubin::{
    Contents, Cubin, DebugSection, NewSection, Relocation, SHF_MERCURY, Section, SectionIndex, SectionInfo,
    SectionLink,
};
use nv_debug_sections::line_table::AddressPair;
use nv_debug_sections::reg_sass::{self, RegisterRange, SassRegister};

/// A cubin with its capsule, and what that was made of: the first whose debug sections all have
/// contents, and relocations if they can.
fn file() -> (Cubin<'static>, CloneInputs<'static>) {
    for seed in 0_u32.. {
        let number = |n: u32| (seed.wrapping_mul(77) ^ n).wrapping_mul(2_654_435_761).rotate_left(7) as u16;
        let numbers: Vec<u16> = (0..600).map(number).collect();
        let GeneratedCubin { mut cubin, maps, lines, .. } =
            given(&mut Choices::new(&numbers), Order::Monotone);
        let all = cubin.debug_sections().unwrap();
        let is_full = |section: &&DebugSection| {
            let has_relocations =
                [".debug_info", ".debug_loc", ".debug_frame", ".debug_line"].contains(&&*section.name);
            !section.bytes.is_empty() && (!has_relocations || !section.rela.is_empty())
        };
        // A label inside a function.
        let is_label = |entry: &Relocation| {
            let symbol = cubin.symbols()[entry.symbol.as_usize()];
            let address = symbol.value.wrapping_add_signed(entry.addend.unwrap());
            [1, 2].contains(&entry.r_type)
                && symbol.is_function()
                && !cubin.functions().any(|(_, other)| other.value == address)
        };
        let has_label =
            all.iter().any(|section| section.name == ".debug_info" && section.rela.iter().any(is_label));
        if has_label && all.iter().filter(is_full).count() == values::NAMES.len() {
            let origin = CloneInputs { maps, lines };
            clone_cubin::clone_cubin(&mut cubin, &origin).unwrap();
            return (cubin, origin);
        }
    }
    unreachable!("there are such files")
}

/// What `edit` refuses with, which changes nothing.
fn refused(cubin: &Cubin<'static>, edit: impl FnOnce(&mut Cubin<'static>) -> Result<(), Error>) -> Error {
    let mut edited = cubin.clone();
    let error = edit(&mut edited).unwrap_err();
    assert_eq!(edited, *cubin, "{error}");
    error
}

fn at(cubin: &Cubin<'_>, name: &str) -> SectionIndex {
    cubin.section_by_name(name).unwrap_or_else(|| panic!("no {name}"))
}

fn section<'c>(cubin: &'c mut Cubin<'static>, name: &str) -> &'c mut Section<'static> {
    let index = at(cubin, name);
    &mut cubin.sections[index.as_usize()]
}

/// All that takes a whole file, by name, with the error.
fn all_refuse(cubin: &Cubin<'static>, origin: &CloneInputs<'_>) -> Vec<(&'static str, Error)> {
    vec![
        ("clone", refused(cubin, |cubin| clone_cubin::clone_cubin(cubin, origin))),
        ("finalise", refused(cubin, |cubin| finalise_cubin(cubin, Some(&origin.maps)))),
        ("self_check", self_check(cubin, Some(&origin.maps)).unwrap_err()),
    ]
}

#[test]
fn names_and_flags_must_agree() {
    let (sound, origin) = file();
    for name in [".debug_loc", ".debug_line", ".text.k0"] {
        let mut cubin = sound.clone();
        section(&mut cubin, name).flags |= SHF_MERCURY;
        for (what, error) in all_refuse(&cubin, &origin) {
            assert_eq!(error.section(), name, "{what}: {error}");
        }
        let mut cubin = sound.clone();
        let clone = merc_capsule::merc_name(name).unwrap();
        section(&mut cubin, &clone).flags &= !SHF_MERCURY;
        for (what, error) in all_refuse(&cubin, &origin) {
            assert_eq!(error.section(), clone, "{what}: {error}");
        }
    }
}

#[test]
fn there_must_be_symbols() {
    let (sound, origin) = file();
    // Without native code: only the capsule is left.
    let mut only = sound.clone();
    only.keep_only_capsule().unwrap();
    let error = refused(&only, |cubin| finalise_cubin(cubin, Some(&origin.maps)));
    assert!(error.to_string().contains("no native code"), "{error}");
    let error = refused(&only, |cubin| clone_cubin::clone_cubin(cubin, &origin));
    assert_eq!(error.section(), ".symtab", "{error}");
    // Without Mercury symbols nothing in a clone leads anywhere.
    let mut cubin = sound.clone();
    let symbols = section(&mut cubin, ".nv.merc.symtab");
    (symbols.sh_type, symbols.contents) = (1, Contents::Bytes(Vec::new().into()));
    let error = refused(&cubin, |cubin| finalise_cubin(cubin, Some(&origin.maps)));
    assert!(error.section().contains(".debug_frame") || error.section().starts_with(".nv.merc."), "{error}");
    let error = refused(&cubin, |cubin| clone_cubin::clone_cubin(cubin, &origin));
    assert!(!error.section().is_empty(), "{error}");
    // Without a capsule there is nothing to finalise.
    let mut cubin = sound;
    cubin.remove_capsule().unwrap();
    assert!(refused(&cubin, |cubin| finalise_cubin(cubin, None)).to_string().contains("no capsule"));
}

#[test]
fn a_clone_needs_its_original() {
    let (mut cubin, origin) = file();
    let mut natives = cubin.debug_sections().unwrap();
    natives.retain(|section| section.name != ".debug_loc");
    cubin.set_debug_sections(natives).unwrap();
    let error = refused(&cubin, |cubin| clone_cubin::clone_cubin(cubin, &origin));
    assert_eq!(error.section(), ".nv.merc.debug_loc", "{error}");
    assert_eq!(self_check(&cubin, Some(&origin.maps)).unwrap_err().section(), ".nv.merc.debug_loc");
}

/// A section without bytes has no range in the file that a clone could share.
#[test]
fn a_clone_shares_bytes_that_are_there() {
    let (sound, origin) = file();
    for name in [".debug_loc", ".debug_abbrev"] {
        let mut cubin = sound.clone();
        let index = at(&cubin, name).as_usize();
        cubin.sections[index].contents = Contents::NoBits(16);
        cubin.sections[index].sh_type = 0; // SHT_NULL
        let mut sections = cubin.mercury_sections().unwrap();
        sections.iter_mut().filter(|section| section.native == name).for_each(|section| section.bytes = None);
        let error = refused(&cubin, |cubin| cubin.set_mercury_sections(sections.clone()));
        assert_eq!(error.section(), name, "{error}");
        refused(&cubin, |cubin| clone_cubin::clone_cubin(cubin, &origin));
    }
}

#[test]
fn sections_that_stand_for_all_code_come_once() {
    let (sound, origin) = file();
    let names = [".debug_line", ".nv_debug_line_sass", ".nv_debug_info_reg_sass", ".nv_debug_info_reg_type"];
    for name in names {
        let clone = merc_capsule::merc_name(name).unwrap();
        for twice in [name, &clone] {
            let mut cubin = sound.clone();
            let index = at(&cubin, twice);
            let first = cubin.section(index).unwrap();
            let new = NewSection {
                name: twice.to_owned(),
                sh_type: first.sh_type,
                flags: first.flags,
                align: first.align,
                entsize: first.entsize,
                link: SectionLink::None,
                info: SectionInfo::default(),
                contents: Contents::Bytes(cubin.bytes(index).unwrap().into_owned().into()),
            };
            cubin.append_sections(vec![new]).unwrap();
            let error = if twice == name {
                refused(&cubin, |cubin| clone_cubin::clone_cubin(cubin, &origin))
            } else {
                refused(&cubin, |cubin| finalise_cubin(cubin, Some(&origin.maps)))
            };
            assert_eq!(error.section(), twice, "{error}");
        }
    }
}

/// The map without the places of one kind.
fn with_hole(code: &CodeMap, hole: AddressRole) -> CodeMap {
    // Instructions are what others fall back on.
    let places =
        [AddressRole::RangeStart, AddressRole::RangeEnd, AddressRole::FrameRule, AddressRole::FrameEnd];
    let mut code = code.clone();
    let full = std::mem::take(&mut code.map);
    for native in (0..code.size).step_by(16) {
        for place in places.into_iter().filter(|place| *place != hole) {
            if let Some(mercury) = full.mercury(place, native) {
                code.map.insert(place, AddressPair { native, mercury }).unwrap();
            }
        }
    }
    code
}

/// A range or an entry begins where the error says, and a range has the address that it names.
fn assert_leads_to_its_place(cubin: &Cubin<'_>, error: &Error) {
    let bytes = cubin.bytes(at(cubin, error.section())).unwrap();
    let place = &bytes[error.offset() as usize..];
    if error.section().contains("reg_sass") {
        let name = place[4..].iter().position(|byte| *byte == 0).unwrap();
        let word = |at: usize| u32::from_le_bytes(place[at..at + 4].try_into().unwrap());
        let ends = [word(name + 9), word(name + 13)];
        let is_named = |address: &u32| error.to_string().contains(&format!(": {address:#x}, a Range"));
        assert!(error.offset() != 0 && ends.iter().any(is_named), "{error}: {ends:x?}");
    } else if error.section().contains("frame") {
        assert!(error.offset() != 0 && place.starts_with(&[0xff; 4]), "{error}");
    }
}

#[test]
fn a_hole_in_a_map_is_an_error_of_what_is_there() {
    let (cubin, origin) = file();
    let spaces = SectionPairs::of(&cubin).unwrap();
    let lines = LineTableInputs::default();
    for (place, name) in [
        (AddressRole::RangeStart, ".nv_debug_info_reg_sass"),
        (AddressRole::RangeEnd, ".nv_debug_info_reg_sass"),
        (AddressRole::FrameRule, ".debug_frame"),
        (AddressRole::FrameEnd, ".debug_frame"),
        (AddressRole::Instruction, ".debug_info"),
    ] {
        let maps: Vec<CodeMap> = origin.maps.iter().map(|code| with_hole(code, place)).collect();
        let translation = AddressTranslator::new(&cubin, &spaces, &maps);
        let there = Cloner::new(&cubin, translation, &lines).section(at(&cubin, name));
        let error = there.unwrap_err();
        assert_eq!(error.section(), name, "{error}");
        assert!(error.to_string().contains(&format!("{place:?}")), "{error}");
        assert_leads_to_its_place(&cubin, &error);
        let clone = merc_capsule::merc_name(name).unwrap();
        let back = Finaliser::new(&cubin, translation).section(at(&cubin, &clone));
        let error = back.unwrap_err();
        assert_eq!(error.section(), clone, "{error}");
        assert!(error.to_string().contains(&format!("{place:?}")), "{error}");
        assert_leads_to_its_place(&cubin, &error);
        if name == reg_sass::NAME {
            // Types have the order of the ranges, which are at fault.
            let clone = at(&cubin, ".nv.merc.nv_debug_info_reg_type");
            assert_eq!(Finaliser::new(&cubin, translation).section(clone).unwrap_err(), error);
        }
        let origin = CloneInputs { maps, lines: origin.lines.clone() };
        assert!(!refused(&cubin, |cubin| clone_cubin::clone_cubin(cubin, &origin)).section().is_empty());
        assert!(!refused(&cubin, |cubin| finalise_cubin(cubin, Some(&origin.maps))).section().is_empty());
    }
}

#[test]
fn maps_of_another_file_are_refused() {
    let (cubin, origin) = file();
    for maps in [&[][..], &origin.maps[1..]] {
        let error = refused(&cubin, |cubin| finalise_cubin(cubin, Some(maps)));
        assert!(!error.section().is_empty(), "{error}");
        let origin = CloneInputs { maps: maps.to_vec(), lines: origin.lines.clone() };
        let error = refused(&cubin, |cubin| clone_cubin::clone_cubin(cubin, &origin));
        assert!(!error.section().is_empty(), "{error}");
    }
}

fn registers(ranges: &[(u32, u32)]) -> FunctionRanges<'static> {
    let range = |(number, (start, end)): (u32, &(u32, u32))| {
        let register = SassRegister(0x200_0000 | number);
        (RegisterRange { part: 0, ptx_name: b"%r1", register, start: *start, end: *end }, 0)
    };
    FunctionRanges { function: b"k", ranges: (0..).zip(ranges).map(range).collect() }
}

#[test]
fn ranges_stay_in_order() {
    let mut addresses = AddressMap::default();
    for (native, mercury) in [(0, 0), (0x10, 0x40), (0x20, 0x20)] {
        addresses.insert(AddressRole::Instruction, AddressPair { native, mercury }).unwrap();
    }
    let map = |order| RangeMap { addresses: &addresses, order, open_starts: &[], is_copy: false };
    let error = register_maps::to_mercury(&registers(&[(0x10, 0x20)]), map(&[])).unwrap_err();
    assert!(error.to_string().contains("reversed"), "{error}");
    assert_eq!((error.section(), error.offset()), (".nv_debug_info_reg_sass", 6));
    let error = register_maps::to_native(&registers(&[(0x20, 0x40)]), map(&[])).unwrap_err();
    assert!(error.to_string().contains("reversed"), "{error}");
    // Orders that are none of these two ranges, or of descending starts.
    let two = registers(&[(0, 0x20), (0x20, 0x20)]);
    for order in [&[0, 0][..], &[0], &[0, 1, 2], &[0, 2], &[1, 0], &[u32::MAX, 0]] {
        let error = register_maps::to_mercury(&two, map(order)).unwrap_err();
        assert_eq!(error.section(), ".nv_debug_info_reg_sass", "{order:?}: {error}");
    }
    assert!(register_maps::to_mercury(&two, map(&[0, 1])).is_ok());
}

/// Clones and originals that are read.
const READ: [&str; 5] = [
    ".debug_line",
    ".nv_debug_line_sass",
    ".debug_frame",
    ".nv_debug_info_reg_sass",
    ".nv_debug_info_reg_type",
];

#[test]
fn sections_that_end_too_early_are_named() {
    let (sound, origin) = file();
    for name in READ {
        let clone = merc_capsule::merc_name(name).unwrap();
        for cut in [1, 3, 9] {
            for short in [name, &clone] {
                let mut cubin = sound.clone();
                let bytes = cubin.bytes(at(&cubin, short)).unwrap().into_owned();
                let bytes = bytes[..bytes.len() - cut].to_vec();
                section(&mut cubin, short).contents = Contents::Bytes(bytes.into());
                let error = if short == name {
                    refused(&cubin, |cubin| clone_cubin::clone_cubin(cubin, &origin))
                } else {
                    refused(&cubin, |cubin| finalise_cubin(cubin, Some(&origin.maps)))
                };
                assert!(error.section().ends_with(&name[1..]) || name.contains("reg"), "{short}: {error}");
                assert!(!error.section().is_empty(), "{short}: {error}");
            }
        }
    }
}

#[test]
fn relocations_outside_are_named() {
    let (sound, origin) = file();
    for name in [".debug_line", ".nv_debug_line_sass", ".debug_frame"] {
        let clone = format!(".nv.merc.rela{name}");
        for table in [format!(".rela{name}"), clone] {
            let mut cubin = sound.clone();
            let Contents::Relocations(all) = &mut section(&mut cubin, &table).contents else {
                panic!("{table}")
            };
            all[0].offset = u64::MAX - 3;
            let error = if table.starts_with(".rela") {
                refused(&cubin, |cubin| clone_cubin::clone_cubin(cubin, &origin))
            } else {
                refused(&cubin, |cubin| finalise_cubin(cubin, Some(&origin.maps)))
            };
            assert!(error.section().ends_with(name), "{table}: {error}");
        }
    }
}
