//! The smaller sections by proptest, with gimli as the reader, and what each refuses.

use std::collections::BTreeMap;

use dwarf2_writer::abbrev::AbbrevTable;
use dwarf2_writer::aranges::ArangeTable;
use dwarf2_writer::loc::{Location, LocationTable};
use dwarf2_writer::macinfo::{Macro, MacroTable};
use dwarf2_writer::pubnames::{NameSet, PubTable};
use dwarf2_writer::strings::StringTable;
use dwarf2_writer::{Address, Error, Expression, Reloc, SymbolId};
use gimli::{DebugMacinfoOffset, DebugStrOffset, EndianSlice, LittleEndian, MacroEntry, RawLocListEntry};
use proptest::prelude::*;

const SYMBOL: SymbolId = SymbolId(7);

fn constant(address: u64) -> Address {
    Address::Constant(address)
}

fn symbol(addend: i64) -> Address {
    Address::Symbol { symbol: SYMBOL, addend }
}

/// A string that a NUL can end.
fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(1..=u8::MAX, 0..20)
}

/// A location list: base addresses and ranges that do not end before they begin.
fn locations() -> impl Strategy<Value = Vec<Location>> {
    let bytes = prop::collection::vec(any::<u8>(), 0..300);
    let range = (any::<u64>(), any::<u64>(), bytes).prop_filter_map("a range", |(a, b, bytes)| {
        let (begin, end) = (a.min(b), a.max(b));
        let valid = end != 0 && begin != u64::MAX;
        let location = Expression::from(bytes);
        valid.then(|| Location::Range { begin: constant(begin), end: constant(end), location })
    });
    let one = prop_oneof![4 => range, 1 => any::<u64>().prop_map(|base| Location::Base(constant(base)))];
    prop::collection::vec(one, 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn gimli_reads_location_lists(lists in prop::collection::vec(locations(), 0..5)) {
        let mut table = LocationTable::new();
        let offsets: Vec<_> = lists.iter().map(|list| table.list(list).expect("valid")).collect();
        let section = table.finish();
        let read = gimli::LocationLists::new(
            gimli::DebugLoc::new(&section.bytes, LittleEndian),
            gimli::DebugLocLists::new(&[], LittleEndian),
        );
        let encoding = gimli::Encoding { address_size: 8, format: gimli::Format::Dwarf32, version: 2 };
        for (list, offset) in lists.iter().zip(offsets) {
            let mut entries = read.raw_locations(gimli::LocationListsOffset(offset as usize), encoding).expect("there");
            let mut seen = Vec::new();
            while let Some(entry) = entries.next().expect("readable") {
                seen.push(match entry {
                    RawLocListEntry::BaseAddress { addr } => Location::Base(constant(addr)),
                    RawLocListEntry::AddressOrOffsetPair { begin, end, data } => Location::Range {
                        begin: constant(begin),
                        end: constant(end),
                        location: Expression::from(data.0.slice().to_vec()),
                    },
                    other => panic!("{other:?}"),
                });
            }
            prop_assert_eq!(&seen, list);
        }
    }

    #[test]
    fn gimli_reads_address_ranges(
        units in prop::collection::vec((any::<u32>(), prop::collection::vec((1..1_u64 << 63, 0..1_u64 << 63), 0..8)), 0..5),
    ) {
        let mut table = ArangeTable::new();
        for (info, ranges) in &units {
            let ranges: Vec<_> = ranges.iter().map(|(begin, len)| (constant(*begin), *len)).collect();
            table.unit((*info).into(), &ranges).expect("valid");
        }
        let section = table.finish();
        let read = gimli::DebugAranges::new(&section.bytes, LittleEndian);
        let mut headers = read.headers();
        for (info, ranges) in &units {
            let header = headers.next().expect("readable").expect("one more");
            prop_assert_eq!(header.debug_info_offset().0, *info as usize);
            let mut entries = header.entries();
            for range in ranges {
                let entry = entries.next_raw().expect("readable").expect("one more");
                prop_assert_eq!((entry.address(), entry.length()), *range);
            }
            prop_assert!(entries.next_raw().expect("readable").is_none());
        }
        prop_assert!(headers.next().expect("readable").is_none());
    }

    #[test]
    fn gimli_reads_public_names(
        units in prop::collection::vec((any::<u32>(), any::<u32>(), prop::collection::vec((1..u32::MAX, text()), 0..8)), 0..5),
    ) {
        let mut table = PubTable::new();
        let mut expected = Vec::new();
        for (info, info_length, names) in &units {
            let names: Vec<_> = names.iter().map(|(offset, name)| (*offset, name.as_slice())).collect();
            table.unit(&NameSet { info: (*info).into(), info_length: *info_length, names: &names }).expect("valid");
            expected.extend(names.iter().map(|(offset, name)| (*info as usize, *offset as usize, name.to_vec())));
        }
        let section = table.finish();
        // The same bytes are either section; gimli has a reader for each.
        let mut seen = Vec::new();
        let names = gimli::DebugPubNames::new(&section.bytes, LittleEndian);
        let mut items = names.items();
        while let Some(item) = items.next().expect("readable") {
            seen.push((item.unit_header_offset().0, item.die_offset().0, item.name().to_vec()));
        }
        prop_assert_eq!(&seen, &expected);
        seen.clear();
        let types = gimli::DebugPubTypes::new(&section.bytes, LittleEndian);
        let mut items = types.items();
        while let Some(item) = items.next().expect("readable") {
            seen.push((item.unit_header_offset().0, item.die_offset().0, item.name().to_vec()));
        }
        prop_assert_eq!(&seen, &expected);
    }

    #[test]
    fn gimli_reads_strings(strings in prop::collection::vec(text(), 0..60)) {
        let mut table = StringTable::new();
        let offsets: Vec<_> = strings.iter().map(|string| table.add(string).expect("valid")).collect();
        let again: Vec<_> = strings.iter().map(|string| table.add(string).expect("valid")).collect();
        prop_assert_eq!(&offsets, &again);
        let mut appended = table.clone();
        let bytes = table.finish();
        let section = gimli::DebugStr::new(&bytes, LittleEndian);
        for (string, offset) in strings.iter().zip(&offsets) {
            prop_assert_eq!(section.get_str(DebugStrOffset(*offset as usize)).expect("there").slice(), string);
        }
        let different: BTreeMap<_, _> = strings.iter().zip(&offsets).collect();
        prop_assert_eq!(bytes.len(), different.keys().map(|string| string.len() + 1).sum::<usize>());
        if let Some(string) = strings.first() {
            prop_assert_eq!(appended.append(string).expect("valid") as usize, bytes.len());
            prop_assert_eq!(appended.add(string).expect("valid"), offsets[0]);
        }
    }

    #[test]
    fn gimli_reads_macros(lists in prop::collection::vec(macros(), 0..4)) {
        let mut table = MacroTable::new();
        let offsets: Vec<_> = lists.iter().map(|list| table.list(&borrowed(list)).expect("balanced")).collect();
        let bytes = table.finish();
        let section = gimli::DebugMacinfo::from(EndianSlice::new(&bytes, LittleEndian));
        for (list, offset) in lists.iter().zip(offsets) {
            let mut entries = section.get_macinfo(DebugMacinfoOffset(offset as usize)).expect("there");
            let mut seen = Vec::new();
            while let Some(entry) = entries.next().expect("readable") {
                let owned = |text: gimli::MacroString<EndianSlice<'_, LittleEndian>>| match text {
                    gimli::MacroString::Direct(text) => text.to_vec(),
                    other => panic!("{other:?}"),
                };
                seen.push(match entry {
                    MacroEntry::Define { line, text } => (1, line, 0, owned(text)),
                    MacroEntry::Undef { line, name } => (2, line, 0, owned(name)),
                    MacroEntry::StartFile { line, file } => (3, line, file, vec![]),
                    MacroEntry::EndFile => (4, 0, 0, vec![]),
                    MacroEntry::VendorExt { numeric, string } => (255, numeric, 0, string.to_vec()),
                    other => panic!("{other:?}"),
                });
            }
            prop_assert_eq!(&seen, list);
        }
    }

    #[test]
    fn gimli_reads_abbreviations(
        asked in prop::collection::vec(
            (1..=u16::MAX, any::<bool>(), prop::collection::btree_map(1..=u16::MAX, 1..0x17_u16, 0..6)),
            1..20,
        ),
    ) {
        let mut table = AbbrevTable::new();
        let asked: Vec<_> = asked.iter().map(|(tag, children, attributes)| {
            let attributes: Vec<_> = attributes.iter().map(|(name, form)| (*name, *form)).collect();
            (*tag, *children, attributes)
        }).collect();
        let add = |table: &mut AbbrevTable| -> Vec<u32> {
            asked.iter().map(|(tag, children, attributes)| table.add(*tag, *children, attributes).expect("valid")).collect()
        };
        let codes = add(&mut table);
        prop_assert_eq!(&codes, &add(&mut table));
        let bytes = table.finish();
        let read = gimli::DebugAbbrev::new(&bytes, LittleEndian).abbreviations(gimli::DebugAbbrevOffset(0)).expect("readable");
        for ((tag, children, attributes), code) in asked.iter().zip(codes) {
            let found = read.get(code.into()).expect("there");
            let seen: Vec<_> = found.attributes().iter().map(|spec| (spec.name().0, spec.form().0)).collect();
            prop_assert_eq!((found.tag().0, found.has_children(), &seen), (*tag, *children, attributes));
        }
    }
}

