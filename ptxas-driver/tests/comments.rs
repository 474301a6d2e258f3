//! How comments look: they wrap at 100 columns.

#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// Widest line of a comment, in characters.
const COLUMNS: usize = 100;

/// Code in a comment, rows of tables and words that are longer alone may be wider.
#[test]
fn comments_wrap_at_100_columns() {
    let mut wide = Vec::new();
    let is_source = |name: &str| !name.starts_with('.') && name != "target" && name != "corpus";
    let entries = WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).into_iter();
    let entries =
        entries.filter_entry(|entry| entry.depth() == 0 || entry.file_name().to_str().is_some_and(is_source));
    for entry in entries {
        let path = entry.unwrap().into_path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else {
                is_code = false;
                continue;
            };
            let words = comment.trim_start_matches(['/', '!']).trim();
            is_code ^= words.starts_with("```");
            let is_prose = !is_code && !words.starts_with('|') && words.contains(' ');
            if is_prose && line.chars().count() > COLUMNS {
                wide.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    assert!(wide.is_empty(), "comments that are wider than {COLUMNS} columns: {wide:#?}");
}
