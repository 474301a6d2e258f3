//! Fuzz target: lists, look-up tables, names, macros, strings or an expression of any bytes. What
//! is read fills the section.
//!
//! The first byte chooses the section. gimli accepts the same bytes with the same values, but for
//! the reasons that the functions of `lists` list, and operations of expressions are as long as it
//! says. What `dwarf2-writer` can express is written again: to the same bytes where no number was
//! padded, and to bytes that stay the same in any case.

use crate::Target;
use crate::oracle::{expressions, lists, written};
use crate::seeds::sections_of;
use crate::support::{assert_filled, assert_written};
use dwarf2_reader::{aranges, expression, loc, macinfo, pubnames, ranges, strings};
use nv_debug_sections::catalog::SectionKind;

/// Sections of the examples by the number that chooses them.
const KINDS: [(u8, SectionKind); 3] =
    [(0, SectionKind::DebugLoc), (4, SectionKind::DebugMacinfo), (5, SectionKind::DebugStr)];
const EXPRESSION: u8 = 6;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(50_000, 100);
    let mut seeds = Vec::new();
    for (choice, kind) in KINDS {
        seeds.extend(sections_of(&[kind]).iter().map(|section| [&[choice], &section[..]].concat()));
    }
    // A list with a base, a set of ranges and one of names, a file with macros, and operations with
    // operands of each kind.
    seeds.push([&[1][..], &[0xff; 8], &[0x10, 0, 0, 0, 0, 0, 0, 0, 1], &[0; 7], &[2], &[0; 23]].concat());
    let header = b"\x02\x2c\0\0\0\x02\0\0\0\0\0\x08\0\0\0\0\0";
    seeds.push([&header[..], &[0x10], &[0; 7], &[0x20], &[0; 23]].concat());
    seeds.push(b"\x03\x14\0\0\0\x02\0\0\0\0\0\x20\0\0\0\x0b\0\0\0k\0\0\0\0\0".to_vec());
    seeds.push(b"\x04\x03\0\x01\x01\x05A 1\0\x02\x06A\0\x04\xff\x07x\0\0".to_vec());
    seeds.push(b"\x06\x03\0\0\0\0\0\0\0\0\x08\x01\x0d\xff\xff\xff\xff\x10\x80\x01\x11\x7f\x90\x05\x92\x81\x01\x02\x9d\x08\x00\x9e\x02ab\x9f".to_vec());
    target.run_on_damaged(50_000, &seeds);
}

pub(crate) fn run(data: &[u8]) {
    let Some((choice, section)) = data.split_first() else { return };
    let whole = 0..section.len() as u64;
    match choice % 7 {
        0 => {
            assert_filled(whole, loc::items(section, 0, |_| false));
            lists::compare_locations(section);
            assert_written(section, written::loc_lists);
        }
        1 => {
            assert_filled(whole, ranges::items(section, 0, |_| false));
            lists::compare_ranges(section);
        }
        2 => {
            assert_filled(whole, aranges::items(section, |_| false));
            lists::compare_addresses(section);
            assert_written(section, written::address_ranges);
        }
        3 => {
            for name in [".debug_pubnames", ".debug_pubtypes"] {
                assert_filled(whole.clone(), pubnames::items(name, section));
                lists::compare_names(name, section);
                assert_written(section, |section| written::names(name, section));
            }
        }
        4 => {
            assert_filled(whole, macinfo::items(section, 0));
            lists::compare_macros(section);
            assert_written(section, written::macros);
        }
        5 => {
            assert_filled(whole, strings::strings(section));
            lists::compare_strings(section);
            assert_written(section, written::string_table);
        }
        EXPRESSION.. => {
            let all = expression::operations(section);
            assert_filled(whole, all.map(|item| item.map(|operation| (operation.span.clone(), operation))));
            expressions::compare(section);
        }
    }
}
