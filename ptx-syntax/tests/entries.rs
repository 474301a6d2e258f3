//! Findings on `.debug_info` beside its module: lengths of units, memories of variables, addresses,
//! numbers of files. What each input has wrong is said in the issues of its number (docs/bugs.md).
// Helpers outside `#[test]` functions; a panic is a test's way to fail.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use ptx_syntax::check::{CheckContext, Mode, Severity, Verdict, check};
use ptx_syntax::{LineIndex, parse};

fn text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/entries");
    fs::read_to_string(folder.join(format!("{name}.ptx"))).unwrap()
}

/// Findings on debug data, in text order: `CODE LINE`.
fn findings(text: &str) -> Vec<String> {
    let report = check(&parse(text), &CheckContext::default());
    let lines = LineIndex::new(text);
    let of_data = report.findings.iter().filter(|finding| finding.rule.code.starts_with(['D', 'W']));
    of_data.map(|finding| format!("{} {}", finding.rule.code, lines.line(finding.range.start))).collect()
}

#[test]
fn the_unit_of_the_wrong_length_is_named() {
    for (name, line, length) in [("84-short", 91, 63), ("84-long", 75, 61), ("84-last", 107, 61)] {
        let text = text(name);
        assert_eq!(findings(&text), [format!("W001 {line}")], "{name}");
        let report = check(&parse(&text), &CheckContext::default());
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

/// A parameter, a variable in a frame with `DW_OP_plus_uconst` after its address, and a shared
/// variable: of each class. PTX Writer's Guide §6.2; DWARF 2.0.0 §2.16 has 0 for none, which
/// CUDA-GDB reads from local memory in a frame.
#[test]
fn each_class_of_each_memory() {
    assert_eq!(findings(&text("hostile-places")), [""; 0]);
    assert_eq!(findings(&text("hostile-wrong-classes")), ["W023 49", "W023 55", "W023 60"]);
    let lines: Vec<String> = text("hostile-places").lines().map(str::to_owned).collect();
    for (line, right, of_none) in
        [(49, &[7, 13, 14][..], Some("W021 48")), (55, &[6, 15], None), (60, &[8], Some("W021 59"))]
    {
        for class in (0..=17).chain([99, 255]) {
            let mut changed = lines.clone();
            changed[line - 1] = format!(".b8 {class}");
            let expected = match class {
                0 => of_none.map(str::to_owned),
                class if right.contains(&class) => None,
                _ => Some(format!("W023 {line}")),
            };
            assert_eq!(findings(&changed.join("\n")), Vec::from_iter(expected), "{line} {class}");
        }
    }
    // A number in place of each name, and a name that is not defined.
    for address in [48, 53, 59] {
        for (operand, code) in [("64", "W026"), ("nosuch", "D007")] {
            let mut changed = lines.clone();
            changed[address - 1] = format!(".b64 {operand}");
            assert_eq!(findings(&changed.join("\n")), [format!("{code} {address}")]);
        }
    }
}

/// ptxas 13.0.88 places a .local variable whose entry is after that of a function with a name, be
/// it in that function or not.
#[test]
fn local_variables_after_a_named_function_are_placed() {
    let sound = text("hostile-places");
    // The function's entry: its abbreviation without the name.
    let nameless = sound.replace(".b8 1,156,107,0,1,4", ".b8 1,156,1,4").replace(".b32 129", ".b32 127");
    let nameless = nameless.replacen(".b8 2\n.b64 $L__begin", ".b8 6\n.b64 $L__begin", 1);
    assert_ne!(nameless, sound);
    assert_eq!(findings(&nameless), ["D011 53"]);
    let named = ".b8 2\n.b64 $L__begin\n.b64 $L__end\n.b8 1,156,107,0,1,4\n.b8 0\n";
    let after = nameless.replacen(".b8 6\n.b64 $L__begin", &format!("{named}.b8 6\n.b64 $L__begin"), 1);
    let after = after.replace(".b32 127", ".b32 151");
    assert_eq!(findings(&after), [""; 0]);
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
    let report = check(&parse(&text), &CheckContext::default());
    assert!(matches!(report.verdict(Mode::G), Verdict::Reject(rule) if rule.code == "W027"));
    assert!(report.findings.iter().all(|finding| finding.severity < Severity::Error));
}
