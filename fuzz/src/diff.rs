//! Fuzz target: a cubin, compared with itself and with an undamaged one.
//!
//! Nothing differs from itself. The same kinds of things differ whichever file comes first, and the
//! texts of what differs can be looked up in both.

use crate::Target;
use crate::seeds::files;
use cubin_debuginfo::diff::{CubinFacts, DifferenceKind, Differences, TextHasher};
use nv_debug_sections::cubin::Cubin;

/// How many differences of a kind are kept.
const LIMIT: usize = 50;

/// A whole cubin, with lines and code alone.
const OTHER: &[u8] = include_bytes!("../../examples/saxpy/saxpy.cubin");

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(200, 200);
    target.run_on_damaged(1_000, &files("cubin"));
}

/// Compares `data`, if it is a cubin.
pub(crate) fn run(data: &[u8]) {
    let Ok(cubin) = Cubin::parse(data) else { return };
    let other = Cubin::parse(OTHER).expect("a whole file");
    let hashes = TextHasher::default();
    let Ok(facts) = CubinFacts::new(&cubin, data.len(), &hashes) else { return };
    for unread in facts.unread() {
        assert!(!unread.error.to_string().is_empty());
    }
    let itself = facts.compare(&facts, |_| true, LIMIT);
    assert!(!itself.needs_texts() && itself.resolve().counts.is_empty());

    let others = CubinFacts::new(&other, OTHER.len(), &hashes).expect("it says little");
    let compare = |a: &CubinFacts, b: &CubinFacts| {
        let mut found = a.compare(b, |_| true, LIMIT);
        found.look_up_texts(&cubin, data.len(), &hashes);
        found.look_up_texts(&other, OTHER.len(), &hashes);
        found.resolve()
    };
    let (there, back) = (compare(&facts, &others), compare(&others, &facts));
    let keys =
        |differences: &Differences| differences.counts.keys().copied().collect::<Vec<DifferenceKind>>();
    assert_eq!(keys(&there), keys(&back));
    for difference in there.kept.iter().chain(&back.kept) {
        assert!(difference.a != difference.b, "{difference:?}");
    }
    assert!(facts.other_file_stats(&others).len() == others.other_file_stats(&facts).len());
}
