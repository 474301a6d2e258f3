//! Places of small files, whose answers are known, and of damaged ones.
//!
//! `data/address_class.ptx` is `input.ptx` of bug report 36 (a shared and a global variable, and
//! one without an address class); the cubins are what `ptxas -arch=sm_90 -g` and `-g -c` of CUDA
//! 13.0.88 make of it.
#![allow(clippy::unwrap_used)] // a panic is a failed test

use cubin_debuginfo::entries::Entries;
use cubin_debuginfo::variables::{
    DebuggerMistake, LocationList, LocationRange, ScopeKind, Unavailable, VariableLocation, Variables,
};
use nv_debug_sections::address_class::AddressClass;
use nv_debug_sections::cubin::{Contents, Cubin, Symbol, SymbolIndex};
use nv_debug_sections::reg_sass::{self, SassRegister};
use proptest::prelude::*;

const LINKED: &[u8] = include_bytes!("data/address_class.sm_90.cubin");
const RELOCATABLE: &[u8] = include_bytes!("data/address_class.sm_90.c.cubin");
const SAXPY: &[u8] = include_bytes!("../../examples/saxpy/saxpy-debug.cubin");

/// Name, type and place of every variable.
fn locations(bytes: &[u8]) -> Vec<(String, String, LocationList)> {
    let cubin = Cubin::parse(bytes).unwrap();
    let entries = Entries::read(&cubin).unwrap();
    let variables = Variables::read(&cubin, &entries).unwrap();
    let all = variables.all().iter().map(|variable| {
        let name = variables.name(variable).unwrap().into_owned();
        (name, variables.type_name(variable), variables.location(variable))
    });
    all.collect()
}

/// Memory, offset, whether there is a symbol and what is odd, of a variable that is somewhere
/// everywhere.
fn memory(location: &LocationList) -> (AddressClass, u64, bool, &[DebuggerMistake]) {
    let [range] = location.ranges.as_slice() else { panic!("{location:?}") };
    let (None, VariableLocation::Memory(memory)) = (&range.code, &range.location) else {
        panic!("{range:?}")
    };
    (memory.space, memory.offset, memory.symbol.is_some(), &location.remarks)
}

// EXPECT.md of report 36: "tile: shared+0x400; counter: global, symbol counter; tile_noclass: warn,
// 0x400 would be read as a global address."
#[test]
fn a_shared_variable_without_an_address_class_is_warned_of() {
    let all = locations(LINKED);
    let [tile, counter, without] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!([&tile.0, &counter.0, &without.0], ["tile", "counter", "tile_noclass"]);
    assert_eq!(memory(&tile.2), (AddressClass::Shared, 0x400, false, &[][..]));
    assert_eq!(memory(&counter.2), (AddressClass::Global, 0, true, &[][..]));
    assert_eq!(memory(&without.2), (AddressClass::Global, 0x400, false, &[DebuggerMistake::NoClass][..]));
    // Not linked: docs/formats/relocations.md, what a name in PTX becomes: the relocation's addend
    // has the window's reserve, and the symbol no address yet.
    let all = locations(RELOCATABLE);
    assert_eq!(memory(&all[0].2), (AddressClass::Shared, 0, true, &[][..]));
    assert_eq!(memory(&all[2].2), (AddressClass::Shared, 0, true, &[DebuggerMistake::NoClass][..]));
}

