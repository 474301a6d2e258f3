//! Inlined calls that ptxas drops or merges: `lines --ptx`, `coverage --ptx`, `verify --ptx` and
//! `check` against the `.loc` directives of the PTX, which a reader of this file's own reads.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

mod loc_reader;
mod table_rules;

use crate::support;
use crate::support::driver::{program, succeed};
use crate::support::{corpus_root, json, oracle};
use loc_reader::{LocReader, PtxPlace};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn driver(dir: &Path, command: &str) -> Output {
    program().current_dir(dir).args(command.split_whitespace()).output().unwrap()
}

fn said(dir: &Path, command: &str) -> String {
    String::from_utf8(driver(dir, command).stdout).unwrap()
}

/// Runs the ptxas of 13.0.88 in a folder that has the PTX of a bug; `None` without one of both.
fn assembled(number: &str, options: &str) -> Option<tempfile::TempDir> {
    let (from, ptxas) = (support::bug(number)?, oracle::tool("ptxas")?);
    let dir = tempfile::tempdir().unwrap();
    for path in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        fs::write(dir.path().join(path.file_name().unwrap()), fs::read(path).unwrap()).unwrap();
    }
    succeed(Command::new(ptxas).current_dir(dir.path()).args(options.split_whitespace()));
    Some(dir)
}

/// The chain at each instruction of a listing, without what follows it.
fn chains(listing: &str) -> Vec<String> {
    let ranges = listing.lines().filter_map(|line| line.split_once("  | ptx:").map(|(chain, _)| chain));
    ranges.map(|line| line.trim().split_once("  ").unwrap().1.to_owned()).collect()
}

/// The frames of the program's JSON: function of an inlined frame, file, line, column.
fn own_places(range: &Value) -> Vec<PtxPlace> {
    let frames = range["frames"].as_array().unwrap().iter();
    let place = |frame: &Value| PtxPlace {
        callee: frame["inlined"]
            .as_bool()
            .unwrap()
            .then(|| frame["function"]["name"].as_str().unwrap_or_default().to_owned()),
        path: frame["file"].as_str().map(str::to_owned),
        line: frame["line"].as_u64().unwrap(),
        column: frame["column"].as_u64().unwrap_or(0),
    };
    frames.map(place).collect()
}

/// Cubins of the corpus beside the PTX that they were made from, if that has inlined calls.
fn pairs() -> Vec<(PathBuf, PathBuf)> {
    let cubins = corpus_root::files("cubin").into_iter();
    let pairs = cubins.filter_map(|cubin| {
        let ptx = cubin.with_extension("ptx");
        let text = fs::read(&ptx).ok()?;
        memchr::memmem::find(&text, b"inlined_at").map(|_| (cubin, ptx))
    });
    pairs.collect()
}

/// Each instruction whose `.loc` has an `inlined_at` shows that chain, with its columns.
#[test]
fn every_chain_of_the_corpus_is_that_of_the_ptx() {
    let (mut files, mut inlined, mut by_ptx) = (0, 0, 0);
    for (cubin, ptx) in pairs() {
        let reader = LocReader::of(&fs::read(&ptx).unwrap());
        let mut command = program();
        let output = command.args(["lines", "--json", "--ptx"]).args([&ptx, &cubin]).output().unwrap();
        if String::from_utf8_lossy(&output.stderr).contains("without .nv_debug_ptx_txt") {
            continue; // without its text, as after --suppress-debug-info
        }
        files += 1;
        for section in json::only(&output)["sections"].as_array().into_iter().flatten() {
            for range in section["ranges"].as_array().unwrap() {
                let Some(line) = range["ptx"]["line"].as_u64() else { continue };
                let meant = reader.chain(line as usize);
                let own = own_places(range);
                if meant.first().is_none_or(|place| place.line == 0) || own.is_empty() {
                    continue;
                }
                let count = (range["end"].as_u64().unwrap() - range["start"].as_u64().unwrap()) / 16;
                inlined += if meant.len() > 1 { count } else { 0 };
                let marked = range["frames"].as_array().unwrap().iter().any(|frame| frame["by_ptx"] == true);
                by_ptx += if marked { count } else { 0 };
                assert_eq!(own, meant, "{} {}+{}", cubin.display(), section["section"], range["start"]);
            }
        }
    }
    assert!(files >= corpus_root::at_least(150), "{files}");
    assert!(inlined >= corpus_root::at_least(33_000) as u64, "{inlined}");
    assert!(by_ptx >= corpus_root::at_least(4_000) as u64, "{by_ptx}");
}

