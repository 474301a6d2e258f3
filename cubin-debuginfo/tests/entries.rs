//! Entries of the corpus.
#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use cubin_debuginfo::entries::{Entries, Value};
use nv_debug_sections::cubin::Cubin;
use std::fs;

/// Every function with code of its own is in the file, and no attribute has a value that is not
/// understood.
#[test]
fn entries_of_the_corpus_are_read() {
    let (mut files, mut entries, mut code) = (0, 0, 0);
    let paths = support::cubins();
    for path in paths {
        let bytes = fs::read(&path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        let all = Entries::read(&cubin).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        files += usize::from(all.count() > 0);
        for (number, entry) in all.iter().enumerate() {
            entries += 1;
            assert_eq!(all.at(entry.offset()), Some(number));
            assert_eq!(all.ancestors(number).count(), entry.depth());
            for attribute in entry.attributes() {
                assert!(!matches!(attribute.value, Value::Other(_)), "{}: {entry:?}", path.display());
            }
            if let Some((section, range)) = entry.code() {
                code += 1;
                let size = cubin.bytes(section).unwrap().len() as u64;
                assert!(range.end <= size || size == 0, "{}: {entry:?}", path.display());
            }
        }
    }
    eprintln!("{files} files with {entries} entries, {code} of them of code");
    assert!(files > 0 && entries > files && code > files);
}
