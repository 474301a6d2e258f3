//! NVIDIA's line opcodes as elfutils reads them, which knows 0x90 and 0x91 from their names.
#![allow(clippy::print_stderr, reason = "a skip must be seen")]
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

use dwarf2_writer::Address;
use nv_debug_sections::cubin::{DebugOnlyFunction, DebugSection, debug_only};
use nv_debug_sections::line::{self, LineOp, LineTable, Sequence};
use nv_debug_sections::release::Release;
use std::process::Command;

const DEBUG_LINE: &str = ".debug_line";
/// `.debug_str`, and the base of the names in it.
const NAMES: &[u8] = b"first\0second\0third\0";
const BASE: u32 = 6;

fn table() -> LineTable<'static> {
    let row = |address, line| LineOp::Row { address, line };
    let ops = vec![
        LineOp::EntryRow(1),
        row(0, 10),
        LineOp::EntryRow(0),
        LineOp::InlinedCall { context: 1, name: 0 },
        row(16, 20),
        LineOp::SetFunctionName(7),
        row(32, 21),
        LineOp::InlinedCall { context: 0, name: 0 },
        row(48, 11),
    ];
    LineTable {
        params: line::DWARF2_PARAMS,
        directories: Vec::new(),
        files: Vec::new(),
        debug_str_base: Some(BASE),
        has_lone_end: false,
        sequences: vec![Sequence { base: 0, base_offset: 0, ops, end: 64 }],
    }
}

/// What eu-readelf says of each extended opcode but the first and last.
fn extended_opcodes(text: &str) -> Vec<String> {
    let all = text.lines().filter_map(|line| line.split_once("extended opcode ").map(|(_, words)| words));
    let words = all.map(|words| words.split_whitespace().collect::<Vec<_>>().join(" "));
    words.filter(|words| !words.starts_with("1:") && !words.starts_with("2:")).collect()
}

#[test]
fn elfutils_reads_the_names_of_inlined_functions() {
    let encoded = line::encode(DEBUG_LINE, &table(), None, |_, _| Address::Constant(0)).unwrap();
    let section = |name: &str, bytes: &[u8]| DebugSection {
        name: name.into(),
        bytes: bytes.to_vec(),
        rel: Vec::new(),
        rela: Vec::new(),
    };
    let sections = vec![section(DEBUG_LINE, &encoded.bytes), section(".debug_str", NAMES)];
    let function = DebugOnlyFunction { name: "f", size: 64, kernel: true, local: false };
    let mut cubin = debug_only(Release::V13_0.target(90), &[function], &[]).unwrap().cubin;
    cubin.set_debug_sections(sections).unwrap();
    let path = std::env::temp_dir().join(format!("nv-debug-sections-line-{}.cubin", std::process::id()));
    std::fs::write(&path, cubin.write().unwrap()).unwrap();
    let output = Command::new("eu-readelf").arg("--debug-dump=line").arg(&path).output();
    std::fs::remove_file(&path).unwrap();
    let Ok(output) = output else {
        eprintln!("skipped: no eu-readelf");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    // elfutils does not know 0x92; of a call that is none it prints the name at the base.
    let expected = [
        "146: unknown opcode",
        "146: unknown opcode",
        "144: set inlined context 1, function name second (0x6)",
        "145: set function name third (0xd)",
        "144: set inlined context 0, function name second (0x6)",
    ];
    assert_eq!(extended_opcodes(&text), expected, "{text}");
}