/// Instructions under an `inlined_at`, those that lack a call of it, and those without any call.
#[test]
fn coverage_counts_what_is_lost_in_the_corpus() {
    let mut sums: BTreeMap<u64, [u64; 3]> = BTreeMap::new();
    for (cubin, ptx) in pairs() {
        let mut command = program();
        let output = command.args(["coverage", "--json", "--ptx"]).args([&ptx, &cubin]).output().unwrap();
        let document = json::only(&output);
        let lost = &document["lost_calls"];
        let sum = sums.entry(document["sm"].as_u64().unwrap()).or_default();
        for (sum, member) in sum.iter_mut().zip(["inlined", "incomplete", "without_call"]) {
            *sum += lost[member].as_u64().unwrap_or(0);
        }
        let calls = lost["calls"].as_array().into_iter().flatten();
        let named =
            calls.filter(|call| call["fault"] == "lost").map(|call| call["instructions"].as_u64().unwrap());
        assert!(named.sum::<u64>() >= lost["incomplete"].as_u64().unwrap_or(0), "{}", cubin.display());
    }
    if corpus_root::is_whole() {
        let expected: BTreeMap<u64, [u64; 3]> = [
            (75, [2_954, 824, 697]),
            (80, [3_919, 31, 0]),
            (90, [15_393, 387, 0]),
            (100, [4_620, 702, 660]),
            (120, [7_621, 2_524, 2_315]),
        ]
        .into();
        assert_eq!(sums, expected);
    }
}

/// Bug 66: two functions on one line, two at one call site.
#[test]
fn bug_66_calls_on_one_line() {
    let Some(dir) = assembled("66", "-lineinfo -arch=sm_89 poly.ptx -o poly.cubin") else { return };
    let dir = dir.path();
    let listing = said(dir, "lines --ptx poly.ptx poly.cubin");
    let expected = [
        "horner at poly.cuh:14:9 (inlined) <- polyeval at poly.cu:53:11",
        "horner3 at poly.cuh:14:30 (inlined) [from the PTX] <- polyeval at poly.cu:53:11",
        "muladd at poly.cuh:14:44 (inlined) [from the PTX] <- horner at poly.cuh:14:9 (inlined) <- polyeval at poly.cu:53:11",
        "horner at poly.cuh:22:3 (inlined) <- polyeval at poly.cu:54:3",
        "polyeval at poly.cuh:22:9 [from the PTX]",
    ];
    let start = chains(&listing).iter().position(|chain| chain.contains("inlined")).unwrap();
    assert_eq!(chains(&listing)[start..start + 5], expected);
    // `--line-table full` writes what the PTX says.
    succeed(
        program().current_dir(dir).args(
            "compile --line-table full -lineinfo -arch sm_89 poly.ptx --code cubin:poly.cubin -o full.cubin"
                .split_whitespace(),
        ),
    );
    let full = chains(&said(dir, "lines full.cubin"));
    let start = full.iter().position(|chain| chain.contains("inlined")).unwrap();
    let unmarked = expected.map(|chain| chain.replace(" [from the PTX]", ""));
    assert_eq!(full[start..start + 5], unmarked);
    assert!(!said(dir, "lines --ptx poly.ptx full.cubin").contains("from the PTX"));

    let coverage = said(dir, "coverage --ptx poly.ptx poly.cubin");
    for line in [
        "lost of the PTX: inlined calls of 2 of 4 instructions",
        "  horner3 inlined at poly.cu:53: 1 instruction, from .text.polyeval+0x60",
        "  muladd inlined at poly.cuh:14: 1 instruction, from .text.polyeval+0x70",
        "  horner inlined at poly.cu:54: 1 instruction, from .text.polyeval+0x90",
    ] {
        assert!(coverage.contains(line), "{coverage}");
    }
    assert!(!coverage.contains("nothing that the PTX names is lost"), "{coverage}");
    assert!(said(dir, "coverage --ptx poly.ptx full.cubin").contains("nothing that the PTX names is lost"));
    let verified = said(dir, "verify --ptx poly.ptx poly.cubin");
    assert_eq!(verified.matches("note[L107]").count(), 4, "{verified}");
    assert!(!said(dir, "verify --ptx poly.ptx full.cubin").contains("L107"));
    assert_eq!(lost_lines(dir, "poly.ptx"), [14, 16, 21]);

    // Code of a source line, samples, and the forms of other tools.
    let at = said(dir, "lines --ptx poly.ptx poly.cubin --at poly.cu:53");
    assert!(at.contains("+0x60..0x70  polyeval  poly.cu:53  calls horner3 (inlined)"), "{at}");
    assert!(!said(dir, "lines --ptx poly.ptx poly.cubin --at poly.cu:54").contains("+0x90"));
    fs::write(dir.join("s.csv"), "function,pc,count\npolyeval,0x60,5\npolyeval,0x70,2\n").unwrap();
    let samples = said(dir, "lines --ptx poly.ptx poly.cubin --samples s.csv");
    assert!(samples.contains("5  horner3 at poly.cuh:14:30 (inlined) [from the PTX]"), "{samples}");
    assert!(samples.contains("2  muladd at poly.cuh:14:44 (inlined) [from the PTX]"), "{samples}");
    let gnu = said(dir, "lines --ptx poly.ptx poly.cubin --style gnu polyeval+0x70");
    assert_eq!(gnu, "muladd\npoly.cuh:14\nhorner\npoly.cuh:14\npolyeval\npoly.cu:53\n");
}

