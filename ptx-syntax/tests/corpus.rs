//! The parser against the corpus and the cases of `../shared`: what ptxas accepts has no error,
//! section bytes equal the ELF's.
// Helpers outside `#[test]` functions; a panic is a test's way to fail, standard error its way to
// say what it saw.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod support;

use std::fs;
use std::path::Path;

use object::{Object, ObjectSection};
use ptx_syntax::section_data::{self, FixupTarget};
use ptx_syntax::{Item, LineIndex, Statement, parse, tokenize};
use serde_json::Value;
use support::{corpus_root, shared};

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The text of a file; bytes that are not UTF-8 become one replacement character each.
fn read_text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

/// Every byte in one token; items and statements ascending and disjoint; what lies between items is
/// trivia; error ranges on character boundaries, in order.
fn check_tree(text: &str, what: &str) {
    let mut at = 0;
    for token in tokenize(text) {
        assert_eq!(token.range.start, at, "{what}");
        assert!(!token.range.is_empty(), "{what}");
        at = token.range.end;
    }
    assert_eq!(at as usize, text.len(), "{what}");
    let parsed = parse(text);
    let mut printed = String::with_capacity(text.len());
    let mut end = 0;
    for item in &parsed.module.items {
        let range = item.range();
        assert!(range.start >= end && range.end >= range.start, "{what}: {range:?} after {end}");
        printed.push_str(&text[end as usize..range.start as usize]);
        printed.push_str(&text[range.start as usize..range.end as usize]);
        end = range.end;
        if let Item::Function(function) = item {
            let mut end = range.start;
            for statement in function.body.iter().flat_map(|body| &body.statements) {
                let inner = statement.range();
                assert!(inner.start >= end && inner.end <= range.end, "{what}: {statement:?}");
                end = inner.end;
            }
        }
    }
    printed.push_str(&text[end as usize..]);
    assert_eq!(printed, text, "{what}");
    for error in &parsed.errors {
        assert!(
            text.get(error.range.start as usize..error.range.end as usize).is_some(),
            "{what}: {error:?}"
        );
    }
}

fn messages(text: &str) -> Vec<String> {
    let lines = LineIndex::new(text);
    let parsed = parse(text);
    parsed
        .errors
        .iter()
        .map(|error| {
            let (line, column) = lines.line_col(error.range.start);
            format!("{line}:{column}: {error} `{}`", error.range.slice(text))
        })
        .collect()
}

#[test]
fn corpus_text_that_ptxas_takes_has_no_error() {
    let corpus = corpus_root::root();
    let manifest = read_json(&corpus.join("manifest.json"));
    let mut clean = 0;
    for entry in manifest["entries"].as_array().unwrap() {
        let Some(path) = entry["ptx"]["path"].as_str() else { continue };
        let text = read_text(&corpus.join(path));
        check_tree(&text, path);
        if entry["status"] == "ok" && entry["writer"] == "ptxas-13.0.88" {
            assert_eq!(messages(&text), [""; 0], "{path}");
            clean += 1;
        }
    }
    eprintln!("{clean} PTX files without errors");
    assert!(clean > 400);
}

/// Sections whose bytes differ by design (docs/formats/entries.md, local variables: the operator
/// before a `__local_depot` becomes DW_OP_fbreg).
#[test]
fn section_bytes_equal_the_elf() {
    let corpus = corpus_root::root();
    let manifest = read_json(&corpus.join("manifest.json"));
    let (mut sections, mut total) = (0, 0);
    for entry in manifest["entries"].as_array().unwrap() {
        let (Some(ptx), Some(cubin)) = (entry["ptx"]["path"].as_str(), entry["cubin"]["path"].as_str())
        else {
            continue;
        };
        if entry["status"] != "ok" || entry["writer"] != "ptxas-13.0.88" {
            continue;
        }
        let text = read_text(&corpus.join(ptx));
        let data = fs::read(corpus.join(cubin)).unwrap();
        let elf = object::read::elf::ElfFile64::<object::LittleEndian>::parse(&*data).unwrap();
        for section in parse(&text).module.sections() {
            let Some(original) = elf.section_by_name(section.name.text) else { continue };
            let mut original = original.data().unwrap().to_vec();
            let mut ours = section_data::assemble(section);
            assert_eq!(ours.errors, [], "{ptx}");
            assert_eq!(ours.bytes.len(), original.len(), "{ptx} {}", section.name.text);
            for fixup in &ours.fixups {
                let start = fixup.offset as usize;
                original[start..start + usize::from(fixup.width)].fill(0);
                if matches!(fixup.target, FixupTarget::Symbol { name, .. } if name.starts_with("__local_depot"))
                {
                    assert_eq!((ours.bytes[start - 1], original[start - 1]), (3, 0x91), "{ptx}");
                    ours.bytes[start - 1] = 0x91;
                }
            }
            assert!(ours.bytes == original, "{ptx} {}", section.name.text);
            sections += 1;
            total += original.len();
        }
    }
    eprintln!("{sections} sections, {total} bytes equal");
    assert!(sections > 300);
}

