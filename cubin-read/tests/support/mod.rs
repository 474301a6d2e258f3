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
