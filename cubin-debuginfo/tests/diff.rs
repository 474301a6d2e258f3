//! `diff`: what two cubins say differently. `ptxas-driver/tests/diff.rs` has a case for each kind
//! of difference.
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

use cubin_debuginfo::diff::{CubinFacts, DifferenceKind, Differences, TextHasher};
use nv_debug_sections::cubin::{Contents, Cubin};
use std::collections::BTreeSet;

/// Made by `examples/make.sh`: -g for sm_75.
const SAXPY: &[u8] = include_bytes!("../../examples/saxpy/saxpy-debug.cubin");

fn facts(file: &[u8], hashes: &TextHasher) -> CubinFacts {
    CubinFacts::new(&Cubin::parse(file).unwrap(), file.len(), hashes).unwrap()
}

fn differences(a: &[u8], b: &[u8], limit: usize) -> Differences {
    let hashes = TextHasher::default();
    let mut found = facts(a, &hashes).compare(&facts(b, &hashes), |_| true, limit);
    if found.needs_texts() {
        for file in [a, b] {
            found.look_up_texts(&Cubin::parse(file).unwrap(), file.len(), &hashes);
        }
    }
    found.resolve()
}

/// The example with the first place of some bytes in a section changed.
fn changed(section: &str, from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut cubin = Cubin::parse(SAXPY).unwrap();
    let index = cubin.section_by_name(section).unwrap().as_usize();
    let Contents::Bytes(bytes) = &mut cubin.sections[index].contents else { panic!("{section}") };
    let at = bytes.windows(from.len()).position(|window| window == from).unwrap();
    bytes.to_mut()[at..at + to.len()].copy_from_slice(to);
    cubin.write().unwrap()
}

#[test]
fn a_cubin_is_as_itself() {
    assert_eq!(differences(SAXPY, SAXPY, usize::MAX), Differences::default());
}

/// Texts of what differs are those of each side; the limit is for what is kept, not for what is
/// counted.
#[test]
fn both_sides_of_a_difference_have_their_texts() {
    let other = changed(".debug_info", b"fused\0", b"qused\0");
    let all = differences(SAXPY, &other, usize::MAX);
    assert_eq!(all.counts.keys().collect::<Vec<_>>(), [&DifferenceKind::Entries]);
    assert_eq!(all.counts[&DifferenceKind::Entries], all.kept.len());
    for one in &all.kept {
        assert_ne!(one.a, one.b, "{one:?}");
        assert!(one.a.as_ref().is_some_and(|text| text.contains("fused")), "{one:?}");
        assert!(one.b.as_ref().is_some_and(|text| text.contains("qused")), "{one:?}");
    }
    let first = differences(SAXPY, &other, 1);
    assert_eq!((first.kept.as_slice(), first.counts), (&all.kept[..1], all.counts));
}

/// What cannot be read is said with its kind, and all else is compared.
#[test]
fn what_cannot_be_read_is_told() {
    // A version that DWARF does not have.
    let broken = changed(".debug_info", &[2, 0], &[9, 0]);
    let hashes = TextHasher::default();
    let (sound, broken) = (facts(SAXPY, &hashes), facts(&broken, &hashes));
    assert_eq!(sound.unread(), []);
    let unread: Vec<_> = broken.unread().iter().map(|unread| unread.key).collect();
    assert_eq!(unread, [DifferenceKind::Entries], "{:?}", broken.unread());
    let wants = |key| !matches!(key, DifferenceKind::Entries);
    assert!(!sound.compare(&broken, wants, usize::MAX).needs_texts());
}

#[test]
fn each_kind_has_a_name_of_its_own() {
    let names: BTreeSet<&str> = DifferenceKind::all().map(DifferenceKind::name).collect();
    assert_eq!(names.len(), DifferenceKind::all().count());
    assert!(DifferenceKind::all().is_sorted());
    for key in DifferenceKind::all() {
        assert_eq!(DifferenceKind::from_name(key.name()), Some(key));
        assert!(!key.meaning().is_empty());
    }
    assert_eq!(DifferenceKind::from_name("colour"), None);
}