/// Kind, two numbers and text, as read.
type OwnedMacro = (u8, u64, u64, Vec<u8>);

/// A balanced list.
fn macros() -> impl Strategy<Value = Vec<OwnedMacro>> {
    let entry =
        (prop_oneof![Just(1_u8), Just(2), Just(3), Just(4), Just(255)], any::<u64>(), any::<u64>(), text());
    prop::collection::vec(entry, 0..12).prop_map(|entries| {
        let (mut out, mut depth) = (Vec::new(), 0);
        for (kind, number, file, text) in entries {
            match kind {
                3 => {
                    depth += 1;
                    out.push((3, number, file, vec![]));
                }
                4 if depth == 0 => {}
                4 => {
                    depth -= 1;
                    out.push((4, 0, 0, vec![]));
                }
                _ => out.push((kind, number, 0, text)),
            }
        }
        out.extend((0..depth).map(|_| (4, 0, 0, vec![])));
        out
    })
}

fn borrowed(list: &[OwnedMacro]) -> Vec<Macro<'_>> {
    list.iter()
        .map(|(kind, number, file, text)| match kind {
            1 => Macro::Define { line: *number, text },
            2 => Macro::Undef { line: *number, text },
            3 => Macro::StartFile { line: *number, file: *file },
            4 => Macro::EndFile,
            _ => Macro::Vendor { constant: *number, text },
        })
        .collect()
}

