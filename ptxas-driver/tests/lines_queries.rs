//! `lines`: places in sections, samples, lines back to code, the forms of other tools, Mercury.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::ptx_txt;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn lines(file: &Path, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"))
        .arg("lines")
        .arg(file)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its command line does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn document(file: &Path, args: &[&str], input: &str) -> Value {
    let output = lines(file, &[args, &["--json"]].concat(), input);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["schema"], &document["schema_version"]), (&"nvdwarf.lines".into(), &1.into()));
    document
}

fn saxpy() -> PathBuf {
    support::repository().join("examples/saxpy/saxpy.cubin")
}

#[test]
fn a_place_in_a_section() {
    let [by_section, by_function] = [".text.saxpy:0xe0", "saxpy+0xe0"]
        .map(|query| document(&saxpy(), &[query], "")["queries"][0]["answers"].clone());
    assert_eq!(by_section, by_function);
    assert_eq!(by_section[0]["frames"].as_array().unwrap().len(), 2);
    for (query, want) in [
        (".text.nosuch:0xe0", "no code section '.text.nosuch'"),
        (".text.nosuch+0xe0", "no code section '.text.nosuch'"),
        (".text.saxpy:zero", "'.text.saxpy:zero' has no offset"),
        ("nosuch+0xe0", "no function 'nosuch'; the functions are saxpy"),
    ] {
        let output = lines(&saxpy(), &[query], "");
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stdout).contains(want), "{query}: {}", text(&output.stdout));
    }
}

/// A function may be called anything: no text and no message has the control characters of its name.
#[test]
fn names_cannot_steer_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("odd.cubin");
    let mut bytes = fs::read(support::repository().join("examples/saxpy/saxpy-debug.cubin")).unwrap();
    let names: Vec<usize> = bytes.windows(5).enumerate().filter(|w| w.1 == b"saxpy").map(|w| w.0).collect();
    for at in names {
        bytes[at..at + 5].copy_from_slice(b"\x1b[1mz");
    }
    fs::write(&file, bytes).unwrap();
    for (args, is_answered) in [
        (&["lines"][..], true),
        (&["lines", "nope\x1b[0m"], false),
        (&["lines", "--at", "nope\x1b[0m:1"], false),
        (&["lines", "--style", "llvm", "nope\x1b[0m"], false),
        (&["vars"], true),
        (&["vars", "-f", "nope\x1b[0m"], false),
        (&["vars", "nope\x1b[0m"], false),
        (&["dump"], true),
        (&["dump", "-f", "nope\x1b[0m"], false),
        (&["dump", "-s", "nope\x1b[0m"], false),
        (&["dump", "--style", "ptxas"], true),
        (&["sections"], true),
        (&["coverage"], true),
        (&["verify"], true),
        (&["merc", "plan"], false),
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
        let (command, options) = args.split_at(if args[0] == "merc" { 2 } else { 1 });
        let output = program.args(command).arg(&file).args(options).output().unwrap();
        assert_eq!(output.status.success(), is_answered, "{args:?}: {}", text(&output.stderr));
        for text in [text(&output.stdout), text(&output.stderr)] {
            let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
            assert!(!text.contains(steers), "{args:?}: {text:?}");
        }
    }
}

/// What cannot be answered at all has a document too: which command, which file, and why.
#[test]
fn a_document_says_why_there_is_no_answer() {
    let debug = support::repository().join("examples/saxpy/saxpy-debug.cubin").display().to_string();
    let lines_only = saxpy().display().to_string();
    let none = lines_only.clone() + ".none";
    for (command, file, args, why) in [
        ("vars", &debug, &["nope"][..], "no variable 'nope'"),
        ("vars", &debug, &["--at", "nope+1"], "no function 'nope'; the functions are saxpy"),
        ("dump", &debug, &["--section", ".nope"], "no section '.nope'; the debug sections are .debug_frame,"),
        ("dump", &debug, &["--function", "nope"], "no function 'nope'"),
        ("lines", &lines_only, &["--function", "nope"], "no function 'nope'"),
        ("lines", &none, &["saxpy"], "No such file"),
        ("lines", &lines_only, &["--samples", &none], &format!("{none}: No such file")),
        ("sections", &none, &[], "No such file"),
        ("merc plan", &lines_only, &[], "a cubin for sm_90, which has no capsule"),
        ("merc self-check", &lines_only, &[], "a cubin for sm_90, which has no capsule"),
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
        let output = program.args(command.split(' ')).arg(file).args(args).arg("--json").output().unwrap();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}");
        let schema = format!("nvdwarf.{}", command.replace([' ', '-'], "_"));
        assert_eq!((&document["schema"], &document["file"]), (&json!(schema), &json!(file)));
        assert!(document["error"].as_str().unwrap().starts_with(why), "{command}: {document}");
        assert!(text(&output.stderr).contains(why), "{command}: {}", text(&output.stderr));
        assert_eq!(document.as_object().unwrap().len(), 4, "{document}");
    }
}

