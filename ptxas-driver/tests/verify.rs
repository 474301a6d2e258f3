//! `verify`: the corpus, and faults that the linker and ptxas make. Its command line is in
//! `cli/verify.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::driver::program;
use crate::support::json;
use crate::support::oracle;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn verify<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Output {
    let mut command = program();
    command.current_dir(support::repository());
    command.arg("verify").args(args).output().unwrap()
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

/// The findings of a file by code.
fn codes(file: &Value) -> BTreeMap<&str, usize> {
    let mut codes = BTreeMap::new();
    for finding in file["findings"].as_array().unwrap() {
        *codes.entry(finding["code"].as_str().unwrap()).or_default() += 1;
    }
    codes
}

/// Exit code and document for one file.
fn document(path: &Path) -> (Option<i32>, Value) {
    let output = verify([path.as_os_str(), OsStr::new("--json")]);
    (code(&output), json::document(&output))
}

#[test]
fn the_corpus_has_no_errors() {
    let entries = support::corpus(|entry| entry.cubin.is_some());
    let files: Vec<PathBuf> = entries.into_iter().filter_map(|entry| entry.cubin).collect();
    let output = verify(files.iter().map(|path| path.as_os_str()).chain([OsStr::new("--json")]));
    let document = json::document(&output);
    let mut all: BTreeMap<&str, usize> = BTreeMap::new();
    for file in document["files"].as_array().unwrap() {
        assert_eq!(file["errors"], 0, "{file}");
        for (code, count) in codes(file) {
            *all.entry(code).or_default() += count;
        }
    }
    assert_eq!(code(&output), Some(0));
    let _ = writeln!(io::stderr(), "{} files: {all:?}", files.len());
}

/// Inputs of `../shared/bugs`: how each is compiled, and what is found in what nvlink makes of it.
type Linked = (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

const LINKED: [Linked; 2] = [
    // One object with full debug information, one with lines, one with nothing.
    (
        "44-link-mixes-debug-and-lineinfo",
        &[("input.cu", "-G"), ("b.cu", "-lineinfo"), ("c.cu", "-w")],
        &["M001"],
    ),
    // Two objects with names of inlined functions.
    ("55-linked-inline-names", &[("input.cu", "-lineinfo"), ("b.cu", "-lineinfo")], &["L102"]),
];

#[test]
fn faults_of_linked_files_are_found() {
    let Some(shared) = support::shared() else { return };
    let (Some(nvcc), Some(nvlink)) = (oracle::tool("nvcc"), oracle::tool("nvlink")) else { return };
    for (input, objects, wanted) in LINKED {
        let folder = tempfile::tempdir().unwrap();
        let linked = folder.path().join("linked.cubin");
        let mut link = Command::new(&nvlink);
        link.arg("-arch=sm_90").arg("-o").arg(&linked);
        for (source, level) in objects {
            let object = folder.path().join(source).with_extension("cubin");
            let mut compile = Command::new(&nvcc);
            compile.args(["-arch=sm_90", "-rdc=true", "-cubin", level]);
            compile.arg(shared.join("bugs").join(input).join(source)).arg("-o").arg(&object);
            let run = compile.output().unwrap();
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
            link.arg(&object);
        }
        assert!(link.output().unwrap().status.success());
        let (exit, document) = document(&linked);
        let found = codes(&document["files"][0]);
        assert_eq!(exit, Some(0), "{input}: {document}");
        assert!(wanted.iter().all(|code| found.contains_key(code)), "{input}: {found:?}");
        let _ = writeln!(io::stderr(), "{input}: {found:?}");
    }
}

/// Inputs that ptxas takes without a word: options, and what is found.
const COMPILED: [(&str, &[&str], &[&str]); 3] = [
    ("17-dwarf-version-5-unit", &["-g"], &["I001"]),
    ("34-stale-high-pc-under-relocation", &["-g"], &[]),
    ("40-relocatable-object-line-table", &["-c", "-lineinfo"], &[]),
];

#[test]
fn faults_that_ptxas_takes_are_found() {
    let Some(shared) = support::shared() else { return };
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cubin");
    for (input, options, wanted) in COMPILED {
        let mut compile = Command::new(&ptxas);
        compile.arg("-arch=sm_90").args(options).arg(shared.join("bugs").join(input).join("input.ptx"));
        assert!(compile.arg("-o").arg(&path).output().unwrap().status.success());
        let (_, document) = document(&path);
        let found = codes(&document["files"][0]);
        let rule = |code: &&str| !code.starts_with('F'); // CIE pointers with -c: a known fault
        let found: Vec<&str> = found.into_keys().filter(rule).collect();
        assert!(wanted.iter().all(|code| found.contains(code)), "{input}: {document}");
        assert!(!wanted.is_empty() || found.is_empty(), "{input}: {document}");
    }
}
