//! `.debug_info` as no compiler of the corpus writes it: forms, tables and lists that DWARF 2 allows all the same.

use super::{Die, entries, keep, section};
use crate::driver;
use crate::support::{oracle, skip};
use gimli::{DW_TAG_compile_unit, DW_TAG_inlined_subroutine, DW_TAG_subprogram};
use nv_debug_sections::cubin::Cubin;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Code with one inlined call, from line 200 of `/src/k.cu`.
const CODE: &str = r#".version 8.0
.target sm_75
.address_size 64
.file 1 "/src/k.cu"
.visible .entry k(.param .u64 p, .param .u32 n)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<3>;
$begin:
	.loc 1 200 5
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [n];
$call:
	.loc 1 300 3, function_name $callee, inlined_at 1 200 5
	mul.lo.u32 %r2, %r1, %r1;
	xor.b32 %r3, %r2, 12345;
$back:
	.loc 1 12 0
	cvta.to.global.u64 %rd2, %rd1;
	st.global.u32 [%rd2], %r3;
	ret;
$end:
}
"#;

/// `.debug_str` behind `callee`: what begins like the path is not all a path.
const STRINGS: &[&str] = &["$path: /src/k.cu", "$folder: /src", "$variable: /srcvar", "$k: k"];

/// A unit, its abbreviations at `+6` as linkers leave them, the call's line as LEB128, siblings that end at the children's end.
const ABBREVIATIONS: &str = "\
9 36 0 0 0 0
1 17 1 3 14 27 14 16 6 0 0
2 46 0 3 8 32 11 0 0
3 46 1 3 14 17 1 18 1 0 0
4 29 0 49 19 17 1 18 1 88 15 89 15 1 19 0 0
5 46 1 3 8 85 6 0 0
7 52 0 3 14 0 0
0";
const INFO: &str = "\
.b32 $info_end-$info
$info: 2 0
.b32 .debug_abbrev+6
8
1
.b32 $path
.b32 $folder
.b32 .debug_line
2 99 97 108 108 101 101 0 1
3
.b32 $k
.b64 $begin
.b64 $end
4
.b32 24
.b64 $call
.b64 $back
1 200 1
.b32 81
0
5 103 0
.b32 .debug_ranges
0
7
.b32 $variable
7
.b32 $path+5
0
$info_end:";

/// Lines of bytes, directives and labels as the block of a section.
fn block(name: &str, lines: &str) -> String {
    let mut text = format!(".section {name}\n{{\n");
    for line in lines.lines() {
        let (label, rest) = line.split_once(':').map_or(("", line), |(label, rest)| (label, rest));
        if !label.is_empty() {
            writeln!(text, "{label}:").unwrap();
        }
        if rest.starts_with('.') {
            writeln!(text, "{rest}").unwrap();
        } else {
            rest.split_whitespace().for_each(|byte| writeln!(text, ".b8 {byte}").unwrap());
        }
    }
    text + "}\n"
}

fn module() -> String {
    let string = |line: &str| {
        let (label, string) = line.split_once(": ").unwrap();
        let bytes: Vec<String> = string.bytes().map(|byte| byte.to_string()).collect();
        format!("{label}: {} 0\n", bytes.join(" "))
    };
    let strings: String = ["$callee: callee"].iter().chain(STRINGS).map(|line| string(line)).collect();
    let ranges = ".b64 $begin\n.b64 $end\n.b64 0\n.b64 0";
    [
        CODE.to_owned(),
        block(".debug_abbrev", ABBREVIATIONS),
        block(".debug_info", INFO),
        block(".debug_ranges", ranges),
        block(".debug_str", &strings),
    ]
    .concat()
}

fn ready() -> bool {
    let is_there = oracle::tool("ptxas").is_some();
    if !is_there {
        skip("odd entries of optimised code", "ptxas");
    }
    is_there
}

fn kept(text: &str, folder: &Path, options: &[&str]) -> Vec<u8> {
    let ptx = folder.join("in.ptx");
    std::fs::write(&ptx, text).unwrap();
    keep(&ptx, "sm_75", &folder.join("out.cubin"), options)
}