// What nvdisasm -gi prints of this cubin: 0xe0 is line 13 of fused.cuh, inlined at line 10 of saxpy.cu; 0x10 is line 9.
const SAMPLES: &str =
    "id,\"Kernel Name\",PC Offset,Samples\n1,saxpy,0xe0,5\n2,\"saxpy\",224,\"1,000\"\n3,saxpy,0x10,2\n";

#[test]
fn samples_by_line_and_by_chain() {
    let document = document(&saxpy(), &["--samples", "-"], SAMPLES);
    let samples = &document["samples"];
    assert_eq!(
        (&samples["total"], &samples["without_line"], &samples["bad_rows"]),
        (&json!(1007), &json!(0), &json!(0))
    );
    let found: Vec<_> = samples["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            let file = line["file"].as_str().unwrap().rsplit('/').next().unwrap();
            (
                file,
                line["line"].as_u64().unwrap(),
                line["self"].as_u64().unwrap(),
                line["total"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(found, [("fused.cuh", 13, 1005, 1005), ("saxpy.cu", 9, 2, 2), ("saxpy.cu", 10, 0, 1005)]);
    let chains = samples["chains"].as_array().unwrap();
    let found: Vec<_> = chains
        .iter()
        .map(|chain| {
            let frames = chain["frames"].as_array().unwrap().iter();
            let lines: Vec<_> = frames.map(|frame| frame["line"].as_u64().unwrap()).collect();
            (chain["count"].as_u64().unwrap(), lines)
        })
        .collect();
    assert_eq!(found, [(1005, vec![13, 10]), (2, vec![9])]);
}

#[test]
fn samples_that_are_none_are_told_and_counted() {
    let csv = "section,offset\n.text.saxpy,0x10\n.text.saxpy,0x9999\n.text.other,0\n.text.saxpy,x\n";
    let output = lines(&saxpy(), &["--samples", "-"], csv);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).starts_with("1 samples, 0 of them without a line\n"));
    let errors = text(&output.stderr);
    for why in [
        "row 3: .text.saxpy has 0x600 bytes, 0x9999 is behind them",
        "row 4: no code section '.text.other'",
        "row 5: 'x' is no offset",
    ] {
        assert!(errors.contains(why), "{errors}");
    }
    let output = lines(&saxpy(), &["--samples", "-"], "a,b\n1,2\n");
    assert!(
        output.status.code() == Some(1) && text(&output.stderr).contains("no header that names a column")
    );
}

/// Ranges that a listing gives to a line, as its own or as a call site.
fn listed(file: &Path, name: &str, line: u64) -> Vec<(String, u64, u64, u64)> {
    let document = document(file, &["--all"], "");
    let mut found: Vec<(String, u64, u64, u64)> = Vec::new();
    for section in document["sections"].as_array().unwrap() {
        for range in section["ranges"].as_array().unwrap() {
            let frames = range["frames"].as_array().unwrap();
            let depth = frames.iter().position(|frame| {
                frame["line"] == line && frame["file"].as_str().is_some_and(|file| file.ends_with(name))
            });
            let Some(depth) = depth else { continue };
            let number = |name: &str| range[name].as_u64().unwrap();
            let place = section["section"].as_str().unwrap().to_owned();
            let next = (place, number("start"), number("end"), depth as u64);
            match found.last_mut() {
                // Ranges of one line of source may differ in their PTX line.
                Some(last) if last.0 == next.0 && last.2 == next.1 && last.3 == next.3 => last.2 = next.2,
                _ => found.push(next),
            }
        }
    }
    found
}

#[test]
fn a_line_back_to_code() {
    for (name, line) in [("saxpy.cu", 10), ("fused.cuh", 13)] {
        let place = format!("{name}:{line}");
        let document = document(&saxpy(), &["--at", &place], "");
        let at = &document["at"][0];
        assert_eq!(at["files"].as_array().unwrap().len(), 1);
        let ranges = at["ranges"].as_array().unwrap().iter().map(|range| {
            let number = |name: &str| range[name].as_u64().unwrap();
            assert_eq!(range["callee"].is_object(), number("depth") > 0);
            (range["section"].as_str().unwrap().to_owned(), number("start"), number("end"), number("depth"))
        });
        let ranges: Vec<_> = ranges.collect();
        assert!(!ranges.is_empty());
        assert_eq!(ranges, listed(&saxpy(), name, line));
    }
    // Line 10 is mostly a call site.
    let output = lines(&saxpy(), &["--at", "saxpy/saxpy.cu:10"], "");
    let call = ".text.saxpy+0xe0..0xf0  saxpy  /tmp/nvdwarf/saxpy/saxpy.cu:10  calls fused(float, float, float) (inlined)\n";
    assert!(text(&output.stdout).contains(call));
}

#[test]
fn lines_without_code_and_files_that_are_several() {
    for (place, why) in [
        ("saxpy.cu:4000", "no code comes from saxpy.cu:4000"),
        (
            "axpy.cu:10",
            "no file 'axpy.cu' in the line tables; they have /tmp/nvdwarf/saxpy/fused.cuh, /tmp/nvdwarf/saxpy/saxpy.cu",
        ),
        ("saxpy.cu", "'saxpy.cu' is no place: expected FILE:LINE or FILE:FIRST-LAST"),
    ] {
        let output = lines(&saxpy(), &["--at", place], "");
        assert_eq!(output.status.code(), Some(1), "{place}");
        assert_eq!(text(&output.stdout), format!("{place}: ??\n  {why}\n"));
    }
    let dir = tempfile::tempdir().unwrap();
    let (ptx, object) = (dir.path().join("two.ptx"), dir.path().join("two.debug"));
    let source = ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"a/k.cu\"\n.file 2 \"b/k.cu\"\n\
                  .visible .entry k()\n{\n.reg .b32 %r<3>;\n.loc 1 7 1\nmov.u32 %r1, 1;\n.loc 2 7 1\nmov.u32 %r2, 2;\nret;\n}\n";
    fs::write(&ptx, source).unwrap();
    let made = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"))
        .args(["--code", "none", "-lineinfo", "-arch", "sm_90"])
        .args([ptx.as_os_str(), "-o".as_ref(), object.as_os_str()])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", text(&made.stderr));
    let output = lines(&object, &["--at", "k.cu:7"], "");
    assert!(output.status.success());
    assert!(text(&output.stderr).contains("k.cu:7: the name means 2 files: a/k.cu, b/k.cu"));
    assert_eq!(document(&object, &["--at", "b/k.cu:5-9"], "")["at"][0]["files"], json!(["b/k.cu"]));
}

// ---- the forms of other tools, seen on a host program ----

/// A host program with an inlined call, and the address of the inlined code.
fn host(dir: &Path) -> Option<(PathBuf, String)> {
    let (source, program) = (dir.join("h.cpp"), dir.join("h"));
    let code = "static inline __attribute__((always_inline)) void leaf(volatile int *p) {\n  *p = 3;\n}\n\
                void top(volatile int *p) {\n  leaf(p);\n}\nint main() {\n  volatile int x;\n  top(&x);\n}\n";
    fs::write(&source, code).unwrap();
    let made = Command::new("c++")
        .args(["-g", "-O1", "-fno-inline-small-functions"])
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output();
    if !made.is_ok_and(|made| made.status.success()) {
        support::skip("a C++ compiler", "REQUIRE_ORACLES");
        return None;
    }
    let symbols = Command::new("nm").arg(&program).output().ok()?.stdout;
    let top = text(&symbols).lines().find(|line| line.ends_with(" _Z3topPVi"))?;
    let start = u64::from_str_radix(top.split(' ').next()?, 16).unwrap();
    // The first address that addr2line knows as inlined.
    let inlined = (start..start + 16).map(|address| format!("{address:#x}")).find(|address| {
        tool("addr2line", &["-fi", "-e", program.to_str().unwrap(), address])
            .is_some_and(|out| out.lines().count() == 4)
    });
    Some((program, inlined?))
}

fn tool(name: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(name).args(args).output().ok()?;
    output.status.success().then(|| text(&output.stdout).to_owned())
}

/// The shape of an answer: what is a number or a name does not matter, but where they are does.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    for line in text.lines() {
        let kind = match line {
            "" => "empty",
            "??" => "??",
            _ if line.starts_with("??:") => line,
            _ => match line.rsplit(':').take_while(|part| part.parse::<u32>().is_ok()).count() {
                0 => "name",
                1 => "file:line",
                _ => "file:line:column",
            },
        };
        shape.push_str(kind);
        shape.push('\n');
    }
    shape
}

