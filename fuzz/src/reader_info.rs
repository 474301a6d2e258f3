//! Fuzz target: `.debug_info` and `.debug_abbrev` of any bytes. Reading them ends, and the items of
//! a unit fill it.
//!
//! The input is the length of `.debug_abbrev` in 4 bytes, and both sections. gimli accepts the same
//! bytes with the same values, but for the reasons that `entries::compare` lists. What
//! `dwarf2-writer` can express is written again: to the same bytes where no number was padded, and
//! to bytes that stay the same in any case.

use crate::Target;
use crate::oracle::{entries, written};
use crate::seeds::info_and_abbrev;
use dwarf2_reader::info::{Node, Units};

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 100);
    target.run_on_damaged(10_000, &info_and_abbrev());
}

pub(crate) fn run(data: &[u8]) {
    let Some((length, rest)) = data.split_first_chunk() else { return };
    let (abbrev, info) = rest.split_at((u32::from_le_bytes(*length) as usize).min(rest.len()));
    if let Ok(units) = Units::read(info, abbrev) {
        fills_its_units(&units, info);
    }
    entries::compare(info, abbrev);
    if let Ok((written, written_abbrev)) = written::info(info, abbrev) {
        assert!(written.len() <= info.len());
        if written.len() == info.len() && written_abbrev == abbrev {
            assert_eq!(written, info);
        }
        let again = written::info(&written, &written_abbrev);
        assert_eq!(again, Ok((written, written_abbrev)));
    }
}

/// Units ascend; so do entries and the values of each, which leave nothing out.
fn fills_its_units(units: &Units, info: &[u8]) {
    let mut end = 0;
    for unit in units.all() {
        assert!(end <= unit.span.start && unit.span.start < unit.entries);
        assert!(unit.entries <= unit.span.end && unit.span.end <= info.len() as u64);
        end = unit.span.end;
        let mut at = unit.entries;
        for node in units.nodes(unit, info) {
            let span = match node {
                Err(error) => {
                    assert!(error.offset <= end, "{error}");
                    at = end;
                    break;
                }
                Ok(Node::End(span) | Node::Padding(span)) => span,
                Ok(Node::Entry(entry)) => {
                    let mut value = entry.values();
                    for attribute in entry.attributes() {
                        assert_eq!(attribute.span.start, value);
                        value = attribute.span.end;
                    }
                    let same = units.entry(unit, info, entry.offset()).expect("an entry stands there");
                    assert_eq!((same.tag(), same.span()), (entry.tag(), entry.offset()..value));
                    entry.offset()..value
                }
            };
            assert_eq!(span.start, at);
            at = span.end;
        }
        assert_eq!(at, end);
    }
}
