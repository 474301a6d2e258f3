//! The corpus, and a tool, when they are there.
#![allow(dead_code)] // each test uses some
#![allow(clippy::unwrap_used)] // a panic is a failed test

#[path = "../../../corpus/root.rs"]
pub(crate) mod corpus_root;

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, io};

/// Says that something is missing, past the harness' capture, or fails where `required` (a
/// variable's name) is set to 1.
pub(crate) fn skip(what: &str, required: &str) {
    let name = std::thread::current().name().unwrap_or("?").to_owned();
    assert!(env::var_os(required).is_none_or(|value| value != "1"), "{what} is missing and {required}=1");
    let _ = writeln!(io::stderr(), "skipped: {name}: {what} is missing");
}

/// What a tool of the system prints of a file; `None` where it is missing and may be.
pub(crate) fn printed(tool: &str, option: &str, file: &Path) -> Option<String> {
    match Command::new(tool).args([OsStr::new(option), file.as_os_str()]).output() {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            skip(tool, "REQUIRE_ORACLES");
            None
        }
        Err(error) => panic!("{tool}: {error}"),
    }
}

/// Every cubin of the corpus.
pub(crate) fn cubins() -> Vec<PathBuf> {
    corpus_root::files("cubin")
}

/// A generator of numbers, the same ones on every run (xorshift64*, Vigna 2016).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit.max(1)
    }

    /// Changes a few bytes, most to numbers that are a limit of something.
    pub(crate) fn mutate(&mut self, bytes: &mut [u8]) {
        const ODD: [u8; 6] = [0, 1, 0x7f, 0x80, 0xff, 0x10];
        for _ in 0..=self.below(8) {
            let at = self.below(bytes.len());
            let run = 1 + self.below(4);
            let value = if self.below(2) == 0 { ODD[self.below(ODD.len())] } else { self.below(256) as u8 };
            bytes.iter_mut().skip(at).take(run).for_each(|byte| *byte = value);
        }
    }
}