fn kinds(value: &Value) -> Value {
    match value {
        Value::Array(all) => all.iter().map(kinds).collect(),
        Value::Object(all) => all.iter().map(|(key, value)| (key.clone(), kinds(value))).collect(),
        Value::Number(_) => "number".into(),
        _ => "string".into(),
    }
}

#[test]
fn the_forms_are_those_of_addr2line_and_llvm_symbolizer() {
    let dir = tempfile::tempdir().unwrap();
    let Some((program, address)) = host(dir.path()) else { return };
    let program = program.to_str().unwrap();
    let ours = |style: &str| {
        text(&lines(&saxpy(), &["saxpy+0xe0", "nosuch", "--style", style], "").stdout).to_owned()
    };
    if let Some(theirs) = tool("addr2line", &["-fi", "-e", program, &address, "0x1"]) {
        assert_eq!(shape(&ours("gnu")), shape(&theirs));
    }
    let object = format!("--obj={program}");
    let Some(theirs) = tool("llvm-symbolizer", &["--inlines", &object, &address, "0x1"]) else {
        support::skip("llvm-symbolizer", "REQUIRE_ORACLES");
        return;
    };
    assert_eq!(shape(&ours("llvm")), shape(&theirs));
    let Some(theirs) =
        tool("llvm-symbolizer", &["--inlines", "--output-style=JSON", &object, &address, "0x1"])
    else {
        return;
    };
    // Keys and kinds of values, in the same order.
    let [ours, theirs] = [ours("json"), theirs].map(|text| kinds(&serde_json::from_str(&text).unwrap()));
    assert_eq!(ours, theirs);
}

