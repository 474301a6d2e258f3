//! `lines`: its answers against nvdisasm and against the known right answers, and its command line.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

mod bugs;
mod folded;
mod nvdisasm;

use crate::support;
use nv_debug_sections::cubin::Cubin;
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn driver(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ptxas-driver")).args(args).stdin(Stdio::null()).output().unwrap()
}

fn lines(file: &Path, args: &[&str]) -> Output {
    driver(&[&["lines", file.to_str().unwrap()], args].concat())
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(file: &Path, args: &[&str]) -> Value {
    let output = lines(file, &[args, &["--json"]].concat());
    let document: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&document["schema"], &document["schema_version"]), (&"nvdwarf.lines".into(), &1.into()));
    document
}

fn example(name: &str) -> PathBuf {
    support::repository().join("examples").join(name)
}

/// `(file's last component, line, function)` of each frame of the only answer to a query.
fn chain(file: &Path, query: &str) -> Vec<(String, u64, String)> {
    let document = json(file, &[query]);
    let answers = document["queries"][0]["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 1, "{query}: {document}");
    frames(&answers[0])
}

fn frames(answer: &Value) -> Vec<(String, u64, String)> {
    let frames = answer["frames"].as_array().unwrap().iter().map(|frame| {
        let file = frame["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        (file, frame["line"].as_u64().unwrap(), frame["function"]["name"].as_str().unwrap_or("??").to_owned())
    });
    frames.collect()
}

fn spot(file: &str, line: u64, function: &str) -> (String, u64, String) {
    (file.to_owned(), line, function.to_owned())
}

// ---- debug-only objects ----

#[test]
fn a_debug_only_object_is_found_by_address() {
    let dir = tempfile::tempdir().unwrap();
    let object = dir.path().join("saxpy.debug");
    let ptx = example("saxpy/saxpy.ptx");
    let made = driver(&[
        "compile",
        "--code",
        "none",
        "-lineinfo",
        "-arch",
        "sm_90",
        ptx.to_str().unwrap(),
        "-o",
        object.to_str().unwrap(),
    ]);
    assert!(made.status.success(), "{}", stderr(&made));
    // One slot of 16 bytes for each PTX instruction: the PTX line of each slot is that of an instruction, in order, and
    // the line of source is the one that the `.loc` before that line names.
    let document = json(&object, &[]);
    let ranges = document["sections"][0]["ranges"].as_array().unwrap();
    assert!(ranges.len() > 20);
    let source = fs::read_to_string(&ptx).unwrap();
    let source: Vec<&str> = source.lines().collect();
    for range in ranges.iter().skip(1) {
        let line = range["ptx"]["line"].as_u64().unwrap() as usize;
        let loc = source[..line].iter().rev().find_map(|line| line.trim().strip_prefix(".loc\t"));
        let want: u64 = loc.unwrap().split_whitespace().nth(1).unwrap().parse().unwrap();
        if want != 0 {
            assert_eq!(range["frames"][0]["line"], want, "PTX line {line}");
        }
        assert_eq!(range["ptx"]["text"].as_str().unwrap(), source[line - 1].trim());
    }
    let inlined = ranges.iter().filter(|range| range["frames"].as_array().unwrap().len() > 1).count();
    assert!(inlined > 0);
}

// ---- deep chains ----

/// A debug-only object of one kernel: line 1, and `depth` functions inlined into each other, line `n` at line `n - 1`.
fn chain_of(depth: usize, dir: &Path) -> PathBuf {
    let mut ptx =
        ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"a.c\"\n.visible .entry k()\n{\n".to_owned();
    ptx += ".reg .b32 %r1;\n.loc 1 1 1\nadd.s32 %r1,%r1,1;\n";
    let inlined = (2..depth + 2).flat_map(|line| {
        let place = format!(".loc 1 {line} 1, function_name $s, inlined_at 1 {} 1\n", line - 1);
        [place, "add.s32 %r1,%r1,1;\n".to_owned()]
    });
    ptx.extend(inlined);
    ptx += "ret;\n}\n.section .debug_str {\n$s:\n.b8 97\n.b8 0\n}\n";
    let (input, object) = (dir.join("deep.ptx"), dir.join("deep.debug"));
    fs::write(&input, ptx).unwrap();
    let files = ["-o", object.to_str().unwrap(), input.to_str().unwrap()];
    let made = driver(&[&["--code", "none", "-lineinfo", "-arch", "sm_90"], &files[..]].concat());
    assert!(made.status.success(), "{}", stderr(&made));
    object
}

fn lines_of(answer: &Value) -> Vec<u64> {
    answer["frames"].as_array().unwrap().iter().map(|frame| frame["line"].as_u64().unwrap()).collect()
}

fn countdown(from: u64, count: u64) -> Vec<u64> {
    (0..count).map(|step| from - step).collect()
}

#[test]
fn listings_cut_long_chains_and_queries_do_not() {
    let dir = tempfile::tempdir().unwrap();
    let object = chain_of(1100, dir.path());
    let document = json(&object, &[]);
    let ranges = document["sections"][0]["ranges"].as_array().unwrap();
    for range in ranges {
        let line = range["frames"][0]["line"].as_u64().unwrap();
        assert_eq!(lines_of(range), countdown(line, line.min(64)));
        let more = line.saturating_sub(64);
        assert_eq!(range.get("more_frames").map_or(0, |more| more.as_u64().unwrap()), more);
    }
    let text = stdout(&lines(&object, &[]));
    assert!(text.contains(" <- a at a.c:37 (inlined) <- ... 36 more  | ptx:"));
    assert!(text.contains(" <- a at a.c:2 (inlined) <- k at a.c:1  | ptx:"));

    for (line, shown) in [(800, 800), (1101, 1024)] {
        let start =
            ranges.iter().find(|range| range["frames"][0]["line"] == line).unwrap()["start"].to_string();
        let document = json(&object, &["-f", "k", &start]);
        let answer = &document["queries"][0]["answers"][0];
        assert_eq!(lines_of(answer), countdown(line, shown));
        let text = stdout(&lines(&object, &["-f", "k", &start]));
        match line - shown {
            0 => assert!(answer.get("more_frames").is_none() && !text.contains(" more\n")),
            more => {
                assert_eq!(answer["more_frames"], more);
                assert!(text.contains(&format!("a.c:{} (inlined)\n  ... {more} more\n", more + 1)), "{text}");
            }
        }
    }
}

// Collected, these chains are 20 million frames.
#[cfg(target_os = "linux")]
#[test]
fn a_listing_is_not_held_in_memory() {
    let dir = tempfile::tempdir().unwrap();
    let object = chain_of(20_000, dir.path());
    for form in ["", "--json"] {
        let script = format!("ulimit -v 200000; \"$0\" lines \"$1\" {form} >/dev/null");
        let output = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_ptxas-driver"), object.to_str().unwrap()])
            .output()
            .unwrap();
        assert!(output.status.success(), "{form}: {}", stderr(&output));
    }
}

// ---- changed cubins ----

/// A file with some of its bytes changed.
fn changed(original: &Path, dir: &Path, change: impl FnOnce(&Cubin<'_>, &mut [u8])) -> PathBuf {
    let bytes = fs::read(original).unwrap();
    let cubin = Cubin::parse(&bytes).unwrap();
    let mut new = bytes.clone();
    change(&cubin, &mut new);
    let path = dir.join("changed.cubin");
    fs::write(&path, new).unwrap();
    path
}

fn offset_of(cubin: &Cubin<'_>, section: &str) -> usize {
    let index = cubin.section_by_name(section).unwrap();
    cubin.layout().unwrap().offsets[index.as_usize()] as usize
}

// As nvlink leaves the rows of a function that it has dropped.
#[test]
fn sequences_without_a_section_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let original = example("saxpy/saxpy.cubin");
    assert!(json(&original, &[]).get("unplaced_sequences").is_none());
    assert_eq!(stderr(&lines(&original, &[])), "");
    let file = changed(&original, dir.path(), |cubin, bytes| {
        let symbol = offset_of(cubin, ".rela.debug_line") + 12;
        bytes[symbol..symbol + 4].fill(0);
    });
    let counts = serde_json::json!({"debug_line": 1, "nv_debug_line_sass": 0});
    assert_eq!(json(&file, &[])["unplaced_sequences"], counts);
    let output = lines(&file, &["saxpy+0xe0"]);
    let note =
        format!("note: {}: .debug_line: 1 sequence of functions that the linker dropped\n", file.display());
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), note));
    assert!(stdout(&output).contains("  #0 ??:0, .debug_line does not cover this address\n  ptx:68 "));
}

