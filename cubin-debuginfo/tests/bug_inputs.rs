//! Inputs of bug reports, with the answers that the reports expect. `docs/bugs.md` lists them.
//!
//! `data/make.sh` makes the cubins from the PTX of the reports with ptxas 13.0.88.
#![allow(clippy::unwrap_used)] // a panic is a failed test

use cubin_debuginfo::entries::{Entries, Entry};
use cubin_debuginfo::variables::{DebuggerMistake, VariableLocation, Variables};
use cubin_debuginfo::verify::{Severity, verify};
use dwarf2_reader::constants as dw;
use nv_debug_sections::cubin::{Contents, Cubin};
use nv_debug_sections::reg_type::{self, FunctionTypes};

macro_rules! data {
    ($name:literal) => {
        include_bytes!(concat!("data/", $name, ".cubin"))
    };
}

/// The findings as text: code, section and offset left out, those of these codes.
fn findings(bytes: &[u8], codes: &[&str]) -> Vec<String> {
    let report = verify(&Cubin::parse(bytes).unwrap());
    let wanted = report.findings().iter().filter(|finding| codes.contains(&finding.rule.code));
    wanted.map(|finding| format!("{} {}", finding.rule.code, finding.found)).collect()
}

/// Codes of all findings that are errors or warnings.
fn faults(bytes: &[u8]) -> Vec<&'static str> {
    let report = verify(&Cubin::parse(bytes).unwrap());
    let all = report.findings().iter().filter(|finding| finding.rule.severity != Severity::Note);
    all.map(|finding| finding.rule.code).collect()
}

/// How many findings of a code there are.
fn count(bytes: &[u8], code: &str) -> usize {
    findings(bytes, &[code]).len()
}

/// Bug 61: names the entry, the attribute, and the undefined symbol where there is one.
#[test]
fn an_address_without_relocation_is_found() {
    let one = |bytes: &[u8]| {
        let all = findings(bytes, &["I015"]);
        let [found] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!(faults(bytes), ["I015"]);
        found.clone()
    };
    assert_eq!(
        one(data!("unplaced_variable.sm_86")),
        "I015 DW_AT_location of DW_TAG_variable gaintab: address 0x0 without relocation (the undefined symbol of the file is gain_tab)"
    );
    assert_eq!(
        one(data!("unplaced_label.sm_86")),
        "I015 DW_AT_high_pc of DW_TAG_lexical_block: address 0x0 without relocation (the undefined symbol of the file is $LA_blkend2)"
    );
    assert_eq!(
        one(data!("unplaced_label.sm_86.c")),
        "I015 DW_AT_high_pc of DW_TAG_lexical_block: the undefined symbol $LA_blkend2"
    );
    assert_eq!(
        one(data!("unplaced_number.sm_86")),
        "I015 DW_AT_location of DW_TAG_variable gaintab: address 0x40 without relocation"
    );
    // A label of the module that ptxas itself left open, before code under a `.loc` of line 0.
    let open = data!("open_label.sm_75");
    assert_eq!((faults(open), count(open, "I102")), (vec![], 1));
}

/// Bug 63: file 1 of the shared table is that of the other unit.
#[test]
fn a_file_number_of_another_unit_is_found() {
    let bytes = data!("shared_table.sm_80");
    assert_eq!(
        findings(bytes, &["I018"]),
        ["I018 DW_AT_decl_file of DW_TAG_subprogram scanB: file 1, scan_a.cu"]
    );
    assert_eq!(faults(bytes), ["I018"]);
}

/// Bug 71: each class that is not that of the memory.
#[test]
fn a_wrong_address_class_is_found() {
    let swapped = data!("swapped_classes.sm_80");
    assert_eq!(faults(swapped), ["I016", "I016", "I016"]);
    let all = findings(swapped, &["I016"]);
    for (found, words) in all.iter().zip([
        "I016 DW_AT_location of DW_TAG_variable stage: address 0x0, and DW_AT_address_class 4, ADDR_const_space",
        "I016 DW_AT_location of DW_TAG_variable total: .nv.global+0x0, and DW_AT_address_class 8, ADDR_shared_space",
        "I016 DW_AT_location of DW_TAG_variable weight: .nv.constant3+0x0, and DW_AT_address_class 5, ADDR_global_space",
    ]) {
        assert_eq!(found, words);
    }
    // `total` is right without: global memory is the default.
    assert_eq!(faults(data!("no_classes.sm_80")), ["I017", "I017"]);
}

