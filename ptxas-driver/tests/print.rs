//! `print`: the same bytes, or the canonical layout.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use std::fs;
use std::process::{Command, Output};

fn print(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ptxas-driver")).arg("print").args(args).output().unwrap()
}

#[test]
fn prints_the_same_bytes() {
    let example = support::repository().join("examples/saxpy/saxpy.ptx");
    let path = example.to_str().unwrap();
    let output = print(&[path]);
    assert!(output.status.success() && output.stdout == fs::read(&example).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join("odd.ptx");
    let bytes = b".version 8.0\r\n\x01.target \xff sm_90 /* \xe9";
    fs::write(&odd, bytes).unwrap();
    let output = print(&[odd.to_str().unwrap()]);
    assert_eq!(output.stdout, bytes);
    assert_eq!(output.status.code(), Some(1), "syntax errors are told");
    assert!(!output.stderr.is_empty());
}

#[test]
fn the_canonical_layout_is_stable() {
    let example = support::repository().join("examples/saxpy/saxpy.ptx");
    let folder = tempfile::tempdir().unwrap();
    let once = folder.path().join("once.ptx");
    let output = print(&["--normalise", example.to_str().unwrap(), "-o", once.to_str().unwrap()]);
    assert!(output.status.success() && output.stdout.is_empty());
    let text = fs::read(&once).unwrap();
    assert_ne!(text, fs::read(&example).unwrap());
    assert_eq!(print(&["--normalise", once.to_str().unwrap()]).stdout, text);
}

#[test]
fn what_cannot_be_read_or_written() {
    let example = support::repository().join("examples/saxpy/saxpy.ptx");
    let example = example.to_str().unwrap();
    for args in [&["/does/not/exist.ptx"][..], &["/"], &[example, "-o", "/does/not/exist/x.ptx"], &[]] {
        assert_eq!(print(args).status.code(), Some(2), "{args:?}");
    }
}
