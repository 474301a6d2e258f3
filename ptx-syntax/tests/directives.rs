//! `docs/formats/ptx-directives.md`: each row is a module, and what ptxas 13.0.88 does with it.
//! `the_real_tool_says_so` asks it again.
// Helpers outside `#[test]` functions; a panic is a test's way to fail, standard error its way to
// say what it saw.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod support;

use std::fs;
use std::process::Command;

use ptx_syntax::check::{CheckContext, Mode, PtxasLines, Verdict, check};
use ptx_syntax::{LineIndex, MergedSections, Statement, parse};

/// What ptxas does with a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// A cubin, and not a word.
    Silent,
    /// A cubin, and a message with these words.
    Said(&'static str),
    /// No cubin, and a message with these words.
    Refused(&'static str),
    /// It ends with a signal.
    Crash,
}

use Outcome::{Crash, Refused, Said, Silent};

/// A module, the mode, what happens.
type Row = (String, Mode, Outcome);

const NONE: Mode = Mode::None;
const G: Mode = Mode::G;

/// A module of a version with one kernel and, after it, `lines`.
fn outside(version: &str, lines: &str) -> String {
    format!(
        ".version {version}\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\nL: ret;\n}}\n{lines}\n"
    )
}

/// A module with `lines` in its kernel, and two files and a name.
fn inside(version: &str, lines: &str) -> String {
    format!(
        ".version {version}\n.target sm_75\n.address_size 64\n.visible .entry k()\n{{\n{lines}\nret;\n}}\n.file 1 \"a.cu\"\n\
         .file 2 \"b.cu\"\n{}",
        if version >= "7.0" {
            ".section .debug_str {\nS: .b8 102, 0\n}\n.section .debug_loc { T: .b8 0 }\n"
        } else {
            ""
        }
    )
}

/// A module of PTX 1.4 with `lines` after its kernel.
fn old(lines: &str) -> String {
    format!(".version 1.4\n.target sm_13\n.entry k()\n{{\nret;\n}}\n{lines}\n")
}

fn files() -> Vec<Row> {
    [
        (outside("9.0", ".file 1 \"a.cu\"\n.file 7 \"b.cu\""), Silent),
        (outside("9.0", ".file 7 \"b.cu\"\n.file 1 \"a.cu\""), Silent),
        (outside("9.0", ".file 1 \"a.cu\"\n.file 1 \"a.cu\""), Refused("Duplicate file index #1")),
        (outside("9.0", ".file 1 \"a.cu\"\n.file 1 \"b.cu\""), Refused("Duplicate file index #1")),
        (inside("9.0", ".file 3 \"c.cu\""), Refused("Parsing error near '.file': syntax error")),
        (outside("9.0", ".file 1 \"a.cu\", 1700000000, 40"), Silent),
        (
            outside("3.1", ".file 1 \"a.cu\", 1700000000, 40"),
            Refused("requires PTX ISA .version 3.2 or later"),
        ),
        (outside("3.2", ".file 1 \"a.cu\", 1700000000, 40").replace("sm_75", "sm_30"), Silent),
        (outside("9.0", ".file 4294967296 \"a.cu\""), Refused("Constant overflow")),
        (outside("9.0", ".file 4294967295 \"a.cu\""), Silent),
        (
            outside("9.0", ".file 1 \"caf\u{e9}.cu\""),
            Refused("Unexpected non-ASCII character encountered on line 8"),
        ),
        (outside("9.0", "// caf\u{e9}"), Refused("Unexpected non-ASCII character encountered on line 8")),
    ]
    .map(|(text, outcome)| (text, NONE, outcome))
    .into()
}

fn locs() -> Vec<Row> {
    const EARLIER: &str = "must be used in a preceding .loc directive";
    [
        (inside("9.0", ".loc 1 10 3"), Silent),
        (inside("9.0", ".loc 1 10 3;"), Refused("Parsing error near ';': syntax error")),
        (inside("9.0", ".loc 1 10"), Refused("syntax error")),
        (outside("9.0", ".loc 1 10 3"), Refused("Parsing error near '.loc': syntax error")),
        (inside("9.0", ".loc 9 10 3"), Silent),
        (
            outside("9.0", "").replace("L: ret", ".loc 1 10 3\nL: ret"),
            Said(".loc directive without .file directive is found, line information in generated binary may not be complete"),
        ),
        (inside("9.0", ".loc 1 4294967296 3"), Refused("Constant overflow")),
        (inside("9.0", ".loc 4294967296 10 3"), Refused("Constant overflow")),
        (inside("9.0", ".loc 1 10 4294967296"), Refused("Constant overflow")),
        (inside("9.0", ".loc 4294967295 4294967295 4294967295"), Silent),
        (inside("9.0", ".loc 1 9223372036854775808 3"), Silent),
        (inside("9.0", ".loc 1 18446744073709551616 3"), Silent),
        (inside("9.0", ".loc 1 10 3\n.loc 2 5 1, function_name S, inlined_at 1 10 3"), Silent),
        (inside("7.0", ".loc 1 10 3\n.loc 2 5 1, function_name S, inlined_at 1 10 3"), Silent),
        (inside("6.5", ".loc 1 10 3\n.loc 2 5 1, function_name S, inlined_at 1 10 3"), Refused("requires PTX ISA .version 7.0 or later")),
        (inside("9.0", ".loc 1 10 3\n.loc 2 5 1, inlined_at 1 10 3"), Refused("Parsing error near 'inlined_at': syntax error")),
        (inside("9.0", ".loc 1 10 3\n.loc 2 5 1, function_name S"), Refused("syntax error")),
        (
            inside("9.0", ".loc 1 10 3\n.loc 2 5 1, .function_name S, inlined_at 1 10 3"),
            Refused("Parsing error near '.function_name': syntax error"),
        ),
        (inside("9.0", ".loc 1 10 3\n.loc 2 5 1, function_name S, inlined_at 1 10 3, function_name S"), Refused("syntax error")),
        (inside("9.0", ".loc 1 10 3\n.loc 2 5 1, function_name S, inlined_at 1 11 3"), Refused(EARLIER)),
        (inside("9.0", ".loc 1 10 3\n.loc 2 5 1, function_name S, inlined_at 1 10 4"), Refused(EARLIER)),
        (inside("9.0", ".loc 1 10 3\n.loc 2 5 1, function_name S, inlined_at 65537 10 3"), Silent),
        (inside("9.0", ".loc 1 10 3\n.loc 2 5 1, function_name .debug_str+1, inlined_at 1 10 3"), Silent),
        (
            inside("9.0", ".loc 1 10 3\n.loc 2 5 1, function_name X, inlined_at 1 10 3"),
            Refused("Unresolved label 'X' used in function_name attribute."),
        ),
        (inside("9.0", ".loc 1 10 3\n.loc 2 5 1, function_name T, inlined_at 1 10 3"), Silent),
    ]
    .map(|(text, outcome)| (text, NONE, outcome))
    .into()
}

fn sections() -> Vec<Row> {
    let section = |data: &str| outside("9.0", &format!(".section .debug_loc {{ {data} }}"));
    let of = |version: &str, data: &str| outside(version, &format!(".section .debug_loc {{ {data} }}"));
    [
        (section(".b8 1, -1, 0x10, 017, 0b11"), Silent),
        (
            inside("9.0", ".section .debug_ranges { .b8 0 }"),
            Refused("Parsing error near '.section': syntax error"),
        ),
        (outside("9.0", ".section debug_loc { .b8 0 }"), Refused("syntax error")),
        (outside("9.0", ".section .foo { .b8 0 }"), Silent),
        (
            of("1.5", ".b8 0")
                .replace("sm_75", "sm_13")
                .replace(".address_size 64\n", "")
                .replace(".visible ", ""),
            Refused("requires PTX ISA .version 2.0 or later"),
        ),
        (of("2.0", ".b8 0").replace("sm_75", "sm_20").replace(".address_size 64\n", ""), Silent),
        (outside("9.0", ".section .reg { .b8 0 }"), Refused("Parsing error near '.reg': syntax error")),
        (section(".u8 1"), Refused("Illegal type for dwarf")),
        (section(".b8 255, -128"), Silent),
        (section(".b8 256"), Refused("Value out of range for type .b8 256")),
        (section(".b8 -129"), Refused("Value out of range for type .b8 -129")),
        (section(".b16 65535, -32768"), Silent),
        (section(".b16 65536"), Refused("Value out of range for type .b16 65536")),
        (section(".b16 -32769"), Refused("Value out of range for type .b16 -32769")),
        (section(".b32 -2147483648, 4294967295"), Silent),
        (section(".b32 -2147483649"), Refused("Value out of range for type .b32 -2147483649")),
        (section(".b64 4294967296"), Silent),
        (section(".b64 99999999999999999999"), Refused("Constant overflow")),
        (section("A: .b8 1"), Silent),
        (of("7.0", "A: .b8 1"), Silent),
        (
            of("6.5", "A: .b8 1"),
            Refused("Feature 'Defining labels in .section' requires PTX ISA .version 7.0 or later"),
        ),
        (section(".b32 L"), Silent),
        (section(".b8 L"), Refused("Illegal type for dwarf")),
        (section(".b16 L"), Refused("Illegal type for dwarf")),
        (of("3.2", ".b64 L+4").replace("sm_75", "sm_30"), Silent),
        (of("3.1", ".b64 L+4").replace("sm_75", "sm_30"), Refused("requires PTX ISA .version 3.2 or later")),
        (section("A: .b8 1\nB: .b32 B-A"), Silent),
        (of("7.5", "A: .b8 1\nB: .b32 B-A"), Silent),
        (of("7.5", ".b8 -1"), Silent),
        (of("7.4", "A: .b8 1\nB: .b32 B-A"), Refused("requires PTX ISA .version 7.5 or later")),
        (of("7.4", ".b8 -1"), Refused("requires PTX ISA .version 7.5 or later")),
        (section(".b32 nobody"), Silent),
    ]
    .map(|(text, outcome)| (text, NONE, outcome))
    .into()
}

fn full_debug() -> Vec<Row> {
    const ABBREV: &str = ".section .debug_abbrev { .b8 1,17,0,3,8,0,0,0 }\n";
    const INFO: &str = ".section .debug_info { .b32 10\n.b16 2\n.b32 .debug_abbrev\n.b8 8, 1, 97, 0 }\n";
    let debug = |text: String| text.replace("sm_75", "sm_75, debug");
    let both = |text: &str| outside("9.0", &format!("{ABBREV}{INFO}{text}"));
    vec![
        (both(""), G, Silent),
        (outside("9.0", ""), G, Said(".debug_abbrev section not found")),
        (outside("9.0", ABBREV), G, Said(".debug_info section not found")),
        (outside("9.0", INFO), G, Said("skipping .debug_info section due to missing .debug_abbrev section")),
        (
            debug(outside("9.0", "")),
            NONE,
            Refused("Debug information not found in presence of .target debug"),
        ),
        (debug(both("")), NONE, Silent),
        (
            debug(outside("2.3", "")).replace("sm_75", "sm_20"),
            NONE,
            Refused("requires PTX ISA .version 3.0 or later"),
        ),
        (outside("3.0", &format!("{ABBREV}{INFO}")).replace("sm_75", "sm_30, debug"), NONE, Silent),
        (both(".section .debug_frame { .b8 1, 2, 3, 0 }"), G, Refused("overlapping non-identical data")),
        (
            both(".section .debug_loc { .b8 1 }\n.section .debug_loc { .b8 2 }"),
            G,
            Refused("overlapping non-identical data"),
        ),
        (both(".section .debug_loc { .b8 1 }\n.section .debug_loc { .b8 1 }"), G, Silent),
        (both(ABBREV), G, Silent),
        (
            both("").replace("8, 1, 97, 0", "8, 2, 97, 0"),
            G,
            Refused("Attempted to Dereference Out of Bounds"),
        ),
        (both(".section .debug_loc { .b32 L-L }"), G, Refused("label 'L' invalid")),
        (
            both(".section .debug_loc { A: .b8 1 }\n.section .debug_ranges { B: .b32 B-A }"),
            G,
            Refused("labels 'B' and 'A' must be defined in the same section"),
        ),
    ]
}

fn at_dwarf() -> Vec<Row> {
    const HEAD: &str = "@@DWARF .section .debug_str, \"\", @progbits\n";
    let data = |lines: &str| old(&format!("{HEAD}{lines}"));
    [
        (data("@@DWARF .byte 0x10, 2\n@@DWARF .4byte 0xffffffff\n@@DWARF .quad 1"), Silent),
        (data("@@DWARF .4byte .debug_str\n@@DWARF .quad k"), Silent),
        (data("@@DWARF .byte 256"), Refused("Value out of range")),
        (data("@@DWARF .byte -1"), Refused("syntax error")),
        (data("@@DWARF .4byte .debug_str+4"), Refused("syntax error")),
        (data("@@DWARF here:"), Refused("syntax error")),
        (data("@@dwarf .byte 1"), Refused("syntax error")),
        (old("@@DWARF .section .debug_str"), Refused("syntax error")),
        (old("@@DWARF .section .debug_str, \"\", @nobits"), Refused("syntax error")),
        (old("@@DWARF .section .debug_str, \"\""), Refused("syntax error")),
        (data("@@DWARF .byte k"), Refused("Illegal type for dwarf data")),
        (data("@@DWARF .4byte k, 1"), Refused("Parsing error near ',': syntax error")),
        (outside("9.0", HEAD.trim()), Refused("not supported as of PTX version 2.0")),
        (
            outside("2.0", HEAD.trim()).replace("sm_75", "sm_20").replace(".address_size 64\n", ""),
            Refused("not supported as of PTX version 2.0"),
        ),
        (old("@@DWARF .byte 1"), Crash),
    ]
    .map(|(text, outcome)| (text, NONE, outcome))
    .into()
}

/// What `check` says that ptxas does.
fn judged(text: &str, mode: Mode) -> (bool, String) {
    let report = check(&parse(text), &CheckContext::default());
    let words = report.ptxas_messages(mode, "a.ptx", &PtxasLines::new(text, &LineIndex::new(text)));
    (report.verdict(mode) == Verdict::Accept, words)
}

fn hold(rows: Vec<Row>) {
    for (text, mode, outcome) in rows {
        let (accepted, words) = judged(&text, mode);
        let holds = match outcome {
            Silent => accepted && words.is_empty(),
            Said(message) => accepted && words.contains(message),
            Refused(message) => !accepted && words.contains(message),
            Crash => !accepted,
        };
        assert!(holds, "{text}{mode:?}: {outcome:?}, not {accepted} {words}");
    }
}

#[test]
fn file_directives() {
    hold(files());
}

#[test]
fn loc_directives() {
    hold(locs());
}

#[test]
fn section_directives() {
    hold(sections());
}

/// Observed: ptxas 13.0.88, bytes of a cubin of `-g`.
#[test]
fn a_number_without_a_sign_is_cut_to_32_bits() {
    let text = outside("9.0", ".section .debug_loc { .b64 4294967298, -2\n.b32 4294967297 }");
    let parsed = parse(&text);
    let sections = MergedSections::of(&parsed.module);
    let mut expected = vec![2, 0, 0, 0, 0, 0, 0, 0, 0xfe];
    expected.extend([0xff; 7]);
    expected.extend([1, 0, 0, 0]);
    assert_eq!(sections.list[0].assembled.bytes, expected);
}

/// Observed: ptxas 13.0.88, `-g`.
#[test]
fn sections_of_these_names_are_not_copied() {
    let names = [".symtab", ".strtab", ".shstrtab", ".debug_line", ".foo", ".debug_pubnames"];
    let blocks = names.map(|name| format!(".section {name} {{ .b8 1 }}\n"));
    let text = outside("9.0", &blocks.concat());
    let parsed = parse(&text);
    let sections = MergedSections::of(&parsed.module);
    let copied = sections.list.iter().filter(|section| section.place.kept).map(|section| section.name);
    assert_eq!(copied.collect::<Vec<_>>(), [".foo", ".debug_pubnames"]);
}

/// Observed: ptxas 13.0.88, the name of an inlined call in a line table.
#[test]
fn an_offset_after_a_name_has_32_bits() {
    let text =
        inside("9.0", ".loc 1 10 3\n.loc 2 5 1, function_name .debug_str+4294967297, inlined_at 1 10 3");
    let parsed = parse(&text);
    let body = parsed.module.functions().find_map(|function| function.body.as_ref()).unwrap();
    let offsets: Vec<u64> = body
        .statements
        .iter()
        .filter_map(|statement| match statement {
            Statement::Loc(loc) => loc.inlined_at.as_ref().map(|at| at.name_offset),
            _ => None,
        })
        .collect();
    assert_eq!(offsets, [1]);
}

#[test]
fn sections_with_full_debug() {
    hold(full_debug());
}

#[test]
fn at_dwarf_directives() {
    hold(at_dwarf());
}

#[test]
fn the_real_tool_says_so() {
    let Some(ptxas) = support::ptxas() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for (text, mode, outcome) in [files(), locs(), sections(), full_debug(), at_dwarf()].concat() {
        fs::write(folder.path().join("a.ptx"), &text).unwrap();
        let options: &[&str] = if mode == G { &["-g"] } else { &[] };
        let run = Command::new(&ptxas)
            .args(["-arch=sm_90", "a.ptx", "-o", "a.cubin"])
            .args(options)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&run.stderr);
        let holds = match outcome {
            Silent => run.status.success() && words.is_empty(),
            Said(message) => run.status.success() && words.contains(message),
            Refused(message) => run.status.code() == Some(255) && words.contains(message),
            Crash => run.status.code().is_none(),
        };
        if !holds {
            wrong.push(format!("{text}{outcome:?}, not {} {words}", run.status));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