/// -1 and the relocation's addend, 0x400 on sm_90, is what `nvlink` 13.0.88 makes of an `extern
/// __shared__` variable's address, and ptxas of one that no code uses. In relocatable files `nvlink
/// -r` adds the addend to the alignment, which is the symbol's value.
#[test]
fn shared_variables_without_an_address_are_in_no_place() {
    let mut cubin = Cubin::parse(LINKED).unwrap();
    let index = cubin.section_by_name(".debug_info").unwrap().as_usize();
    let Contents::Bytes(info) = &mut cubin.sections[index].contents else { panic!() };
    // DW_OP_addr 0x400: first that of `tile`, then that of the variable without a class.
    let operands = info.windows(9).enumerate().filter(|(_, bytes)| *bytes == b"\x03\0\x04\0\0\0\0\0\0");
    let operands: Vec<_> = operands.map(|(at, _)| at + 1).collect();
    assert_eq!(operands.len(), 2);
    for (address, is_relocatable, reason) in [
        (0x3ff_u64, false, Some(Unavailable::NoSharedAddress)),
        (0x3ff, true, Some(Unavailable::NoSharedAddress)),
        (0x404, true, Some(Unavailable::NotRelocated)),
        (0x404, false, None),
        // Below the window, which starts at 0x400, and after it.
        (0x3fe, false, Some(Unavailable::OutsideMemory(0x3fe))),
        (u64::MAX, false, Some(Unavailable::OutsideMemory(u64::MAX))),
    ] {
        for at in &operands {
            let Contents::Bytes(info) = &mut cubin.sections[index].contents else { panic!() };
            info.to_mut()[*at..at + 8].copy_from_slice(&address.to_le_bytes());
        }
        // ET_REL or ET_EXEC.
        cubin.header.e_type = if is_relocatable { 1 } else { 2 };
        let all = locations(&cubin.write().unwrap());
        let [(_, spelled, tile), _, (.., without)] = all.as_slice() else { panic!("{all:?}") };
        match reason {
            Some(reason) => {
                assert_eq!(tile.ranges[0].location, VariableLocation::Unavailable(reason), "{address:#x}");
            }
            None => assert_eq!(memory(tile).1, address),
        }
        assert_eq!(spelled, "int");
        // Nothing says that this one is in shared memory.
        assert_eq!(memory(without), (AddressClass::Global, address, false, &[DebuggerMistake::NoClass][..]));
    }
}

/// An address that is relocated against `.nv.global`. The symbol before it in the order of
/// addresses is `tile`, in the section before, at a higher offset.
#[test]
fn a_byte_before_the_first_variable_of_a_section_belongs_to_none() {
    for (counter_at, has_symbol) in [(8, false), (0, true)] {
        let mut cubin = Cubin::parse(LINKED).unwrap();
        let global = cubin.section_by_name(".nv.global").unwrap();
        let symbol = |find: &dyn Fn(&Symbol) -> bool| cubin.symbols().iter().position(find).unwrap();
        let section = symbol(&|symbol| symbol.is_section() && symbol.section() == Some(global));
        let counter = symbol(&|symbol| !symbol.is_section() && symbol.section() == Some(global));
        let (symtab, relocations) = (".symtab", ".rela.debug_info");
        let [symtab, relocations] = [symtab, relocations].map(|name| cubin.section_by_name(name).unwrap());
        let Contents::Symbols(all) = &mut cubin.sections[symtab.as_usize()].contents else { panic!() };
        all[counter].value = counter_at;
        let Contents::Relocations(all) = &mut cubin.sections[relocations.as_usize()].contents else {
            panic!()
        };
        let address = all.iter_mut().find(|one| one.symbol.as_usize() == counter).unwrap();
        address.symbol = SymbolIndex(section as u32);
        let all = locations(&cubin.write().unwrap());
        assert_eq!(memory(&all[1].2), (AddressClass::Global, 0, has_symbol, &[][..]));
    }
}

/// Every byte of two small files, changed to numbers that are a limit of something.
#[test]
fn one_changed_byte_ends_in_an_answer_or_an_error() {
    for file in [LINKED, RELOCATABLE] {
        let mut bytes = file.to_vec();
        for at in 0..bytes.len() {
            let old = bytes[at];
            for new in [0, 0xff, old.wrapping_add(1)] {
                bytes[at] = new;
                let _ = ask_everything(&bytes);
            }
            bytes[at] = old;
        }
    }
}