#[test]
fn symbolic_fields_hold_their_addends() {
    let mut table = LocationTable::new();
    let mut location = Expression::default();
    location.addr(symbol(3));
    table
        .list(&[Location::Base(symbol(1)), Location::Range { begin: symbol(4), end: symbol(9), location }])
        .expect("valid");
    let section = table.finish();
    let at = |offset, addend| Reloc::new(offset, 8, SYMBOL, addend);
    assert_eq!(section.relocs, [at(8, 1), at(16, 4), at(24, 9), at(35, 3)]);
    assert_eq!((section.bytes[8], section.bytes[16], section.bytes[24], section.bytes[35]), (1, 4, 9, 3));

    let mut table = ArangeTable::new();
    table.unit(symbol(0x20), &[(symbol(5), 0)]).expect("valid");
    let offset = table.unit(0.into(), &[(symbol(0), 1)]).expect("valid");
    let section = table.finish();
    assert_eq!(offset, 48);
    assert_eq!(section.relocs, [Reloc::new(6, 4, SYMBOL, 0x20), at(16, 5), at(64, 0)]);

    let mut table = PubTable::new();
    table.unit(&NameSet { info: symbol(1), info_length: 2, names: &[] }).expect("valid");
    assert_eq!(table.finish().relocs, [Reloc::new(6, 4, SYMBOL, 1)]);
}

