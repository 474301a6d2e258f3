//! Fuzz target: any text through the repairs of `check --fix`. Edits ascend, cut no character, and
//! a second repair changes nothing.

use crate::Target;
use crate::seeds::faulty_modules;
use dwarf2_reader::PathMap;
use ptx_syntax::fix::{FixSelection, REPAIRS, Repair, apply, edits, fix};
use ptx_syntax::parse;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(1_000, 200);
    target.run_on_damaged(5_000, &faulty_modules());
}

/// Takes `data` (bytes that are not UTF-8 are replaced) and repairs it: each repair alone, the
/// defaults, all but strips.
pub(crate) fn run(data: &[u8]) {
    let text = &*String::from_utf8_lossy(data);
    let all: Vec<Repair> = REPAIRS.iter().map(|info| info.repair).collect();
    let map = |old: &str, new: &str| PathMap { old: old.to_owned(), new: new.to_owned() };
    let path_map = vec![map("a", "ab"), map("/", "")];
    let fixes = FixSelection { path_map, ..FixSelection::of(all.get(2..).unwrap_or(&[])) };
    for &repair in &all {
        check_edits(text, repair, &fixes);
        check_fix(text, &FixSelection { repairs: vec![repair], ..fixes.clone() });
    }
    check_fix(text, &FixSelection::default());
    check_fix(text, &fixes);
}

/// Edits ascend, cut no character, and only they change the text.
fn check_edits(text: &str, repair: Repair, fixes: &FixSelection) {
    let edits = edits(&parse(text), repair, fixes);
    let mut expected = String::new();
    let mut at = 0;
    for edit in &edits {
        let (start, end) = (edit.range.start as usize, edit.range.end as usize);
        assert!(at <= start && text.get(start..end).is_some(), "{repair:?}: {edit:?}");
        expected.push_str(&text[at..start]);
        expected.push_str(&edit.replacement);
        at = end;
    }
    expected.push_str(&text[at..]);
    assert_eq!(apply(text, &edits), expected);
}

fn check_fix(text: &str, fixes: &FixSelection) {
    let fixed = fix(text, fixes);
    assert_eq!(fixed.applied.is_empty(), fixed.text == text);
    let again = fix(&fixed.text, fixes);
    assert_eq!(again.text, fixed.text, "{:?} then {:?}", fixed.applied, again.applied);
}
