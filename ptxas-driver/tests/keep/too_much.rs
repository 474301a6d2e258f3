//! Entries that would need far more work than a PTX of their size may ask for: refused in words,
//! and no file is written.

use super::odd::{block, ready};
use crate::support::driver;
use crate::support::oracle;
use std::fmt::Write as _;

/// Tags and forms: a unit; a function without children, with a name in its entry and in
/// `.debug_str`; a function; an inlined call; a block.
const ABBREVIATIONS: &str = "\
1 17 1 0 0
2 46 0 3 8 0 0
3 46 0 3 14 0 0
4 46 1 3 8 17 1 18 1 0 0
5 29 1 49 19 17 1 18 1 88 11 89 6 0 0
6 11 1 17 1 18 1 0 0
0";

/// Where both functions without children stand, from the start of the unit.
const CALLEE: usize = 12;
const LONG_CALLEE: usize = 20;

/// Instructions, entries and the name of the second callee become a module.
fn module(code: &str, entries: &str, long_name: usize) -> String {
    let head = format!(
        "$info_end-$info\n$info: 2 0\n.b32 .debug_abbrev\n8\n1\n2 99 97 108 108 101 101 0\n3\n.b32 $long\n4 107 0\n{BOUNDS}\n"
    );
    let info = format!("{head}{entries}0\n0\n$info_end:");
    let strings = format!("$callee: 99 97 108 108 101 101 0\n$long: {}0", "97 ".repeat(long_name));
    let blocks = [
        block(".debug_abbrev", ABBREVIATIONS),
        block(".debug_info", &format!(".b32 {info}")),
        block(".debug_str", &strings),
    ];
    format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.file 1 \"/src/k.cu\"\n\
         .visible .entry k(.param .u64 p)\n{{\n.reg .b64 %rd<3>;\n$begin:\n.loc 1 1 1\n\
         ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n{code}$end:\nret;\n}}\n{}",
        blocks.concat()
    )
}

/// Addresses of an entry: the whole code.
const BOUNDS: &str = ".b64 $begin\n.b64 $end";
const STORE: &str = "st.volatile.global.u32 [%rd2], 1;\n";

/// An inlined call of `callee` at a line.
fn inlined(callee: usize, line: usize) -> String {
    format!("5\n.b32 {callee}\n{BOUNDS}\n1\n.b32 {line}\n")
}

/// What the compiler says of a module, which it must refuse.
fn refusal(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (ptx, cubin) = (folder.path().join("in.ptx"), folder.path().join("out.cubin"));
    std::fs::write(&ptx, text).unwrap();
    let mut command = driver::compile();
    command.env("PTXAS", oracle::tool("ptxas").unwrap()).arg(&ptx).arg("-o").arg(&cubin);
    command.args(["-g", "--debug-opt", "keep", "-O3", "-arch", "sm_75", "--code", "ptxas"]);
    let output = command.output().unwrap();
    assert!(!output.status.success() && !cubin.exists());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn nested_blocks_nested_calls_and_shared_names_are_bounded() {
    if !ready() {
        return;
    }
    let nested = |entries: String, depth| entries + &"0\n".repeat(depth);
    let blocks = nested(format!("6\n{BOUNDS}\n").repeat(4_000), 4_000);
    let text = module(&STORE.repeat(4_000), &blocks, 1);
    assert!(refusal(&text).contains("blocks in each other need more work"), "{}", refusal(&text));

    let (mut code, mut calls) = (String::new(), String::new());
    for line in 1..5_000 {
        let next = line + 1;
        write!(code, ".loc 1 {next} 1, function_name $callee, inlined_at 1 {line} 1\n{STORE}").unwrap();
        calls += &inlined(CALLEE, line);
    }
    let text = module(&code, &nested(calls, 4_999), 1);
    assert!(refusal(&text).contains("inlined calls in each other need more work"), "{}", refusal(&text));

    let code = format!("{STORE}.loc 1 2 1, function_name $callee, inlined_at 1 1 1\n{STORE}");
    let calls = (inlined(LONG_CALLEE, 1) + "0\n").repeat(2_000);
    let text = module(&code, &calls, 60_000);
    assert!(refusal(&text).contains("strings that many entries share need more work"), "{}", refusal(&text));

    // The same with few of each is compiled.
    let few = [
        module(&STORE.repeat(40), &nested(format!("6\n{BOUNDS}\n").repeat(40), 40), 1),
        module(&code, &nested(inlined(CALLEE, 1), 1), 1),
        module(&code, &(inlined(LONG_CALLEE, 1) + "0\n").repeat(20), 60_000),
    ];
    let folder = tempfile::tempdir().unwrap();
    for text in few {
        let ptx = folder.path().join("few.ptx");
        std::fs::write(&ptx, text).unwrap();
        assert!(!super::keep(&ptx, "sm_75", &folder.path().join("few.cubin"), &[]).is_empty());
    }
}
