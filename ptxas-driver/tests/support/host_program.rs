//! A program for the CPU, on which the tools are run whose forms `lines --style` has.
#![allow(dead_code, unreachable_pub, reason = "each test program uses its own part")]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

const SOURCE: &str = "static inline __attribute__((always_inline)) void leaf(volatile int *p) {\n  *p = 3;\n}\n\
                      void top(volatile int *p) {\n  leaf(p);\n}\nint main() {\n  volatile int x;\n  top(&x);\n}\n";

/// A host program with an inlined call.
#[derive(Debug)]
pub struct HostProgram {
    /// Where it is, as long as this value lives.
    pub path: PathBuf,
    /// The first address that addr2line knows as inlined, such as `0x1129`.
    pub inlined: String,
    _folder: tempfile::TempDir,
}

impl HostProgram {
    /// Compiles it. `None` where a tool is missing and may be; the test then returns.
    pub fn with_an_inlined_call() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let (source, path) = (folder.path().join("h.cpp"), folder.path().join("h"));
        fs::write(&source, SOURCE).unwrap();
        let made = Command::new("c++")
            .args(["-g", "-O1", "-fno-inline-small-functions"])
            .arg(&source)
            .arg("-o")
            .arg(&path)
            .output();
        if !made.is_ok_and(|made| made.status.success()) {
            super::skip("a C++ compiler", "REQUIRE_ORACLES");
            return None;
        }
        let symbols = Command::new("nm").arg(&path).output().ok()?.stdout;
        let symbols = String::from_utf8(symbols).unwrap();
        let top = symbols.lines().find(|line| line.ends_with(" _Z3topPVi"))?;
        let start = u64::from_str_radix(top.split(' ').next()?, 16).unwrap();
        let is_inlined = |address: &String| {
            let said = Command::new("addr2line").args(["-fi", "-e"]).arg(&path).arg(address).output();
            said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).lines().count() == 4)
        };
        let inlined = (start..start + 16).map(|address| format!("{address:#x}")).find(is_inlined)?;
        Some(Self { path, inlined, _folder: folder })
    }
}