#[test]
fn one_answer_for_each_query_in_the_forms() {
    let fused = "/tmp/nvdwarf/saxpy/fused.cuh:13";
    let both = lines(&saxpy(), &["-", "--style", "gnu", "-C"], "saxpy+0xe0\nnosuch\n");
    assert_eq!(both.status.code(), Some(1));
    assert_eq!(
        text(&both.stdout),
        format!("fused(float, float, float)\n{fused}\nsaxpy\n/tmp/nvdwarf/saxpy/saxpy.cu:10\n??\n??:0\n")
    );
    assert!(text(&both.stderr).contains("nosuch: no function 'nosuch'"));
    // From standard input LLVM's JSON is one object a line.
    let rows = lines(&saxpy(), &["-", "--style", "json"], "saxpy+0xe0\nsaxpy+0x10\n");
    assert_eq!(text(&rows.stdout).lines().filter(|line| line.starts_with("{\"Address\":\"0x")).count(), 2);
    // An offset that several functions have is no answer, but the functions are named.
    let two = support::repository().join("examples/block_sum/block_sum-debug.cubin");
    let output = lines(&two, &["0x10", "--style", "llvm"], "");
    assert_eq!(text(&output.stdout), "??\n??:0:0\n\n");
    assert!(text(&output.stderr).contains("2 functions have that offset: "));
}

// ---- Mercury ----

#[test]
fn mercury_offsets_are_not_those_of_the_code_that_runs() {
    let is = |entry: &support::Entry| {
        entry.program == "rdc_three" && entry.arch == "sm_120" && entry.mode == "lineinfo-rdc"
    };
    let Some(entries) = support::corpus(is) else { return };
    for entry in entries {
        let Some(cubin) = entry.cubin else { continue };
        let (native, mercury) =
            (document(&cubin, &["--all"], ""), document(&cubin, &["--all", "--mercury"], ""));
        assert!(native.get("space").is_none());
        assert_eq!(mercury["space"], "mercury");
        let sections = mercury["sections"].as_array().unwrap();
        assert!(!sections.is_empty());
        let mut covered = 0;
        for section in sections {
            assert!(section["section"].as_str().unwrap().starts_with(".nv.capmerc.text."));
            let ranges = section["ranges"].as_array().unwrap();
            covered += ranges.iter().filter(|range| !range["frames"].as_array().unwrap().is_empty()).count();
        }
        assert!(covered > 0);
    }
    let output = lines(&saxpy(), &["--mercury"], "");
    assert!(text(&output.stderr).contains("no source lines in a Mercury capsule"));
}