#[test]
fn code_that_no_folded_function_reaches_is_the_kernels() {
    let dir = tempfile::tempdir().unwrap();
    let original = support::repository().join("ptxas-driver/tests/pairs/folded.sm_75.lineinfo.cubin");
    let function = |file: &Path, query: &str| {
        let answer = &json(file, &[query])["queries"][0]["answers"][0];
        (answer["function"]["name"].as_str().unwrap().to_owned(), answer["function_offset"].as_u64().unwrap())
    };
    // The symbols, by readelf: `$k$f0` at 0x2c0 of 0x1b0 bytes, `$k$f1` at 0x470 to the section's end, `k` over all.
    let at = |file: &Path| [0x2b0, 0x2c0, 0x460, 0x6f0].map(|at| function(file, &format!(".text.k+{at:#x}")));
    let own = |name: &str, offset: u64| (name.to_owned(), offset);
    assert_eq!(at(&original), [own("k", 0x2b0), own("$k$f0", 0), own("$k$f0", 0x1a0), own("$k$f1", 0x280)]);
    // With less code in each, what is behind it is padding.
    let shorter = changed(&original, dir.path(), |cubin, bytes| {
        for (index, _) in cubin.functions().filter(|(index, _)| cubin.symbol_name(*index).starts_with("$k$"))
        {
            let size = offset_of(cubin, ".symtab") + 24 * index.as_usize() + 16;
            bytes[size..size + 8].copy_from_slice(&0x100_u64.to_le_bytes());
        }
    });
    assert_eq!(at(&shorter), [own("k", 0x2b0), own("$k$f0", 0), own("k", 0x460), own("k", 0x6f0)]);
}

