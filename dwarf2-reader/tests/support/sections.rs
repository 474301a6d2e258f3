//! Sections with lists, look-up tables, macros and strings: random values as `dwarf2-writer` writes
//! them.
#![allow(unreachable_pub, reason = "a module of tests")]
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

use dwarf2_writer::aranges::ArangeTable;
use dwarf2_writer::loc::{Location, LocationTable};
use dwarf2_writer::macinfo::{Macro, MacroTable};
use dwarf2_writer::pubnames::{NameSet, PubTable};
use dwarf2_writer::strings::StringTable;
use dwarf2_writer::{Address, Expression};
use proptest::collection::vec;
use proptest::prelude::*;

/// `.debug_loc`.
pub fn locations() -> impl Strategy<Value = Vec<u8>> {
    let location = (any::<bool>(), 1..1_u64 << 40, 0..1_u64 << 20, vec(any::<u8>(), 0..30));
    vec(vec(location, 0..6), 0..6).prop_map(|lists| {
        let mut table = LocationTable::new();
        for list in lists {
            let locations = list.into_iter().map(|(is_base, begin, size, bytes)| {
                let (start, end) = (Address::Constant(begin), Address::Constant(begin + size));
                if is_base {
                    return Location::Base(start);
                }
                Location::Range { begin: start, end, location: Expression::from(bytes) }
            });
            table.list(&locations.collect::<Vec<_>>()).unwrap();
        }
        table.finish().bytes
    })
}

/// `.debug_ranges`, which the writer does not have.
pub fn ranges() -> impl Strategy<Value = Vec<u8>> {
    let range = (prop_oneof![Just(u64::MAX), Just(0), any::<u64>()], 1..=u64::MAX);
    vec(vec(range, 0..6), 0..6).prop_map(|lists| {
        let with_end = |list: Vec<(u64, u64)>| list.into_iter().chain([(0, 0)]);
        let pairs = lists.into_iter().flat_map(with_end);
        pairs.flat_map(|(begin, end)| [begin, end]).flat_map(u64::to_le_bytes).collect()
    })
}

/// `.debug_aranges`.
pub fn addresses() -> impl Strategy<Value = Vec<u8>> {
    vec((any::<u32>(), vec((0..1_u64 << 60, 1..1_u64 << 60), 0..6)), 0..6).prop_map(|sets| {
        let mut table = ArangeTable::new();
        for (info, ranges) in sets {
            let ranges = ranges.into_iter().map(|(begin, length)| (Address::Constant(begin), length));
            table.unit(info.into(), &ranges.collect::<Vec<_>>()).unwrap();
        }
        table.finish().bytes
    })
}

/// `.debug_pubnames`, `.debug_pubtypes`.
pub fn names() -> impl Strategy<Value = Vec<u8>> {
    let name = (1..=u32::MAX, vec(1..=u8::MAX, 0..20));
    vec((any::<u32>(), any::<u32>(), vec(name, 0..6)), 0..6).prop_map(|sets| {
        let mut table = PubTable::new();
        for (info, info_length, names) in &sets {
            let names: Vec<_> = names.iter().map(|(offset, name)| (*offset, &name[..])).collect();
            let set = NameSet { info: (*info).into(), info_length: *info_length, names: &names };
            table.unit(&set).unwrap();
        }
        table.finish().bytes
    })
}

/// `.debug_macinfo`.
pub fn macros() -> impl Strategy<Value = Vec<u8>> {
    let entry = (0..4_u8, any::<u64>(), vec(1..=u8::MAX, 0..20));
    vec(vec(entry, 0..8), 0..4).prop_map(|lists| {
        let mut table = MacroTable::new();
        for list in &lists {
            let mut macros = Vec::new();
            for (kind, number, text) in list {
                let (line, text) = (*number, &text[..]);
                macros.push(match kind {
                    0 => Macro::Define { line, text },
                    1 => Macro::Undef { line, text },
                    2 => Macro::Vendor { constant: line, text },
                    _ => Macro::StartFile { line, file: line >> 7 },
                });
            }
            let open = macros.iter().filter(|entry| matches!(entry, Macro::StartFile { .. })).count();
            macros.extend(std::iter::repeat_n(Macro::EndFile, open));
            table.list(&macros).unwrap();
        }
        table.finish()
    })
}

/// `.debug_str`.
pub fn strings() -> impl Strategy<Value = Vec<u8>> {
    vec(vec(1..=u8::MAX, 0..20), 0..20).prop_map(|all| {
        let mut table = StringTable::new();
        for string in &all {
            table.append(string).unwrap();
        }
        table.finish()
    })
}