#[test]
fn words_that_do_not_go_together() {
    for wrong in [
        &["--samples", "-", "saxpy"][..],
        &["--at", "saxpy.cu:1", "--all"],
        &["--style", "gnu"],
        &["saxpy", "--style", "gnu", "--json"],
        &["-", "--samples", "-"],
    ] {
        assert_eq!(lines(&saxpy(), wrong, "").status.code(), Some(2), "{wrong:?}");
    }
}

// ---- columns ----

/// With `--ptx` the column of a frame is that of the `.loc` before its PTX line, of its caller that of `inlined_at`; without, none.
#[test]
fn columns_are_those_of_the_directives() {
    let ptx = support::repository().join("examples/saxpy/saxpy.ptx");
    let text = fs::read_to_string(&ptx).unwrap();
    let text: Vec<&str> = text.lines().collect();
    let all =
        |args: &[&str]| document(&saxpy(), args, "")["sections"][0]["ranges"].as_array().unwrap().clone();
    let columns = |range: &Value| -> Vec<(u64, Option<u64>)> {
        let frames = range["frames"].as_array().unwrap().iter();
        frames.map(|frame| (frame["line"].as_u64().unwrap(), frame["column"].as_u64())).collect()
    };
    assert!(all(&[]).iter().flat_map(columns).all(|(_, column)| column.is_none()));
    let (mut own, mut callers) = (0, 0);
    for range in all(&["--ptx", ptx.to_str().unwrap()]) {
        let line = range["ptx"]["line"].as_u64().unwrap() as usize;
        let found = columns(&range);
        let loc = text[..line - 1].iter().rev().find_map(|line| line.trim().strip_prefix(".loc"));
        let numbers = |text: &str| -> Vec<u64> {
            text.split([' ', '\t', ',']).filter_map(|word| word.parse().ok()).collect()
        };
        // File, line and column, then those of the call.
        let want = match loc.map(numbers) {
            Some(numbers) if text[line - 1].trim() != "{" => {
                numbers.chunks_exact(3).map(|place| (place[1], Some(place[2]).filter(|c| *c != 0))).collect()
            }
            _ => Vec::new(),
        };
        let known = found.iter().zip(&want).take_while(|(found, want)| found.0 == want.0).count();
        assert_eq!(found[..known], want[..known], "{range}");
        assert!(found.iter().skip(known).all(|(_, column)| column.is_none() || known > 1), "{range}");
        own += usize::from(known > 0);
        callers += usize::from(known > 1);
    }
    assert!(own > 20 && callers > 5, "{own} {callers}");
}

/// Of PTX that the file was not made from, or where nothing tells, no column is lent, and that is said.
#[test]
fn columns_of_other_ptx_are_not_lent() {
    let example = |name: &str| support::repository().join("examples").join(name);
    for (cubin, ptx, note) in [
        (saxpy(), "saxpy/saxpy.ptx", None),
        (example("saxpy/saxpy-debug.cubin"), "saxpy/saxpy-debug.ptx", None),
        (example("saxpy/saxpy-debug.cubin"), "saxpy/saxpy.ptx", Some("is not that of this file")),
        (saxpy(), "saxpy/saxpy-debug.ptx", Some("is not that of this file")),
        (saxpy(), "block_sum/block_sum.ptx", Some("is not that of this file")),
    ] {
        let output = lines(&cubin, &["--ptx", example(ptx).to_str().unwrap(), "--json"], "");
        let said = text(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert_eq!(text(&output.stdout).contains("\"column\""), note.is_none(), "{ptx}");
        match note {
            None => assert_eq!(said, "", "{ptx}"),
            Some(note) => assert!(said.starts_with("note: ") && said.contains(note), "{ptx}: {said}"),
        }
    }
}

/// The corpus' own pairs of PTX and cubin, so that no right one is refused.
#[test]
fn columns_of_the_corpus_are_lent() {
    let is_pair = |entry: &support::Entry| entry.ok && entry.ptx.is_some() && entry.cubin.is_some();
    let Some(entries) = support::corpus(is_pair) else { return };
    let mut compared = 0;
    for entry in &entries {
        let (ptx, cubin) = (entry.ptx.as_ref().unwrap(), entry.cubin.as_ref().unwrap());
        let bytes = fs::read(cubin).unwrap();
        if !Cubin::parse(&bytes).unwrap().iter().any(|(_, name, _)| name.starts_with(ptx_txt::NAME)) {
            continue;
        }
        let output = lines(cubin, &["--ptx", ptx.to_str().unwrap()], "");
        assert!(!text(&output.stderr).contains("no columns"), "{}: {}", entry.name(), text(&output.stderr));
        compared += 1;
    }
    assert!(compared > 100);
}
