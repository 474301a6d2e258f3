//! `lines`: its answers against nvdisasm and the known right answers, and its limits. Its command
//! line is in `cli/lines.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

mod bugs;
mod folded;
mod nvdisasm;

use crate::support::driver::example;
use crate::support::driver::{answer, messages as stderr, printed as stdout, run as driver};
use crate::support::json;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// `(file's last component, line, function)` of each frame of the only answer to a query.
fn chain(file: &Path, query: &str) -> Vec<(String, u64, String)> {
    let document = json::answer("lines", file, &[query]);
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
    // One slot of 16 bytes for each PTX instruction: the PTX line of each slot is that of an
    // instruction, in order, and the line of source is the one that the `.loc` before that line
    // names.
    let document = json::answer("lines", &object, &[]);
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

/// A debug-only object of one kernel: line 1, and `depth` functions inlined into each other, line
/// `n` at line `n - 1`.
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
    let document = json::answer("lines", &object, &[]);
    let ranges = document["sections"][0]["ranges"].as_array().unwrap();
    for range in ranges {
        let line = range["frames"][0]["line"].as_u64().unwrap();
        assert_eq!(lines_of(range), countdown(line, line.min(64)));
        let more = line.saturating_sub(64);
        assert_eq!(range.get("more_frames").map_or(0, |more| more.as_u64().unwrap()), more);
    }
    let text = stdout(&answer("lines", &object, &[]));
    assert!(text.contains(" <- a at a.c:37 (inlined) <- ... 36 more  | ptx:"));
    assert!(text.contains(" <- a at a.c:2 (inlined) <- k at a.c:1  | ptx:"));

    for (line, shown) in [(800, 800), (1101, 1024)] {
        let start =
            ranges.iter().find(|range| range["frames"][0]["line"] == line).unwrap()["start"].to_string();
        let document = json::answer("lines", &object, &["-f", "k", &start]);
        let found = &document["queries"][0]["answers"][0];
        assert_eq!(lines_of(found), countdown(line, shown));
        let text = stdout(&answer("lines", &object, &["-f", "k", &start]));
        match line - shown {
            0 => assert!(found.get("more_frames").is_none() && !text.contains(" more\n")),
            more => {
                assert_eq!(found["more_frames"], more);
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
