//! Inputs of bug reports, with the answers that the reports expect. `docs/bugs.md` lists them.
//!
//! `data/make.sh` makes the cubins from the PTX of the reports with ptxas 13.0.88.
#![allow(clippy::unwrap_used)] // a panic is a failed test

use cubin_read::entries::Entries;
use cubin_read::variables::{Place, Remark, Variables};
use cubin_read::verify::{Severity, verify};
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
    assert_eq!(faults(swapped), ["I015", "I016", "I016"]);
    let all = findings(swapped, &["I015", "I016"]);
    for (found, words) in all.iter().zip([
        "I015 DW_AT_location of DW_TAG_variable stage: address 0x0 without relocation",
        "I016 DW_AT_location of DW_TAG_variable total: .nv.global+0x0, and DW_AT_address_class 8, ADDR_shared_space",
        "I016 DW_AT_location of DW_TAG_variable weight: .nv.constant3+0x0, and DW_AT_address_class 5, ADDR_global_space",
    ]) {
        assert_eq!(found, words);
    }
    // `total` is right without: global memory is the default.
    assert_eq!(faults(data!("no_classes.sm_80")), ["I015", "I017"]);
}

/// Bugs 61 and 71: `vars` warns, and shows no place that contradicts itself.
#[test]
fn variables_are_in_no_place_that_contradicts_their_class() {
    let all = |bytes: &[u8]| -> Vec<(String, String, Vec<Remark>)> {
        let cubin = Cubin::parse(bytes).unwrap();
        let entries = Entries::read(&cubin).unwrap();
        let variables = Variables::read(&cubin, &entries).unwrap();
        let mut room = variables.room();
        let row = |variable| {
            let location = variables.location(variable, &mut room);
            let place = match &location.ranges[0].place {
                Place::Memory(memory) => format!("{} {:?}", memory.space, memory.bank),
                Place::Unavailable(reason) => format!("{reason:?}"),
                other => format!("{other:?}"),
            };
            (variables.name(variable).unwrap().into_owned(), place, location.remarks)
        };
        variables.all().iter().map(row).collect()
    };
    let row =
        |name: &str, place: &str, remarks: &[Remark]| (name.to_owned(), place.to_owned(), remarks.to_vec());
    assert_eq!(
        all(data!("swapped_classes.sm_80")),
        [
            row("stage", "NoAddress(0)", &[Remark::Unplaced]),
            row("total", "ADDR_global_space None", &[Remark::OtherClass]),
            row("weight", "ADDR_const_space Some(3)", &[Remark::OtherClass]),
        ]
    );
    assert_eq!(
        all(data!("no_classes.sm_80")),
        [
            row("stage", "NoAddress(0)", &[Remark::NoClass]),
            row("total", "ADDR_global_space None", &[]),
            row("weight", "ADDR_const_space Some(3)", &[Remark::NoClass]),
        ]
    );
    assert_eq!(all(data!("unplaced_number.sm_86")), [row("gaintab", "NoAddress(64)", &[Remark::Unplaced])]);
    assert_eq!(all(data!("unplaced_variable.sm_86")), [row("gaintab", "NoAddress(0)", &[Remark::Unplaced])]);
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
    let mut room = variables.room();
    let mut all = Vec::new();
    for variable in variables.all() {
        for range in variables.location(variable, &mut room).ranges {
            if let Place::Constant(constant) = &range.place {
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

/// Bug 91: enumerators, arrays, complex numbers, numbers of 16 and of 2 bytes, and bytes that say no number. The values are those
/// that `data/constants_of_types.ptx` was written from.
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