// ---- the command line ----

#[test]
fn a_block_for_each_query() {
    let output = lines(&example("saxpy/saxpy.cubin"), &["saxpy+0xe0", "saxpy+16"]);
    assert!(output.status.success());
    // What nvdisasm -gi -gp prints at 0xe0 and 0x10 of this cubin, with the callee's name of .debug_str.
    let want = "\
saxpy+0xe0: saxpy+0xe0, .text.saxpy+0xe0
  #0 fused(float, float, float) [_Z5fusedfff] at /tmp/nvdwarf/saxpy/fused.cuh:13 (inlined)
  #1 saxpy at /tmp/nvdwarf/saxpy/saxpy.cu:10
  ptx:68  fma.rn.f32 \t%f4, %f2, %f1, %f3;

saxpy+16: saxpy+0x10, .text.saxpy+0x10
  #0 saxpy at /tmp/nvdwarf/saxpy/saxpy.cu:9
  ptx:40  mov.u32 \t%r15, %ctaid.x;
";
    assert_eq!(stdout(&output), want);
}

#[test]
fn names_in_every_spelling() {
    let cubin = example("block_sum/block_sum-debug.cubin");
    let mangled = stdout(&lines(&cubin, &["_Z10sum_windowPKf6Window+0x10"]));
    for query in [
        "sum_window(float const*, Window)+0x10",
        "sum_window+0x10",
        "sum_w+16",
        ".text._Z10sum_windowPKf6Window+0x10",
    ] {
        let output = lines(&cubin, &[query]);
        assert!(output.status.success(), "{query}");
        let rest = stdout(&output).split_once(": ").unwrap().1.to_owned();
        assert_eq!(rest, mangled.split_once(": ").unwrap().1, "{query}");
    }
    let by_option = lines(&cubin, &["-f", "sum_window", "0x10"]);
    assert!(stdout(&by_option).ends_with(mangled.split_once(": ").unwrap().1));
}

