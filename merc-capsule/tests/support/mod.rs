//! The corpus.

#![allow(dead_code)] // each test uses some
#![allow(clippy::print_stderr, clippy::unwrap_used)] // a skip must be seen; a panic is a failed test

#[path = "../../../corpus/root.rs"]
pub(crate) mod corpus_root;

use nv_debug_sections::cubin::Cubin;
use std::fs;
use std::path::{Path, PathBuf};

/// Every cubin of the corpus.
pub(crate) fn cubins() -> Vec<PathBuf> {
    corpus_root::files("cubin")
}

/// Cubins whose clones are not made again: with sections of names that no debugger knows, and with
/// two rules of one instruction.
const ODD: [&str; 2] = ["own_sections.", "relocatable_frames."];

/// Every cubin of the corpus or, where it is not there, the small ones of this repository.
pub(crate) fn cubins_or_pairs() -> Vec<PathBuf> {
    let corpus = cubins();
    if !corpus.is_empty() {
        return corpus;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptxas-driver/tests/pairs");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.ends_with(".cubin") && !ODD.iter().any(|stem| name.starts_with(stem))
    });
    files.sort();
    files
}

/// Calls `look` with every cubin for sm_100 and later that ptxas 13.0 wrote, of
/// [`cubins_or_pairs`]. Gives how many there are.
pub(crate) fn each_capsule(mut look: impl FnMut(&Path, &Cubin<'_>)) -> usize {
    let mut count = 0;
    for path in cubins_or_pairs() {
        let bytes = fs::read(&path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        if cubin.header.sm() >= 100 && !other_writer(&path) {
            count += 1;
            look(&path, &cubin);
        }
    }
    count
}

/// Cubins whose writer knows more clones or fewer aliases than ptxas 13.0: nvlink, and Triton's
/// ptxas 13.4.
pub(crate) fn other_writer(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy();
    name.contains("linked") || name.contains(".own.")
}
