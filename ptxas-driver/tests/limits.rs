//! Bounds on work, memory and text stand in the file `limits.rs` of their crate.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};

/// Words in the names of constants that are bounds.
const WORDS: [&str; 6] = ["MAX", "MOST", "LARGEST", "LONGEST", "LIMIT", "BUDGET"];

/// Limits of a format, of a tool that is modelled, and of bit fields: they stand with the code that
/// they are about.
const LIMITS_OF_FILES: [&str; 11] = [
    "MAX", // the opcode of an instruction
    "MAX_ATTRIBUTES",
    "MAX_DEPTH",
    "MAX_ENTRY_ROW",
    "MAX_INDEX",
    "MAX_PACKED_NAME",
    "MAX_PROGRAM",
    "MAX_SHAPES",
    "MAX_SHORT_FUNCTIONS",
    "MAX_VECTOR_BITS",
    "LONGEST_NAME",
];

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push(path);
        }
    }
}

/// The name of the constant that a line declares.
fn constant(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("const ")?;
    let is_visibility = before.trim().is_empty() || before.trim().starts_with("pub");
    after.split_once(": ").map(|(name, _)| name).filter(|_| is_visibility)
}

#[test]
fn bounds_stand_in_limits() {
    let mut misplaced = Vec::new();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut crates = 0;
    for entry in fs::read_dir(workspace).unwrap() {
        let folder = entry.unwrap().path().join("src");
        let limits = folder.join("limits.rs");
        if !limits.is_file() {
            continue;
        }
        crates += 1;
        let mut files = Vec::new();
        sources(&folder, &mut files);
        for path in files.iter().filter(|path| **path != limits) {
            let text = fs::read_to_string(path).unwrap();
            let names = text.lines().filter_map(constant).filter(|name| !LIMITS_OF_FILES.contains(name));
            let bounds = names.filter(|name| name.split('_').any(|word| WORDS.contains(&word)));
            misplaced.extend(bounds.map(|name| format!("{name} in {}", path.display())));
        }
    }
    assert!(crates >= 8, "{crates} crates have a limits.rs");
    let rule = "belongs into limits.rs, with a reason; a limit of a format is listed in this test";
    assert!(misplaced.is_empty(), "{rule}:\n{}", misplaced.join("\n"));
}