#[test]
fn no_answer_is_said_and_counted() {
    let cubin = example("block_sum/block_sum-debug.cubin");
    for (query, why) in [
        ("nosuch", "no function 'nosuch'; the functions are _Z10sum_windowPKf6Window, block_sum"),
        ("sum", "'sum' is part of _Z10sum_windowPKf6Window, block_sum"),
        ("block_sum+zz", "'zz' is no offset: expected 0x and hexadecimal digits, or decimal ones"),
        ("block_sum+0x99999", ".text.block_sum has 0x1580 bytes, 0x99999 is behind them"),
        ("0x99999", "no function has offset 0x99999; the functions are _Z10sum_windowPKf6Window, block_sum"),
    ] {
        let output = lines(&cubin, &["block_sum", query]);
        assert_eq!(output.status.code(), Some(1), "{query}");
        assert!(stdout(&output).ends_with(&format!("\n{query}: ??\n  {why}\n")), "{}", stdout(&output));
    }
}

#[test]
fn queries_from_standard_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"))
        .args(["lines", example("saxpy/saxpy.cubin").to_str().unwrap(), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"saxpy+0x10\n\n saxpy+0x20 \n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(stdout(&output).matches("  #0 saxpy at ").count(), 2);
}

#[test]
fn what_is_no_cubin_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let cubin = fs::read(example("saxpy/saxpy.cubin")).unwrap();
    let mut arm = cubin.clone();
    arm[18] = 183;
    let write = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let ptx = write("k.ptx", b"// comment\n\n.version 9.0\n.target sm_90\n");
    for (path, what) in [
        (dir.path().to_owned(), "a folder, expected a cubin, or a file with cubins in it"),
        (dir.path().join("missing"), "No such file or directory"),
        (write("empty", b""), "the file is empty, expected a cubin"),
        (ptx, "PTX text, expected a cubin; `ptxas-driver compile"),
        (write("text", b"hello"), "offset 0x0: not a cubin: no ELF magic"),
        (write("arm", &arm), "no GPU code: the ELF file has no section .nv_fatbin"),
        (write("header", &cubin[..40]), "the data ends inside the ELF file header"),
        (write("half", &cubin[..cubin.len() / 2]), "e_shoff is "),
        (write("fatbin", b"\x50\xed\x55\xba\x01\0\x10\0"), "the data ends inside"),
    ] {
        for command in ["lines", "dump"] {
            let output = driver(&[command, path.to_str().unwrap()]);
            let text = stderr(&output);
            assert_eq!(output.status.code(), Some(1), "{command} {}", path.display());
            assert!(
                text.starts_with(&format!("error: {}: ", path.display())) && text.contains(what),
                "{text}"
            );
            assert_eq!(stdout(&output), "");
        }
    }
}

#[test]
fn the_commands_of_the_program() {
    let code = |args: &[&str]| {
        let output = driver(args);
        (output.status.code(), stdout(&output), stderr(&output))
    };
    let (status, help, _) = code(&["--help"]);
    assert_eq!(status, Some(0));
    for word in ["\n  compile ", "\n  lines ", "\n  dump ", "Examples:", "Exit status:"] {
        assert!(help.contains(word), "{word}: {help}");
    }
    assert_eq!(code(&[]).1, help);
    assert_eq!(code(&["help"]).1, help);
    let compile_help = code(&["compile", "--help"]).1;
    assert!(compile_help.contains("--gpu-name"));
    assert_eq!(code(&["help", "compile"]).1, compile_help);
    assert!(code(&["help", "lines"]).1.contains("FUNCTION+0xOFF"));

    let (status, _, error) = code(&["lnes", "x.cubin"]);
    assert_eq!(status, Some(2));
    assert!(error.contains("'lines'"), "{error}");
    for wrong in [&["lines"][..], &["lines", "x", "--nosuch"], &["dump"], &["lines", "-", "-"]] {
        assert_eq!(code(wrong).0, Some(2), "{wrong:?}");
    }

    // Everything that is no command compiles, as ptxas would.
    assert_eq!(code(&["nosuch.ptx"]).0, Some(255));
    assert!(code(&["nosuch.ptx"]).2.contains("Input file 'nosuch.ptx' could not be opened"));
    assert!(code(&["--version"]).1.starts_with("ptxas-driver "));
    let dir = tempfile::tempdir().unwrap();
    let (input, out) = (example("saxpy/saxpy.ptx"), dir.path().join("o"));
    let words = [
        "-lineinfo",
        "--code",
        "none",
        "-arch",
        "sm_90",
        input.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
    ];
    assert_eq!(code(&words).0, Some(0));
    assert!(out.is_file());
}