/// A cubin's variables with some sections replaced by others, without relocations.
fn replaced(sections: &[(&str, Vec<u8>)], then: impl FnOnce(&Variables<'_>)) {
    let mut cubin = Cubin::parse(SAXPY).unwrap();
    cubin.sections.retain(|section| section.relocations().is_none());
    for (name, bytes) in sections {
        let index = cubin.section_by_name(name).unwrap();
        cubin.sections[index.as_usize()].contents = Contents::Bytes(bytes.clone().into());
    }
    let entries = Entries::read(&cubin).unwrap();
    then(&Variables::read(&cubin, &entries).unwrap());
}

/// Abbreviations: 1 a unit; 2 a variable with type and list; 3 a pointer type; 4 a structure with a
/// name.
const ABBREV: &[u8] =
    b"\x01\x11\x01\0\0\x02\x34\0\x49\x13\x02\x06\0\0\x03\x0f\0\x49\x13\0\0\x04\x13\0\x03\x08\0\0\0";

fn unit(entries: &[u8]) -> Vec<u8> {
    let body = [&[2, 0, 0, 0, 0, 0, 8][..], b"\x01", entries, b"\0"].concat();
    [&u32::try_from(body.len()).unwrap().to_le_bytes()[..], &body].concat()
}

// The unit's header has 11 bytes, its entry 1: the first that follows is at 12.
/// Every register of the map is R1000, which would be read as a place of no thread's.
#[test]
fn registers_that_the_chip_does_not_have_are_no_places() {
    let mut cubin = Cubin::parse(SAXPY).unwrap().into_owned();
    let at = cubin.section_by_name(reg_sass::NAME).unwrap();
    let old = cubin.bytes(at).unwrap().into_owned();
    let mut functions = reg_sass::decode(&old).unwrap();
    let ranges = functions.iter_mut().flat_map(|function| &mut function.ranges);
    for range in ranges {
        range.register = SassRegister(0x0500_0000 + 1000);
    }
    cubin.sections[at.as_usize()].contents = Contents::Bytes(reg_sass::encode(&functions).unwrap().into());
    let places = |bytes: &[u8]| -> (usize, usize) {
        let all = locations(bytes);
        let all = all.iter().flat_map(|(.., location)| &location.ranges);
        let wrong = VariableLocation::Unavailable(Unavailable::UnknownRegister("R1000".to_owned()));
        let registers = all.clone().filter(|range| matches!(range.location, VariableLocation::Register(_)));
        (registers.count(), all.filter(|range| range.location == wrong).count())
    };
    let ((before, none), (after, wrong)) = (places(SAXPY), places(&cubin.write().unwrap()));
    assert!(before > 0 && wrong > 0);
    assert_eq!((none, after), (0, 0));
}

#[test]
fn a_type_of_itself_and_a_name_without_end_are_cut() {
    let pointer = [3, 12, 0, 0, 0];
    let long = [&b"\x04"[..], &[b'x'; 5000], b"\0"].concat();
    let variable = |at: u8| [&[2, at, 0, 0, 0][..], &u32::MAX.to_le_bytes()].concat();
    let info = unit(&[&pointer[..], &long, &variable(12), &variable(17), &variable(99)].concat());
    replaced(&[(".debug_abbrev", ABBREV.to_vec()), (".debug_info", info)], |variables| {
        let types: Vec<_> = variables.all().iter().map(|variable| variables.type_name(variable)).collect();
        let stars = "*".repeat(256);
        assert_eq!(types[0], format!("... {stars}"));
        assert_eq!(types[1], "x".repeat(1024) + "...");
        assert_eq!(types[2], "?");
    });
}

#[test]
fn lists_that_all_share_do_not_multiply() {
    let pair = [&[1_u8; 16][..], &[1, 0, 0x30]].concat();
    let list = [pair.repeat(20_000), vec![0; 16]].concat();
    let variables = [2, 12, 0, 0, 0, 0, 0, 0, 0].repeat(20_000);
    let size = list.len() + variables.len();
    let info = unit(&[&[3, 12, 0, 0, 0][..], &variables].concat());
    // No address is a place without relocations, so that each pair is a range without one.
    let sections = [(".debug_abbrev", ABBREV.to_vec()), (".debug_info", info), (".debug_loc", list)];
    replaced(&sections, |variables| {
        assert_eq!(variables.all().len(), 20_000);
        let ranges: usize =
            variables.all().iter().map(|variable| variables.location(variable).ranges.len()).sum();
        assert!(
            variables.is_truncated() && ranges > 20_000 && ranges < 10 * size,
            "{ranges} of {size} bytes"
        );
    });
}

/// More abbreviations: 5 a pointer to a member; 6 a function's type; 7, 8 a parameter, the first
/// artificial; 9 a constant's type; 10 a base type; 11 a structure with members; 12 a function's
/// declaration; 13 a function.
const MEMBERS: &[u8] = b"\x05\x1f\0\x49\x13\x1d\x13\0\0\x06\x15\x01\x49\x13\0\0\x07\x05\0\x49\x13\x34\x0c\0\0\x08\x05\0\x49\x13\0\0\
\x09\x26\0\x49\x13\0\0\x0a\x24\0\x03\x08\0\0\x0b\x13\x01\0\0\x0c\x2e\x01\x3c\x0c\0\0\x0d\x2e\x01\0\0\0";

fn abbreviations() -> Vec<u8> {
    [&ABBREV[..ABBREV.len() - 1], MEMBERS].concat()
}

/// An entry that refers to others.
fn referring<const N: usize>(abbreviation: u8, to: [u32; N]) -> Vec<u8> {
    let mut bytes = vec![abbreviation];
    bytes.extend(to.iter().flat_map(|offset| offset.to_le_bytes()));
    bytes
}

#[test]
fn pointers_to_members_are_spelled_as_in_c() {
    let variable = |at: u32| [referring(2, [at]), vec![0; 4]].concat();
    let info = unit(
        &[
            b"\x04S\0".to_vec(),        // 12
            b"\x0aint\0".to_vec(),      // 15
            referring(5, [15, 12]),     // 20: a member
            referring(9, [12]),         // 29
            referring(3, [29]),         // 34: this
            referring(6, [15]),         // 39: a member function
            referring(7, [34]),         // 44
            vec![1],                    // and its flag
            referring(8, [15]),         // 50
            vec![0],                    // 55
            referring(5, [39, 12]),     // 56
            referring(9, [20]),         // 65
            referring(3, [20]),         // 70
            referring(5, [15, 0xffff]), // 75
            [20, 56, 65, 70, 75].into_iter().flat_map(variable).collect(),
        ]
        .concat(),
    );
    replaced(&[(".debug_abbrev", abbreviations()), (".debug_info", info)], |variables| {
        let types: Vec<_> = variables.all().iter().map(|variable| variables.type_name(variable)).collect();
        assert_eq!(types, ["int S::*", "int (S::*)(int) const", "int S::*const", "int S::**", "int ?::*"]);
    });
}

#[test]
fn parameters_of_declarations_are_no_variables() {
    let parameter = referring(8, [12]);
    let declaration = [&[12, 1][..], &parameter, &[0]].concat();
    let class = [&[11][..], &declaration, &[0]].concat();
    let function = [&[13][..], &parameter, &[0]].concat();
    let info = unit(&[&declaration[..], &class, &function].concat());
    replaced(&[(".debug_abbrev", abbreviations()), (".debug_info", info)], |variables| {
        let [variable] = variables.all() else { panic!("{:?}", variables.all()) };
        let scope = &variables.scopes()[variable.scope];
        assert_eq!((scope.kind, variables.scopes().len()), (ScopeKind::Abstract, 2));
        // Two declarations with a parameter each, and the class, are before it.
        assert_eq!(scope.entry, 6);
    });
}

/// The list of `i`, whose scope is 0x1d0-0x7e0, has code from 0x250 on; its second entry, at 0x17,
/// is 0x270-0x2a0.
#[test]
fn what_a_range_with_an_open_side_may_have_is_not_said_to_be_left_out() {
    let places = |open: &[u64]| {
        let mut cubin = Cubin::parse(SAXPY).unwrap();
        for offset in open {
            for (section, at) in [(".rel.debug_loc", None), (".debug_loc", Some(*offset as usize))] {
                let index = cubin.section_by_name(section).unwrap();
                match (&mut cubin.sections[index.as_usize()].contents, at) {
                    (Contents::Relocations(all), None) => all.retain(|one| one.offset != *offset),
                    (Contents::Bytes(bytes), Some(at)) => bytes.to_mut()[at..at + 8].fill(0),
                    other => panic!("{section}: {other:?}"),
                }
            }
        }
        let all = locations(&cubin.write().unwrap());
        let location = &all.iter().find(|(name, ..)| name == "i").unwrap().2;
        let gap = |range: &LocationRange| match &range.location {
            VariableLocation::Unavailable(reason @ (Unavailable::Gap | Unavailable::Unknown)) => {
                range.code.as_ref().map(|code| (code.range.clone(), reason.clone()))
            }
            _ => None,
        };
        location.ranges.iter().filter_map(gap).collect::<Vec<_>>()
    };
    let (before, second) = (0x1d0..0x250, 0x270..0x2a0);
    let (gap, unknown) = (Unavailable::Gap, Unavailable::Unknown);
    assert_eq!(places(&[]), [(before.clone(), gap.clone())]);
    assert_eq!(places(&[0x1f]), [(before.clone(), gap), (second.clone(), unknown.clone())]);
    // A range without a start may be in the gap before too.
    assert_eq!(places(&[0x17]), [(before, unknown.clone()), (second, unknown)]);
}

/// Everything that can be asked of a cubin, or where it is wrong.
fn ask_everything(bytes: &[u8]) -> Result<usize, nv_debug_sections::Error> {
    let cubin = Cubin::parse(bytes)?;
    let entries = Entries::read(&cubin)?;
    let variables = Variables::read(&cubin, &entries)?;
    let mut ranges = 0;
    for variable in variables.all() {
        let location = variables.location(variable);
        assert!(location.available_bytes <= location.scope_bytes || location.cut);
        ranges += location.ranges.len();
        assert!(variables.type_name(variable).len() < 1100);
        let _ = (variables.name(variable), variables.declared(variable), variables.class(variable));
        for range in location.ranges {
            if let VariableLocation::Register(held) = range.location {
                assert!(held.to_string().len() < 100 + 16 * held.words.len());
            }
        }
    }
    for scope in variables.scopes() {
        let _ = (variables.scope_name(scope), variables.call_site(scope), variables.function(scope));
    }
    Ok(ranges)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn damaged_files_end_in_an_answer_or_an_error(
        which in 0_usize..3,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = [LINKED, RELOCATABLE, SAXPY][which].to_vec();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = ask_everything(&bytes);
    }

    /// Changes where they matter: in the sections that places are read from.
    #[test]
    fn damaged_debug_sections_end_in_an_answer_or_an_error(
        changes in prop::collection::vec((0_usize..5, any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut cubin = Cubin::parse(SAXPY).unwrap();
        let names = [".debug_info", ".debug_abbrev", ".debug_loc", ".nv_debug_info_reg_sass", ".debug_frame"];
        for (which, at, value) in changes {
            let Some(index) = cubin.section_by_name(names[which]) else { continue };
            if let Contents::Bytes(bytes) = &mut cubin.sections[index.as_usize()].contents {
                let at = at.index(bytes.len());
                bytes.to_mut()[at] = value;
            }
        }
        let _ = ask_everything(&cubin.write().unwrap());
    }
}
