//! The shared corpus, when it is there.

#![allow(dead_code)] // each test binary uses its own part

use std::fs;
use std::path::{Path, PathBuf};

pub struct Cubins {
    pub paths: Vec<PathBuf>,
}

impl Cubins {
    /// All cubins, sorted by path; `None`, said aloud, without the corpus.
    pub fn open() -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/out");
        if !root.is_dir() {
            eprintln!("skipped: no corpus at {}", root.display());
            return None;
        }
        let mut paths = Vec::new();
        let mut folders = vec![root];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "cubin") {
                    paths.push(path);
                }
            }
        }
        paths.sort();
        assert!(!paths.is_empty(), "the corpus has no cubins");
        Some(Self { paths })
    }
}

pub fn file(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
