//! The container against every cubin of the corpus, and against bytes that are no cubin.

mod corpus;

use corpus::{Cubins, file};
use nv_debug_sections::cubin::{Contents, Cubin};
use nv_debug_sections::relocated::Relocated;

#[test]
fn reading_and_writing_gives_the_same_bytes() {
    let Some(cubins) = Cubins::open() else { return };
    let (mut same, mut stored) = (0, 0);
    let mut different = Vec::new();
    for path in &cubins.paths {
        let bytes = file(path);
        let cubin = Cubin::parse(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display())).into_owned();
        let written = cubin.write().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        stored += cubin.sections.iter().filter(|s| s.slack.is_some()).count();
        if written == bytes {
            same += 1;
        } else {
            let at = written.iter().zip(&bytes).position(|(a, b)| a != b);
            different.push(format!("{}: {at:x?} of {:#x}, {:#x}", path.display(), written.len(), bytes.len()));
        }
    }
    eprintln!("identical: {same}/{} cubins, {stored} stored gaps", cubins.paths.len());
    assert!(different.is_empty(), "{different:#?}");
}