/// How ptxas 13.0.88 words faults of the grammar; all its other complaints are left to `check`.
const GRAMMAR: &[&str] = &[
    "Parsing error near",
    "Constant overflow",
    "Value out of range",
    "Illegal type for dwarf data",
    "Unexpected non-ASCII character",
    "Unexpected EOF",
    "Missing .version",
];

#[test]
fn cases_are_judged_as_ptxas_does() {
    let Some(cases) = shared("cases") else { return };
    let all = read_json(&cases.join("cases.json"));
    let (mut accepted, mut rejected, mut other) = (0, 0, 0);
    for case in all["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        let bytes = fs::read(cases.join(format!("{id}.ptx"))).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        check_tree(&text, id);
        let messages = messages(&text);
        let modes = &case["modes"];
        let outcome = match modes["g"]["same_as"].as_str() {
            Some(mode) => &modes[mode],
            None => &modes["g"],
        };
        let said = outcome["message"].as_str().unwrap_or("");
        if GRAMMAR.iter().any(|words| said.contains(words)) {
            assert!(!messages.is_empty(), "{id}: {said}");
            rejected += 1;
            continue;
        }
        assert_eq!(messages, [""; 0], "{id}: {said}");
        if case["expected"]["none"] == "accept" {
            accepted += 1;
        } else {
            other += 1;
        }
    }
    eprintln!("{accepted} accepted without error, {rejected} grammar faults seen, {other} left to `check`");
    assert!(accepted > 300 && rejected > 100);
}

/// `.section` data of the cases against the bytes that ptxas 13.0.88 wrote (`sections.*.hex`),
/// where it wrote them whole.
#[test]
fn values_of_the_cases_equal_the_elf() {
    let Some(cases) = shared("cases") else { return };
    let all = read_json(&cases.join("cases.json"));
    let mut compared = 0;
    for case in all["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        let mode = case["modes"]["g"]["same_as"].as_str().unwrap_or("g");
        let text = read_text(&cases.join(format!("{id}.ptx")));
        for section in parse(&text).module.sections() {
            let name = section.name.text;
            let Some(hex) = case["modes"][mode]["sections"][name]["hex"].as_str() else { continue };
            let ours = section_data::assemble(section);
            if name == ".debug_info" || !ours.fixups.is_empty() || ours.bytes.len() * 2 != hex.len() {
                continue;
            }
            let written = ours.bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
            assert_eq!(written, hex, "{id} {name}");
            compared += 1;
        }
    }
    eprintln!("{compared} sections of cases equal");
    assert!(compared > 60);
}

/// `@@DWARF` lines of the cases against the bytes that ptxas 13.0.88 wrote; places of relocations
/// are 0 in both.
#[test]
fn at_dwarf_lines_equal_the_elf() {
    let Some(cases) = shared("cases") else { return };
    let all = read_json(&cases.join("cases.json"));
    let mut compared = 0;
    for case in all["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        let mode = case["modes"]["g"]["same_as"].as_str().unwrap_or("g");
        let text = read_text(&cases.join(format!("{id}.ptx")));
        for section in ptx_syntax::assemble_at_dwarf(&parse(&text).module) {
            let name = section.name.text;
            let Some(hex) = case["modes"][mode]["sections"][name]["hex"].as_str() else { continue };
            let bytes = &section.assembled.bytes;
            let written = bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
            assert_eq!(written, hex, "{id} {name}");
            assert_eq!(section.assembled.errors, [], "{id} {name}");
            compared += 1;
        }
    }
    eprintln!("{compared} sections of @@DWARF lines equal");
    assert!(compared > 15);
}

/// Statements keep what they stand for.
#[test]
fn corpus_has_no_unknown_statement() {
    let corpus = corpus_root::root();
    let text = read_text(&corpus.join("out/handptx/h_loc_forms/sm_90/g/h_loc_forms.ptx"));
    let parsed = parse(&text);
    let kernel = parsed.module.functions().next().unwrap();
    let statements = &kernel.body.as_ref().unwrap().statements;
    let locs = statements.iter().filter(|s| matches!(s, Statement::Loc(_))).count();
    assert_eq!(locs, text.matches(".loc ").count() + text.matches(".loc\t").count());
    let last = parsed.module.files().last().unwrap();
    assert_eq!((last.index, last.path), (4, "back\\\\slash and \\x41.cu"));
}
