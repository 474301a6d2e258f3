//! The shared corpus, when it is there.

use std::path::{Path, PathBuf};

/// Every cubin under `../shared/corpus/out`; empty, with a line that says so, when the folder is missing.
pub fn corpus_cubins() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/out");
    if !root.is_dir() {
        assert!(std::env::var_os("REQUIRE_SHARED").is_none(), "{} is missing", root.display());
        eprintln!("skipped: {} is not there", root.display());
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in
            std::fs::read_dir(&folder).expect("a readable folder").map(|entry| entry.expect("an entry"))
        {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "cubin") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
