//! `docs/formats/ptx-text.md`.

use crate::{pair, pairs, section};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::ptx_txt;
use std::fs;

/// The lines of the section for a source.
fn kept(source: &str) -> Vec<String> {
    let bytes = ptx_txt::from_ptx(source.as_bytes()).unwrap();
    assert!(bytes.is_empty() || bytes.last() == Some(&0));
    let lines = bytes.split(|byte| *byte == 0).map(|line| String::from_utf8_lossy(line).into_owned());
    let mut lines: Vec<String> = lines.collect();
    lines.pop();
    lines
}

#[test]
fn each_line_ends_in_a_nul() {
    assert_eq!(ptx_txt::from_ptx(b"a\nbc\n").unwrap(), b"a\0bc\0");
    assert_eq!(ptx_txt::from_ptx(b"a\nbc").unwrap(), b"a\0bc\0");
    assert_eq!(ptx_txt::from_ptx(b"").unwrap(), b"");
}

#[test]
fn blanks_go_at_the_start_only() {
    assert_eq!(kept(" \t ret; \t\n"), ["ret; \t"]);
    assert_eq!(kept("\x0bret;\n\x0cret;\n"), ["\x0bret;", "\x0cret;"]);
}

#[test]
fn lines_end_at_a_carriage_return() {
    assert_eq!(kept("ret;\r\na\rb\n\r\rc\n"), ["ret;", "a", "c"]);
}

#[test]
fn debug_directives_and_comments_become_empty() {
    for dropped in [
        "// x",
        "# 1 \"f\"",
        "@@DWARF .byte 1",
        ".file 1 \"f\"",
        ".loc 1 2 3",
        ".b8 1",
        ".b32 1",
        ".b64 1",
        ".b80",
        ".files",
    ] {
        assert_eq!(kept(&format!("{dropped}\nret;")), ["", "ret;"], "{dropped}");
    }
    for stays in [
        ".local .b8 x;",
        ".local1",
        ".b16 1",
        ".b128 1",
        ".u8 1",
        "@%p1 bra L;",
        "/* x */",
        ".section .debug_str",
    ] {
        assert_eq!(kept(stays), [stays]);
    }
    // By line, without regard to comments over several lines, and only at the start of a line.
    assert_eq!(
        kept("/*\n.loc 1 2 3\n*/\nret; // x\n.reg .b32 r; .loc 1 2 3\n"),
        ["/*", "", "*/", "ret; // x", ".reg .b32 r; .loc 1 2 3"]
    );
}

#[test]
fn empty_lines_at_the_end_go() {
    assert_eq!(kept("\nret;\n\n// x\n\t\n"), ["", "ret;"]);
}

/// What ptxas 13.0.88 wrote, for a whole program and a relocatable file.
#[test]
fn the_section_of_ptxas_is_the_filtered_file() {
    for (name, source, relocatable) in [
        ("several_on_a_line.sm_75.lineinfo", "several_on_a_line", false),
        ("stand_in.sm_100.lineinfo.c", "stand_in", true),
    ] {
        let file = pair(name);
        let cubin = Cubin::parse(&file).unwrap();
        let text = fs::read(pairs().join(format!("{source}.ptx"))).unwrap();
        let name = ptx_txt::section_name(&text, relocatable);
        assert_eq!(section(&cubin, &name), ptx_txt::from_ptx(&text).unwrap());
    }
}