#[test]
fn refused_lists_leave_nothing_behind() {
    let range = |begin, end| Location::Range { begin, end, location: Expression::from(vec![0x50]) };
    let mut table = LocationTable::new();
    table.list(&[range(constant(1), constant(2))]).expect("valid");
    let before = table.clone().finish();
    let backward = |begin, end| Error::BackwardRange { begin, end };
    let empty = Error::EmptyRange { field: "location" };
    let stray = Reloc::new(0, 8, SYMBOL, 0);
    let overlap = Expression { bytes: vec![0; 12], relocs: vec![stray, Reloc { offset: 4, ..stray }] };
    let long = Expression::from(vec![0; 0x1_0000]);
    let cases = [
        (range(constant(0), constant(0)), empty),
        (range(symbol(0), symbol(0)), empty),
        (range(constant(2), constant(1)), backward(constant(2), constant(1))),
        (range(symbol(0), symbol(-1)), backward(symbol(0), symbol(-1))),
        (range(constant(u64::MAX), constant(u64::MAX)), Error::LocationAtMax),
        (
            Location::Range { begin: symbol(0), end: symbol(1), location: long },
            Error::TooLong { field: "location", len: 0x1_0000, max: 0xffff },
        ),
        (
            Location::Range { begin: symbol(0), end: symbol(1), location: overlap },
            Error::ExpressionReloc { offset: 4, width: 8, len: 12 },
        ),
    ];
    for (location, error) in cases {
        assert_eq!(table.list(&[range(symbol(0), symbol(1)), location]), Err(error));
    }
    assert_eq!(table.clone().finish(), before);
    // Empty, but not the end of a list; and symbols that are not known yet.
    table.list(&[range(constant(5), constant(5)), range(symbol(0), constant(0))]).expect("valid");
    let other = Address::Symbol { symbol: SymbolId(8), addend: 0 };
    table.list(&[range(symbol(5), other), range(symbol(0), other)]).expect("valid");
}

#[test]
fn refused_units_leave_nothing_behind() {
    let mut table = ArangeTable::new();
    let backward = Error::BackwardRange { begin: constant(u64::MAX), end: constant(0) };
    let past = Error::Operand { field: "debug_info_offset", value: 1 << 32, max: u32::MAX.into() };
    for (info, range, error) in [
        (constant(0), (constant(0), 0), Error::EmptyRange { field: "range" }),
        (constant(0), (symbol(0), 0), Error::EmptyRange { field: "range" }),
        (constant(0), (constant(u64::MAX), 1), backward),
        (constant(1 << 32), (constant(1), 1), past),
    ] {
        assert_eq!(table.unit(info, &[(symbol(1), 4), range]), Err(error));
    }
    assert_eq!(table.finish(), dwarf2_writer::Section::default());

    let mut table = PubTable::new();
    let nul = Error::NulInString { field: "name", offset: 1 };
    for (info, name, error) in [
        (constant(0), (0, b"main".as_slice()), Error::NameAtZero),
        (constant(0), (4, b"a\0b"), nul),
        (constant(1 << 32), (4, b"main"), past),
    ] {
        assert_eq!(table.unit(&NameSet { info, info_length: 30, names: &[(11, b"x"), name] }), Err(error));
    }
    assert_eq!(table.finish(), dwarf2_writer::Section::default());

    let mut table = MacroTable::new();
    let (open, close) = (Macro::StartFile { line: 0, file: 1 }, Macro::EndFile);
    assert_eq!(table.list(&[open, close, close]), Err(Error::MacroNesting { index: 2, depth: 0 }));
    assert_eq!(table.list(&[open, open, close]), Err(Error::MacroNesting { index: 3, depth: 1 }));
    let nul = Error::NulInString { field: "macro", offset: 0 };
    assert_eq!(table.list(&[Macro::Define { line: 1, text: b"\0" }]), Err(nul));
    assert!(table.finish().is_empty());

    let mut table = StringTable::new();
    assert_eq!(table.add(b"a"), Ok(0));
    assert_eq!(table.append(b"b\0"), Err(Error::NulInString { field: "string", offset: 1 }));
    assert_eq!(table.add(b"a\0"), Err(Error::NulInString { field: "string", offset: 1 }));
    assert_eq!(table.finish(), b"a\0");

    let mut table = AbbrevTable::new();
    let zero = |field| Err(Error::ZeroCode { tag: u16::from(field != "tag"), field });
    assert_eq!(table.add(0, false, &[]), zero("tag"));
    assert_eq!(table.add(1, false, &[(0, 1)]), zero("attribute"));
    assert_eq!(table.add(1, false, &[(1, 0)]), zero("form"));
    let twice = [(3, 8), (0x11, 1), (3, 14)];
    assert_eq!(table.add(1, false, &twice), Err(Error::DuplicateAttribute { tag: 1, name: 3 }));
    assert_eq!(table.finish(), [0]);
}
