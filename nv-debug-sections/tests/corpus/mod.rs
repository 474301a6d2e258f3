//! The shared corpus and the real tools, when they are there.

#![allow(dead_code)] // each test binary uses its own part
#![allow(clippy::print_stderr, clippy::unwrap_used)] // a skip must be seen; a panic is a failed test

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) struct Cubins {
    pub(crate) paths: Vec<PathBuf>,
}

impl Cubins {
    /// All cubins, sorted by path; `None`, said aloud, without the corpus.
    pub(crate) fn open() -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/out");
        if !root.is_dir() {
            eprintln!("skipped: no corpus at {}", root.display());
            return None;
        }
        let mut paths = files_under(root);
        paths.retain(|p| p.extension().is_some_and(|e| e == "cubin"));
        paths.sort();
        assert!(!paths.is_empty(), "the corpus has no cubins");
        Some(Self { paths })
    }
}

fn files_under(root: PathBuf) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![root]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files
}

pub(crate) fn file(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A tool of the oracle environment (`NVDWARF_ORACLE`, else `~/.cache/nvdwarf/oracle-13.0.88`); `None`, said aloud,
/// without it.
///
/// # Panics
///
/// If it is missing and `REQUIRE_ORACLES=1`.
pub(crate) fn oracle(tool: &str) -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(|h| Path::new(&h).join(".cache/nvdwarf/oracle-13.0.88"));
    let root = std::env::var_os("NVDWARF_ORACLE").map(PathBuf::from).or(home);
    let library = root.iter().flat_map(|r| fs::read_dir(r.join("lib"))).flatten();
    let found =
        library.flatten().map(|python| python.path().join("site-packages/nvidia/cu13/bin").join(tool));
    let found = found.into_iter().find(|path| path.is_file());
    if found.is_none() {
        let text = format!("no {tool} in {root:?} (tools/oracle.sh installs it)");
        assert!(std::env::var_os("REQUIRE_ORACLES").is_none_or(|v| v != "1"), "{text}");
        eprintln!("skipped: {text}");
    }
    found
}
