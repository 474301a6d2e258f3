//! The corpus.
#![allow(dead_code)] // each test uses some
#![allow(clippy::print_stderr, clippy::unwrap_used)] // a skip must be seen; a panic is a failed test

use std::fs;
use std::path::{Path, PathBuf};

/// Every cubin of the corpus; none, and a message, where it is not there.
pub(crate) fn cubins() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/out");
    if !root.is_dir() {
        eprintln!("skipped: no corpus at {}", root.display());
        return Vec::new();
    }
    let (mut files, mut folders) = (Vec::new(), vec![root]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "cubin") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
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
