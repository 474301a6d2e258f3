//! Findings on `.debug_info` beside its module: lengths of units, memories of variables, addresses, numbers of files.
//! What each input has wrong is said in the issues of its number (docs/bugs.md).
// Helpers outside `#[test]` functions; a panic is a test's way to fail.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use ptx_syntax::check::{Context, Mode, Severity, Verdict, check};
use ptx_syntax::{LineIndex, parse};

fn text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/entries");
    fs::read_to_string(folder.join(format!("{name}.ptx"))).unwrap()
}

/// Findings on debug data, in text order: `CODE LINE`.
fn findings(text: &str) -> Vec<String> {
    let report = check(&parse(text), &Context::default());
    let lines = LineIndex::new(text);
    let of_data = report.findings.iter().filter(|finding| finding.rule.code.starts_with(['D', 'W']));
    of_data.map(|finding| format!("{} {}", finding.rule.code, lines.line(finding.range.start))).collect()
}

#[test]
fn the_unit_of_the_wrong_length_is_named() {
    for (name, line, length) in [("84-short", 91, 63), ("84-long", 75, 61), ("84-last", 107, 61)] {
        let text = text(name);
        assert_eq!(findings(&text), [format!("W001 {line}")], "{name}");
        let report = check(&parse(&text), &Context::default());
        let finding = report.findings.iter().find(|finding| finding.rule.code == "W001").unwrap();
        assert!(finding.message.ends_with(&format!("its entries end after {length} bytes")), "{finding:?}");
    }
}

/// With the right length all of it is sound.
#[test]
fn the_right_length_has_no_finding() {
    let short = text("84-short").replacen(".b32 54", ".b32 63", 1);
    assert_eq!(findings(&short), [""; 0]);
}

#[test]
fn numbers_of_files_are_those_of_the_module() {
    assert_eq!(findings(&text("63-call-file")), ["W024 71"]);
    assert_eq!(findings(&text("63-decl-file")), ["W024 54"]);
    assert_eq!(findings(&text("63-shared-table")), ["W025 70"]);
    let right = text("63-call-file").replace(".b8 6,22", ".b8 2,22");
    assert_eq!(findings(&right), [""; 0]);
}

#[test]
fn classes_are_those_of_the_memories() {
    assert_eq!(findings(&text("71-swapped")), ["W023 62", "W023 69", "W023 76"]);
    assert_eq!(findings(&text("71-none")), ["W021 63", "W021 75"]);
}

#[test]
fn a_bare_number_is_no_address() {
    assert_eq!(findings(&text("61-number")), ["W026 58"]);
    // A name in its place is one.
    let named = text("61-number").replace(".b64 64", ".b64 amplify");
    assert_eq!(findings(&named), [""; 0]);
}

/// ptxas refuses it with -g, but it is not sound; so nothing but ptxas need refuse it.
#[test]
fn an_operand_ends_inside_its_expression() {
    let text = text("operand");
    assert_eq!(findings(&text), ["W027 19"]);
    let report = check(&parse(&text), &Context::default());
    assert!(matches!(report.verdict(Mode::G), Verdict::Reject(rule) if rule.code == "W027"));
    assert!(report.findings.iter().all(|finding| finding.severity < Severity::Error));
}
