//! Where the corpus is. Tests of several crates include this file.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test uses a part; a panic is a failed test"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the corpus: the larger one beside the checkout, else the part that the repository
/// has.
///
/// # Panics
///
/// The larger one is not there, and `REQUIRE_SHARED` is 1.
pub fn root() -> PathBuf {
    let larger = larger();
    if larger.is_dir() {
        return larger;
    }
    let is_required = std::env::var_os("REQUIRE_SHARED").is_some_and(|value| value == "1");
    assert!(!is_required, "no corpus at {}", larger.display());
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus")
}

/// Whether [`root`] is the larger corpus, which numbers in tests are of.
pub fn is_whole() -> bool {
    larger().is_dir()
}

fn larger() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus")
}

/// The least count that a test expects, which is `of_whole` for the larger corpus: the part has at
/// least a fifth of everything.
pub fn at_least(of_whole: usize) -> usize {
    if is_whole() { of_whole } else { of_whole / 5 }
}

/// The files of the corpus whose names end so, sorted.
pub fn files(extension: &str) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![root().join("out")]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(!files.is_empty(), "no {extension} in the corpus");
    files
}
