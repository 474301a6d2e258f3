//! `lines`: the forms of other tools, Mercury and columns, against tools and the corpus.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::driver::program;
use crate::support::host_program::HostProgram;
use crate::support::json::{self, kinds};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::ptx_txt;
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn lines(file: &Path, args: &[&str], input: &str) -> Output {
    let mut child = program()
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
    assert_eq!(json::document(&output)["schema"], "nvdwarf.lines");
    json::only(&output)
}

fn saxpy() -> PathBuf {
    support::repository().join("examples/saxpy/saxpy.cubin")
}

// ---- the forms of other tools, seen on a host program ----

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

#[test]
fn the_forms_are_those_of_addr2line_and_llvm_symbolizer() {
    let Some(host) = HostProgram::with_an_inlined_call() else { return };
    let (program, address) = (host.path.to_str().unwrap(), &*host.inlined);
    let ours = |style: &str| {
        text(&lines(&saxpy(), &["saxpy+0xe0", "nosuch", "--style", style], "").stdout).to_owned()
    };
    if let Some(theirs) = tool("addr2line", &["-fi", "-e", program, address, "0x1"]) {
        assert_eq!(shape(&ours("gnu")), shape(&theirs));
    }
    let object = format!("--obj={program}");
    let Some(theirs) = tool("llvm-symbolizer", &["--inlines", &object, address, "0x1"]) else {
        support::skip("llvm-symbolizer", "REQUIRE_ORACLES");
        return;
    };
    assert_eq!(shape(&ours("llvm")), shape(&theirs));
    let Some(theirs) =
        tool("llvm-symbolizer", &["--inlines", "--output-style=JSON", &object, address, "0x1"])
    else {
        return;
    };
    // Keys and kinds of values, in the same order.
    let [ours, theirs] = [ours("json"), theirs].map(|text| kinds(&serde_json::from_str(&text).unwrap()));
    assert_eq!(ours, theirs);
}

// ---- Mercury ----

#[test]
fn mercury_offsets_are_not_those_of_the_code_that_runs() {
    let is = |entry: &support::Entry| {
        entry.program == "rdc_three" && entry.arch == "sm_120" && entry.mode == "lineinfo-rdc"
    };
    let entries = support::corpus(is);
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
}

// ---- columns ----

/// With `--ptx` the column of a frame is that of the `.loc` before its PTX line, of its caller that
/// of `inlined_at`; without, none.
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

/// The corpus' own pairs of PTX and cubin, so that no right one is refused.
#[test]
fn columns_of_the_corpus_are_lent() {
    let is_pair = |entry: &support::Entry| entry.ok && entry.ptx.is_some() && entry.cubin.is_some();
    let entries = support::corpus(is_pair);
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