#[test]
fn bug_66_two_functions_at_one_call_site() {
    let Some(dir) = assembled("66", "-lineinfo -arch=sm_86 pack.ptx -o pack.cubin") else { return };
    let dir = dir.path();
    let listing = said(dir, "lines --ptx pack.ptx pack.cubin");
    assert!(listing.contains("low at pack.cuh:4:12 (inlined) <- pack at pack.cu:72:13  |"), "{listing}");
    assert!(
        listing.contains("high at pack.cuh:9:12 (inlined) [from the PTX] <- pack at pack.cu:72:13  |"),
        "{listing}"
    );
    let coverage = said(dir, "coverage --ptx pack.ptx pack.cubin");
    assert!(coverage.contains("high inlined at pack.cu:72: 1 instruction"), "{coverage}");
    assert_eq!(lost_lines(dir, "pack.ptx"), [14]);
}

/// Bug 67: the call around the first instruction, and the file of the next call site.
#[test]
fn bug_67_the_call_around_the_first_instruction() {
    let Some(dir) = assembled("67", "-c -lineinfo -arch=sm_100 clampf.ptx -o c100.cubin") else { return };
    let dir = dir.path();
    let listing = chains(&said(dir, "lines --ptx clampf.ptx c100.cubin"));
    assert_eq!(
        listing[..2],
        [
            "satisfy at /w/sat.h:9:12 (inlined) [from the PTX] <- clampf at /w/tone.cu:66:17 [from the PTX]",
            "satisfy at /w/sat.h:10:12 (inlined) <- clampf at /w/tone.cu:66:17 [from the PTX]",
        ]
    );
    // Without the PTX nothing is known, and nothing is said.
    assert!(!said(dir, "lines c100.cubin").contains("from the PTX"));
    let coverage = said(dir, "coverage --ptx clampf.ptx c100.cubin");
    assert!(coverage.contains("satisfy inlined at /w/tone.cu:66: 2 instructions"), "{coverage}");
    assert!(said(dir, "verify --ptx clampf.ptx c100.cubin").contains("note[L107]"));
    assert_eq!(lost_lines(dir, "clampf.ptx"), [11, 13]);
    // Up to sm_89 ptxas keeps the call.
    let text = fs::read_to_string(dir.join("clampf.ptx")).unwrap().replace("sm_100", "sm_80");
    fs::write(dir.join("old.ptx"), text).unwrap();
    assert_eq!(lost_lines(dir, "old.ptx"), [0; 0]);
}

#[test]
fn bug_67_call_sites_on_the_line_of_their_code() {
    let Some(dir) = assembled("67", "-lineinfo -arch=sm_120 macros.ptx -o m.cubin") else { return };
    let dir = dir.path();
    let listing = said(dir, "lines --ptx macros.ptx m.cubin");
    for chain in [
        "hash at /w/storm.cu:31:120 (inlined) <- macros at /w/storm.cu:30:3  |",
        "macros at /w/storm.cu:31:3 [from the PTX]  |",
        "foldx at /w/storm.cu:31:140 (inlined) [from the PTX] <- hash at /w/storm.cu:31:77 (inlined) [from the PTX] <- macros at /w/storm.cu:31:3  |",
    ] {
        assert!(listing.contains(chain), "{listing}");
    }
    let coverage = said(dir, "coverage --ptx macros.ptx m.cubin");
    assert!(coverage.contains("foldx inlined at /w/storm.cu:31: 1 instruction"), "{coverage}");
    assert!(coverage.contains("hash inlined at /w/storm.cu:30: 1 instruction"), "{coverage}");
    assert!(!coverage.contains("nothing that the PTX names is lost"), "{coverage}");
    assert_eq!(lost_lines(dir, "macros.ptx"), [13, 15, 17]);
}

/// The lines of the PTX at which `check` says that a call is lost.
fn lost_lines(dir: &Path, ptx: &str) -> Vec<u64> {
    let document = json::only(&driver(dir, &format!("check --no-sources --format json {ptx}")));
    let findings = document["findings"].as_array().unwrap().iter();
    let lost = findings.filter(|finding| finding["code"] == "L023");
    lost.map(|finding| finding["line"].as_u64().unwrap()).collect()
}
