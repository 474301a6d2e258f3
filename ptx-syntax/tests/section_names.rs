//! Findings on what section data says by name: labels, differences, variables. ptxas' verdicts are
//! in `snippets.json`.
// Helpers outside `#[test]` functions; a panic is a test's way to fail.
#![allow(clippy::unwrap_used)]

use ptx_syntax::check::{CheckContext, Mode, Report, Verdict, check};
use ptx_syntax::fix::{FixSelection, Repair, fix};
use ptx_syntax::parse;

const NAMES: &str = ".shared .b32 su;\n.func f(.param .b32 fp) { ret; }\n\
    .visible .entry k(.param .u64 p) { .reg .b32 %r1; .local .b32 lv;\nQ: mov.u32 %r1, %clock;\nret; }\n";
/// Compile unit with a name; variable with a location; function with children; compile unit with
/// `DW_FORM_strp` and `ref4`; function with a name.
const ABBREV: &str = "1,17,1,3,8,0,0, 2,52,0,2,10,0,0, 3,46,1,0,0, 4,17,0,3,14,1,19,0,0, 5,46,1,3,8,0,0, 0";

fn report(text: &str) -> Report {
    check(&parse(text), &CheckContext::default())
}

/// Where findings of debug data stand, in text order: `CODE WHERE`, without those on what the
/// module lacks.
fn codes(text: &str) -> Vec<String> {
    let findings = report(text).findings.into_iter();
    let of_data = findings.filter(|finding| finding.rule.code.starts_with(['D', 'W']));
    of_data.map(|finding| format!("{} {}", finding.rule.code, finding.range.slice(text))).collect()
}

fn module(sections: &str) -> String {
    format!(".version 8.0\n.target sm_90\n.address_size 64\n{NAMES}{sections}")
}

fn unit(length: &str, abbrev: &str, entries: &str) -> String {
    module(&format!(
        ".section .debug_str {{ S: .b8 102,0 }}\n.section .debug_abbrev {{ .b8 {ABBREV} }}\n\
         .section .debug_info {{ .b32 {length}\nB: .b16 2\n.b32 {abbrev}\n.b8 8\n{entries}\nE:\n}}\n"
    ))
}

#[test]
fn a_length_is_a_number() {
    let text = unit("E-B", ".debug_abbrev", ".b8 1,97,0,0");
    assert_eq!(codes(&text), ["W001 E-B"]);
    let report = report(&text);
    assert!(matches!(report.verdict(Mode::G), Verdict::Reject(rule) if rule.code == "W001"));
    assert_eq!(report.verdict(Mode::Lineinfo), Verdict::Accept);
    let finding = report.findings.iter().find(|finding| finding.help.is_some()).unwrap();
    assert_eq!(finding.help.as_deref(), Some("write the number: 11"));
    // It is the first name.
    assert!(finding.message.ends_with(" for 1"), "{}", finding.message);
    for fixes in [FixSelection::of(&[Repair::FoldDifferences]), FixSelection::default()] {
        assert_eq!(fix(&text, &fixes).text, unit("11", ".debug_abbrev", ".b8 1,97,0,0"));
    }
    assert_eq!(codes(&unit("11", ".debug_abbrev", ".b8 1,97,0,0")), [""; 0]);
    // Differences elsewhere are left alone.
    let text = unit("11", "B-B", ".b8 1,97,0,0");
    assert_eq!(fix(&text, &FixSelection::default()).text, text);
}

#[test]
fn numbers_after_names_count() {
    for (abbrev, entries, length, expected) in [
        (".debug_abbrev+200", ".b8 1,97,0,0", 11, &["W003 .debug_abbrev+200"][..]),
        (".debug_abbrev+7", ".b8 2,0", 9, &["W019 .debug_info"]), // the codes count on
        (".debug_abbrev+7", ".b8 1,97,0,0", 11, &["W005 1"]),
        (".debug_abbrev", ".b8 4\n.b32 .debug_str+1\n.b32 .debug_info+11", 16, &[]),
        (
            ".debug_abbrev",
            ".b8 4\n.b32 .debug_str+99\n.b32 .debug_info+99",
            16,
            &["W007 .debug_str+99", "W008 .debug_info+99"],
        ),
        (".debug_abbrev", ".b8 4\n.b32 S+2\n.b32 B", 16, &["W007 S+2", "W008 B"]),
    ] {
        assert_eq!(codes(&unit(&length.to_string(), abbrev, entries)), expected, "{abbrev} {entries}");
    }
}

#[test]
fn names_outside_debug_info() {
    for (value, codes_of_it) in [
        ("lv", &["D014"][..]),
        ("lv+4", &["D011"]),
        ("su", &["D011"]),
        ("fp", &["D011"]),
        ("p", &[]),
        ("p+8", &["D011"]),
        ("Q", &[]),
        ("Q+0", &["D011"]),
    ] {
        let expected: Vec<String> = codes_of_it.iter().map(|code| format!("{code} {value}")).collect();
        assert_eq!(codes(&module(&format!(".section .debug_loc {{ .b64 {value} }}\n"))), expected);
    }
}

#[test]
fn names_in_debug_info() {
    for (value, expected) in [
        ("lv", &[][..]),
        ("lv+4", &["D011"]),
        ("Q+4", &["D011"]),
        ("fp", &["D011", "W021"]),
        ("nope+4", &["D007"]),
    ] {
        let expected: Vec<String> = expected.iter().map(|code| format!("{code} {value}")).collect();
        let entries = format!(".b8 1,97,0,5,102,0,2,9,3\n.b64 {value}\n.b8 0,0");
        assert_eq!(codes(&unit("26", ".debug_abbrev", &entries)), expected);
    }
    let entries = ".b8 1,97,0,3,2,9,3\n.b64 lv\n.b8 0,0";
    assert_eq!(codes(&unit("24", ".debug_abbrev", entries)), ["D011 lv"], "in a function without a name");
    let entries = ".b8 1,97,0,2,9,3\n.b64 lv\n.b8 0";
    assert_eq!(codes(&unit("22", ".debug_abbrev", entries)), ["D011 lv"], "in no function");
}