#[test]
fn tables_forms_and_siblings_that_compilers_do_not_write() {
    if !ready() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for options in [&[][..], &["-c"]] {
        let data = kept(&module(), folder.path(), options);
        let cubin = Cubin::parse(&data).unwrap();
        let dies: Vec<Die> = entries(&cubin);
        let tags: Vec<_> = dies.iter().map(|die| die.tag).take(4).collect();
        let call = DW_TAG_inlined_subroutine;
        assert_eq!(tags, [DW_TAG_compile_unit, DW_TAG_subprogram, DW_TAG_subprogram, call]);
        assert_eq!(dies.len(), 7, "{options:?}");
        assert_eq!(dies[3].call, Some(("/src/k.cu".to_owned(), 200)));
        let (name, code) = dies[3].code.as_ref().unwrap();
        assert_eq!(name, ".text.k");
        let of_callee: BTreeSet<u64> = super::chains(&cubin).into_values().flatten().collect();
        assert_eq!(*code, of_callee);
        // The list of the PTX is of other code; the entry that it was for has no place now.
        assert_eq!(dies[4].tag, DW_TAG_subprogram);
        assert!(dies[4].code.is_none());
        let folder = tempfile::tempdir().unwrap();
        let mut dump = std::process::Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
        let file = folder.path().join("kept.cubin");
        std::fs::write(&file, &data).unwrap();
        assert!(dump.arg("dump").arg(&file).output().unwrap().status.success());
    }
}

#[test]
fn path_maps_leave_names_alone() {
    if !ready() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let strings = |map: &str| {
        let data = kept(&module().replace("$path+5", "$k"), folder.path(), &["--path-map", map]);
        let cubin = Cubin::parse(&data).unwrap();
        let strings = section(&cubin, ".debug_str").unwrap().bytes.into_owned();
        String::from_utf8(strings).unwrap()
    };
    assert_eq!(strings("/src=/a"), "callee\0/a/k.cu\0\0\0/a\0\0\0/srcvar\0k\0");
    // What needs more room stands in the entries; names of inlined calls and variables stay.
    assert_eq!(
        strings("/src=/longer"),
        format!("callee\0{}\0{}\0/srcvar\0k\0", "\0".repeat(9), "\0".repeat(4))
    );
    for map in ["k=longer", "callee=x", "/srcv=/a"] {
        assert_eq!(strings(map), "callee\0/src/k.cu\0/src\0/srcvar\0k\0", "{map}");
    }
    // A string whose end is a name too stays whole.
    let data = kept(&module(), folder.path(), &["--path-map", "/src=/a"]);
    let cubin = Cubin::parse(&data).unwrap();
    let strings = section(&cubin, ".debug_str").unwrap().bytes.into_owned();
    assert_eq!(strings, b"callee\0/src/k.cu\0/a\0\0\0/srcvar\0k\0");
    let info = section(&cubin, ".debug_info").unwrap().bytes;
    assert!(info.windows(8).any(|text| text == b"/a/k.cu\0"));
}

#[test]
fn units_that_cannot_be_written_again_are_faults_of_the_ptx() {
    if !ready() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let ptx = folder.path().join("in.ptx");
    let version = module().replacen("$info:\n.b8 2", "$info:\n.b8 4", 1);
    let second = module().replacen("$info_end:", ".b8 7\n.b32 $k\n$info_end:", 1);
    let expected = [(version, "a unit of version 4"), (second, "an entry beside the unit's own")];
    for (text, fault) in expected {
        std::fs::write(&ptx, text).unwrap();
        let mut command = driver::compile();
        command.env("PTXAS", oracle::tool("ptxas").unwrap());
        command.args(["-g", "--debug-opt", "keep", "-arch", "sm_75", "--code", "ptxas"]).arg(&ptx);
        let run = command.arg("-o").arg(folder.path().join("out.cubin")).output().unwrap();
        let messages = driver::messages(&run);
        assert_eq!(run.status.code(), Some(driver::FAILURE), "{messages}");
        assert!(messages.contains("error: --debug-opt, --path-map: .debug_info+0x"), "{messages}");
        assert!(messages.contains(fault), "{messages}");
    }
}