/// The file with another address class in the first entry that meets the condition.
fn with_class(bytes: &[u8], is_meant: impl Fn(&Entry<'_>) -> bool, class: u8) -> Vec<u8> {
    let mut cubin = Cubin::parse(bytes).unwrap().into_owned();
    let at = {
        let entries = Entries::read(&cubin).unwrap();
        let mut all = entries.iter().filter(|entry| entry.attribute(dw::DW_AT_address_class).is_some());
        let entry = all.find(is_meant).unwrap();
        entry.attribute(dw::DW_AT_address_class).unwrap().offset as usize
    };
    let index = cubin.section_by_name(".debug_info").unwrap().as_usize();
    let Contents::Bytes(info) = &mut cubin.sections[index].contents else { panic!() };
    info.to_mut()[at] = class;
    cubin.write().unwrap()
}

/// Every class of every kind of place. PTX Writer's Guide §6.2: a parameter of a kernel is in 7, a
/// frame in 6, a shared variable in 8; 0 is none (DWARF 2.0.0 §2.16), with which CUDA-GDB reads a
/// frame from local memory, and else global memory.
#[test]
fn a_wrong_class_of_a_number_or_a_frame_is_found() {
    for sound in [&data!("places.sm_80")[..], data!("places.sm_90")] {
        assert_eq!(faults(sound), [""; 0]);
        for (name, right, of_none) in
            [("n", &[7, 13, 14][..], Some("I017")), ("spill", &[6, 15], None), ("tile", &[8], Some("I017"))]
        {
            for class in (0..=17).chain([99, 255]) {
                let expected = match class {
                    0 => of_none,
                    class if right.contains(&class) => None,
                    _ => Some("I016"),
                };
                let changed = with_class(sound, |entry| entry.name().is_some_and(|own| own == name), class);
                assert_eq!(faults(&changed), Vec::from_iter(expected), "{name} {class}");
            }
        }
    }
    for (bytes, numbers) in
        [(&data!("wrong_classes.sm_80")[..], [0x160, 0]), (data!("wrong_classes.sm_90"), [0x210, 0x400])]
    {
        assert_eq!(
            findings(bytes, &["I016"]),
            [
                format!("I016 DW_AT_location of DW_TAG_formal_parameter n: address {:#x}, and DW_AT_address_class 6, ADDR_local_space", numbers[0]),
                "I016 DW_AT_location of DW_TAG_variable spill: an offset from the frame, and DW_AT_address_class 8, ADDR_shared_space".to_owned(),
                format!("I016 DW_AT_location of DW_TAG_variable tile: address {:#x}, and DW_AT_address_class 6, ADDR_local_space", numbers[1]),
            ]
        );
        assert_eq!(faults(bytes), ["I016"; 3]);
    }
    // What another file defines is known by its symbol.
    assert_eq!(faults(data!("extern_classes.sm_80.c")), ["I016", "I016"]);
}

/// A register has the class of one, or none.
#[test]
fn a_wrong_class_of_a_register_is_found() {
    let sound = include_bytes!("../../examples/saxpy/saxpy-debug.cubin");
    assert_eq!(faults(sound), [""; 0]);
    let is_in_register = |entry: &Entry<'_>| entry.unsigned(dw::DW_AT_address_class) == Some(2);
    for class in 0..=17 {
        let found = faults(&with_class(sound, is_in_register, class));
        let is_right = [0, 2, 16].contains(&class);
        assert!(
            found.is_empty() == is_right && found.iter().all(|code| *code == "I016"),
            "{class}: {found:?}"
        );
    }
}

/// Names that the module does not define, and numbers in their place.
#[test]
fn a_number_for_an_undefined_name_is_found() {
    let one = |bytes: &[u8]| -> String {
        let all = findings(bytes, &["I015", "I016", "I019"]);
        assert_eq!(faults(bytes).len(), 1);
        all.into_iter().next().unwrap()
    };
    for bytes in [&data!("unplaced_local.sm_80")[..], data!("unplaced_local.sm_90")] {
        assert_eq!(
            one(bytes),
            "I015 DW_AT_location of DW_TAG_variable spill: address 0x0 without relocation (the undefined symbol of the file is nosuch)"
        );
    }
    assert_eq!(
        one(data!("local_number.sm_80")),
        "I015 DW_AT_location of DW_TAG_variable spill: address 0x40 without relocation"
    );
    // Offset 0 is a place of shared memory before sm_90, and even that of the variable.
    assert_eq!(
        one(data!("unplaced_shared.sm_80")),
        "I019 DW_AT_location of DW_TAG_variable tile: address 0x0, which may be the undefined symbol nosuch"
    );
    assert_eq!(
        one(data!("unplaced_shared.sm_90")),
        "I016 DW_AT_location of DW_TAG_variable tile: address 0x0, and DW_AT_address_class 8, ADDR_shared_space (the undefined symbol of the file is nosuch)"
    );
    assert_eq!(
        one(data!("unplaced_shared.sm_90.c")),
        "I015 DW_AT_location of DW_TAG_variable tile: the undefined symbol nosuch"
    );
}

/// Bugs 61 and 71: `vars` warns, and shows no place that contradicts itself.
#[test]
fn variables_are_in_no_place_that_contradicts_their_class() {
    let all = |bytes: &[u8]| -> Vec<(String, String, Vec<DebuggerMistake>)> {
        let cubin = Cubin::parse(bytes).unwrap();
        let entries = Entries::read(&cubin).unwrap();
        let variables = Variables::read(&cubin, &entries).unwrap();
        let row = |variable| {
            let location = variables.location(variable);
            let place = match &location.ranges[0].location {
                VariableLocation::Memory(memory) => format!("{} {:?}", memory.space, memory.bank),
                VariableLocation::Unavailable(reason) => format!("{reason:?}"),
                other => format!("{other:?}"),
            };
            (variables.name(variable).unwrap().into_owned(), place, location.remarks)
        };
        variables.all().iter().map(row).collect()
    };
    let row = |name: &str, place: &str, remarks: &[DebuggerMistake]| {
        (name.to_owned(), place.to_owned(), remarks.to_vec())
    };
    assert_eq!(
        all(data!("swapped_classes.sm_80")),
        [
            row("stage", "ADDR_shared_space None", &[DebuggerMistake::OtherClass]),
            row("total", "ADDR_global_space None", &[DebuggerMistake::OtherClass]),
            row("weight", "ADDR_const_space Some(3)", &[DebuggerMistake::OtherClass]),
        ]
    );
    assert_eq!(
        all(data!("no_classes.sm_80")),
        [
            row("stage", "ADDR_shared_space None", &[DebuggerMistake::NoClass]),
            row("total", "ADDR_global_space None", &[]),
            row("weight", "ADDR_const_space Some(3)", &[DebuggerMistake::NoClass]),
        ]
    );
    assert_eq!(
        all(data!("unplaced_number.sm_86")),
        [row("gaintab", "NoAddress(64)", &[DebuggerMistake::Unplaced])]
    );
    assert_eq!(
        all(data!("unplaced_variable.sm_86")),
        [row("gaintab", "NoAddress(0)", &[DebuggerMistake::Unplaced])]
    );
    let tile_and_spill = |bytes: &[u8]| {
        let mut rows = all(bytes);
        rows.retain(|(name, ..)| name != "n");
        rows.reverse();
        rows.into_iter().map(|(_, place, remarks)| (place, remarks)).collect::<Vec<_>>()
    };
    let [tile, spill] = tile_and_spill(data!("wrong_classes.sm_80")).try_into().unwrap();
    assert_eq!(tile, ("ADDR_shared_space None".to_owned(), vec![DebuggerMistake::OtherClass]));
    assert!(spill.0.contains("CallFrame") && spill.1 == [DebuggerMistake::OtherClass], "{spill:?}");
    assert_eq!(
        all(data!("wrong_classes.sm_80"))[0],
        row("n", "ADDR_param_space Some(0)", &[DebuggerMistake::OtherClass])
    );
    let first = |bytes: &[u8]| tile_and_spill(bytes).remove(0);
    assert_eq!(
        tile_and_spill(data!("unplaced_local.sm_80")).remove(1),
        ("NoFrameOffset(0)".to_owned(), vec![])
    );
    assert_eq!(
        tile_and_spill(data!("local_number.sm_80")).remove(1),
        ("NoFrameOffset(64)".to_owned(), vec![])
    );
    assert_eq!(
        first(data!("unplaced_shared.sm_80")),
        ("ADDR_shared_space None".to_owned(), vec![DebuggerMistake::MaybeUndefined])
    );
    assert_eq!(first(data!("unplaced_shared.sm_90")), ("OutsideMemory(0)".to_owned(), vec![]));
}

/// Bug 88.
#[test]
fn types_of_vector_registers_are_known() {
    let bytes = data!("vectors.sm_86");
    assert_eq!(faults(bytes), [""; 0]);
    let cubin = Cubin::parse(bytes).unwrap();
    let types = cubin.bytes(cubin.section_by_name(reg_type::NAME).unwrap()).unwrap();
    let types = reg_type::decode(&types).unwrap();
    let names = types.iter().flat_map(FunctionTypes::types).map(|known| known.unwrap().to_string());
    let names: Vec<_> = names.filter(|name| name.starts_with('v')).collect();
    assert_eq!(names, ["v2.f32", "v2.f32", "v4.b8"]);
}

/// Bug 94: all CFA rules taken away, and only that of the CIE.
#[test]
fn rows_without_a_cfa_are_found() {
    // `DW_CFA_def_cfa R1 0`.
    const DEFINE: [u8; 6] = [0x0c, 0x81, 0x80, 0x80, 0x28, 0];
    let sound = data!("vectors.sm_86");
    let without = |all: bool| {
        let mut cubin = Cubin::parse(sound).unwrap().into_owned();
        let index = cubin.section_by_name(".debug_frame").unwrap().as_usize();
        let Contents::Bytes(bytes) = &mut cubin.sections[index].contents else { panic!() };
        let bytes = bytes.to_mut();
        while let Some(at) = bytes.windows(DEFINE.len()).position(|window| window == DEFINE) {
            bytes[at..at + DEFINE.len()].fill(0);
            if !all {
                break;
            }
        }
        cubin.write().unwrap()
    };
    assert_eq!(count(sound, "F007"), 0);
    let all = findings(&without(true), &["F007"]);
    let [found] = all.as_slice() else { panic!("{all:?}") };
    assert!(found.starts_with("F007 no CFA from 0x0 to "), "{found}");
    let all = findings(&without(false), &["F007"]);
    let [found] = all.as_slice() else { panic!("{all:?}") };
    assert!(found.starts_with("F007 no CFA from 0x0 to 0x"), "{found}");
}

/// Bug 95 and the inputs of `exactness`: habits of ptxas 13.0.88 are notes.
#[test]
fn habits_of_ptxas_are_no_errors() {
    for (bytes, code, notes) in [
        (&data!("reversed_ranges.sm_90")[..], "R105", 3),
        (data!("reversed_ranges.sm_100"), "R105", 3),
        (data!("reversed_division.sm_120"), "R105", 1),
        (data!("range_without_start.sm_100"), "R106", 1),
        (data!("cie_past_end.sm_100.c"), "F101", 7),
    ] {
        assert_eq!((faults(bytes), count(bytes, code)), (vec![], notes), "{code}");
    }
}

/// The variables with a constant value, as `NAME = VALUE`.
fn constants(bytes: &[u8]) -> Vec<String> {
    let cubin = Cubin::parse(bytes).unwrap();
    let entries = Entries::read(&cubin).unwrap();
    let variables = Variables::read(&cubin, &entries).unwrap();
    let mut all = Vec::new();
    for variable in variables.all() {
        for range in variables.location(variable).ranges {
            if let VariableLocation::Constant(constant) = &range.location {
                all.push(format!("{} = {constant}", variables.name(variable).unwrap()));
            }
        }
    }
    all
}

/// Bug 91: the values that the report gives.
#[test]
fn constants_are_read_in_their_types() {
    assert_eq!(
        constants(data!("constants.sm_75")),
        [
            "port = 65000",
            "on = true",
            "gain = 0.75",
            "bias = -2.5",
            "step = -5",
            "mark = 'A' (65)",
            "mask = 18446744073709551614",
            "level = 200",
        ]
    );
}

/// Bug 91: enumerators, arrays, complex numbers, numbers of 16 and of 2 bytes, and bytes that say
/// no number. The values are those that `data/constants_of_types.ptx` was written from.
#[test]
fn constants_of_other_types() {
    assert_eq!(
        constants(data!("constants_of_types.sm_75")),
        [
            "shade = RED (-1)",
            "tint = BLUE (100)",
            "odd = 7",
            "mask = ALL (255)",
            "other = 254",
            "where = 0x7f00001000",
            "label = \"warp\"",
            "steps = {1, -2, 70000}",
            "z = 1.5 - 0.25i",
            "w = -3 + 0.125i",
            "big = -1267650600228229401496703205376",
            "wide = 170141183460469231731687303715884105733",
            "h = 0.099975586",
            "bf = -2",
            "p = [01, 02, 03, 04, 05, 06, 07, 08]",
            "short = [01, 02]",
        ]
    );
}
