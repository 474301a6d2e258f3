//! `check`: the right answers of ../shared/bugs, and long lines. Its command line is in
//! `cli/check.md` and `cli/fix.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::driver::run;
use crate::support::json;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn check(args: &[&str]) -> Output {
    run(&[&["check"], args].concat())
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

/// Of every PTX input: the number, and the rule that its EXPECT.md calls for, with the line it
/// names (0: any).
const BUGS: [(&str, &str, u64); 16] = [
    ("01", "D005", 58),
    ("03", "V111", 57),
    ("05", "D008", 57),
    ("07", "T001", 2),
    ("09", "F008", 8),
    ("11", "F001", 23),
    ("13", "L010", 13),
    ("15", "S006", 23),
    ("17", "W002", 0),
    ("19", "P002", 22),
    ("21", "L014", 17),
    ("23", "L014", 12),
    ("25", "F007", 0),
    ("27", "L007", 0),
    ("36", "W021", 73),
    ("46", "F011", 0),
];

/// Inputs that are sound as PTX; what is wrong in them is for readers of cubins to see.
const SOUND: [&str; 8] = ["28", "30", "32", "34", "38", "40", "46", "48"];

fn input(number: &str) -> Option<PathBuf> {
    Some(support::bug(number)?.join("input.ptx"))
}

fn document(path: &Path) -> Value {
    let output = check(&["--json", path.to_str().unwrap()]);
    let document = json::document(&output);
    assert_eq!(document["schema"], "nvdwarf.check");
    document
}

#[test]
fn bugs_have_their_finding() {
    for (number, code, line) in BUGS {
        let Some(path) = input(number) else { return };
        let document = document(&path);
        let findings = document["files"][0]["findings"].as_array().unwrap();
        let found =
            findings.iter().any(|finding| finding["code"] == code && (line == 0 || finding["line"] == line));
        assert!(found, "{number}: no {code} on line {line} in {findings:#?}");
    }
    for number in SOUND {
        let Some(path) = input(number) else { return };
        let document = document(&path);
        let findings = document["files"][0]["findings"].as_array().unwrap();
        assert!(findings.iter().all(|finding| finding["severity"] != "error"), "{number}: {findings:#?}");
        assert_eq!(document["files"][0]["verdict"]["g"], Value::Null, "{number}");
    }
}

/// Bug 42: line information that was not asked for is said, and is not a finding.
#[test]
fn lines_without_option_is_a_note() {
    let Some(path) = input("42") else { return };
    let document = document(&path);
    let findings = document["files"][0]["findings"].as_array().unwrap();
    let note = findings.iter().find(|finding| finding["code"] == "L016").unwrap();
    assert_eq!(note["severity"], "note");
}

#[test]
fn long_names_and_lines_are_cut() {
    let folder = Folder::new();
    let name = "n".repeat(100_000);
    let path = folder.file("in.ptx", format!("{}.func {name};\n.func {name};\n", "\u{e9}".repeat(100_000)));
    let output = check(&[&path]);
    assert!(output.stdout.len() < 10_000, "{}", output.stdout.len());
}

/// What is in ../shared/bugs and has a repair is accepted by the real ptxas afterwards.
#[test]
fn repaired_bugs_are_accepted() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let folder = Folder::new();
    for number in ["01", "03", "07", "09", "11", "19"] {
        let Some(input) = input(number) else { return };
        let path = folder.file("in.ptx", fs::read(&input).unwrap());
        let target = fs::read_to_string(&path).unwrap();
        let arch = target.split("sm_").nth(1).unwrap().split(|c: char| !c.is_ascii_digit()).next().unwrap();
        for options in [["-lineinfo"], ["-g"]] {
            // Not a copy: the bugs are read-only files, which --fix does not replace.
            fs::write(&path, fs::read(&input).unwrap()).unwrap();
            let before = assemble(&ptxas, arch, &options, &path);
            assert!(!before, "{number} {options:?} was accepted before");
            check(&["--fix", &path]);
            assert!(assemble(&ptxas, arch, &options, &path), "{number} {options:?}");
        }
    }
}

fn assemble(ptxas: &Path, arch: &str, options: &[&str], input: &str) -> bool {
    let run = Command::new(ptxas)
        .arg(format!("-arch=sm_{arch}"))
        .args(options)
        .args([input, "-o"])
        .arg(format!("{input}.cubin"))
        .output();
    run.unwrap().status.success()
}
