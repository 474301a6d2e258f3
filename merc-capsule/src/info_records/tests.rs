//! Tests on hand-written and on random records.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken set-up is a failed test")]

use super::*;
use nv_debug_sections::nv_info::{self, KernelParameter};
use nv_debug_sections::release::Release;
use proptest::prelude::*;

const NAME: &str = ".nv.info.f";

fn sized(attribute: Attribute, words: &[u32]) -> Record<'static> {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Record { attribute, value: Value::Sized(bytes) }
}

fn map(pairs: &[(u64, u64)]) -> AddressMap {
    let mut map = AddressMap::default();
    for &(native, mercury) in pairs {
        map.insert(AddressRole::Listed, AddressPair { native, mercury }).unwrap();
    }
    map
}

fn mercury_only<'a, 'd>(
    map: &'a AddressMap,
    frame_sizes: &'a BTreeMap<SymbolIndex, u32>,
) -> MercuryOnlyInfo<'a, 'd> {
    MercuryOnlyInfo { map, frame_sizes, finalizer_options: None }
}

#[test]
fn the_table_is_sorted() {
    assert!(DIFFERING_ATTRIBUTES.is_sorted_by(|a, b| a.0 < b.0));
    assert_eq!(difference(Attribute::SW_WAR), Some(RecordDifference::OnlyIn(Space::Native)));
    assert_eq!(difference(Attribute::REGCOUNT), None);
}

// Each layout, from ptxas 13.0.88: an `ATTRIBUTE`, the words of the original, those of the clone,
// and the addresses of both.
#[test]
fn addresses_of_each_layout() {
    type Row = (Attribute, &'static [u32], &'static [u32], &'static [(u64, u64)]);
    let rows: [Row; 5] = [
        (Attribute::EXIT_INSTR_OFFSETS, &[0x90, 0x360], &[0x120, 0x500], &[(0x90, 0x120), (0x360, 0x500)]),
        (
            Attribute::UNUSED_LOAD_BYTE_OFFSET,
            &[0x190, 0xfff, 0x280, 0xfff],
            &[0x220, 0xfff, 0x390, 0xfff],
            &[(0x190, 0x220), (0x280, 0x390)],
        ),
        (
            Attribute::MBARRIER_INSTR_OFFSETS,
            &[0x120, 0xff, 0, 0x0009_0100, 0x160, 0xff, 8, 0x0009_0100],
            &[0x100, 0xff, 0, 0x0009_0100, 0x161, 0xff, 8, 0x0009_0100],
            &[(0x120, 0x100), (0x160, 0x161)],
        ),
        (
            Attribute::ANNOTATIONS,
            // The texts are made up: 5 bytes and 8.
            &[2, 0x140, 5, 0x6466_7361, 0x67, 1, 0x160, 3, 8, 1, 2],
            &[2, 0x190, 5, 0x6466_7361, 0x67, 1, 0x270, 3, 8, 1, 2],
            &[(0x140, 0x190), (0x160, 0x270)],
        ),
        (
            Attribute::INDIRECT_BRANCH_TARGETS,
            &[0x220, 0, 2, 0x250, 0x3a0, 0x300, 0, 1, 0x3a0],
            &[0x370, 0, 2, 0x3d0, 0x650, 0x530, 0, 1, 0x650],
            &[(0x220, 0x370), (0x250, 0x3d0), (0x300, 0x530), (0x3a0, 0x650)],
        ),
    ];
    let sizes = BTreeMap::new();
    for (attribute, native, mercury, pairs) in rows {
        let (native, mercury) = ([sized(attribute, native)], [sized(attribute, mercury)]);
        let found = listed_address_pairs(NAME, &native, &mercury).unwrap();
        assert_eq!(found.iter().map(|pair| (pair.native, pair.mercury)).collect::<Vec<_>>(), pairs);
        let map = map(pairs);
        assert_eq!(to_mercury(NAME, &native, &mercury_only(&map, &sizes), Some).unwrap(), mercury);
        let native_only = NativeOnlyInfo { map: &map, frame_sizes: &sizes, only: &[] };
        assert_eq!(to_native(NAME, &mercury, &native_only, Some).unwrap(), native);
    }
}

#[test]
fn symbols_move_and_frames_have_sizes_of_their_own() {
    let native = [
        sized(Attribute::FRAME_SIZE, &[9, 0xd70]),
        sized(Attribute::FRAME_SIZE, &[8, 0xd70]),
        sized(Attribute::MIN_STACK_SIZE, &[9, 0xd70]),
        sized(Attribute::EXTERNS, &[7, 8]),
    ];
    let map = AddressMap::default();
    // By the clone's symbol 8, which is 9 in the original.
    let sizes = BTreeMap::from([(SymbolIndex(8), 0)]);
    let made =
        to_mercury(NAME, &native, &mercury_only(&map, &sizes), |symbol| Some(SymbolIndex(symbol.0 - 1)));
    let mercury = [
        sized(Attribute::FRAME_SIZE, &[8, 0]),
        sized(Attribute::FRAME_SIZE, &[7, 0xd70]),
        sized(Attribute::MIN_STACK_SIZE, &[8, 0xd70]),
        sized(Attribute::EXTERNS, &[6, 7]),
    ];
    assert_eq!(made.unwrap(), mercury);
    let sizes = BTreeMap::from([(SymbolIndex(8), 0xd70), (SymbolIndex(7), 0xd70)]);
    let native_only = NativeOnlyInfo { map: &map, frame_sizes: &sizes, only: &[] };
    let made = to_native(NAME, &mercury, &native_only, |symbol| Some(SymbolIndex(symbol.0 + 1)));
    assert_eq!(made.unwrap(), native);
}

#[test]
fn faults_say_where() {
    let (map, sizes) = (map(&[(0x10, 0x20)]), BTreeMap::new());
    let fault = |record: Record<'static>| {
        let records = [sized(Attribute::EXIT_INSTR_OFFSETS, &[0x10]), record];
        to_mercury(NAME, &records, &mercury_only(&map, &sizes), |_| None).unwrap_err().to_string()
    };
    let rows = [
        (
            sized(Attribute::EXIT_INSTR_OFFSETS, &[0x10, 0x30]),
            "0x10: EIATTR_EXIT_INSTR_OFFSETS: the map has nothing for 0x30",
        ),
        (sized(Attribute::EXTERNS, &[3]), "0xc: EIATTR_EXTERNS: symbol 3 is not in the other table"),
        (
            sized(Attribute::MERCURY_FINALIZER_OPTIONS, &[]),
            "0x8: EIATTR_MERCURY_FINALIZER_OPTIONS: the record is of the other space",
        ),
        (
            sized(Attribute::UNUSED_LOAD_BYTE_OFFSET, &[0x10]),
            "0x10: EIATTR_UNUSED_LOAD_BYTE_OFFSET: the value ends inside an entry",
        ),
        (
            sized(Attribute::INDIRECT_BRANCH_TARGETS, &[0x10, 0, u32::MAX]),
            "0x18: EIATTR_INDIRECT_BRANCH_TARGETS: the value ends inside an entry",
        ),
        (
            sized(Attribute::ANNOTATIONS, &[1, 0x10, 4, 0x10]),
            "0x14: an annotation's kind is 0x4, expected 1 to 3",
        ),
        (
            sized(Attribute::COROUTINE_RESUME_ID_OFFSETS, &[]),
            "0x8: EIATTR_COROUTINE_RESUME_ID_OFFSETS: nobody has seen the layout of its addresses",
        ),
        (
            Record { attribute: Attribute::EXIT_INSTR_OFFSETS, value: Value::Half(0x10) },
            "0x8: EIATTR_EXIT_INSTR_OFFSETS: the format is not EIFMT_SVAL",
        ),
    ];
    for (record, want) in rows {
        assert_eq!(fault(record), format!("{NAME}+{want}"));
    }
    let (one, two) =
        (sized(Attribute::EXIT_INSTR_OFFSETS, &[0]), sized(Attribute::EXIT_INSTR_OFFSETS, &[0, 1]));
    let lists = listed_address_pairs(NAME, std::slice::from_ref(&one), &[two]).unwrap_err().to_string();
    assert_eq!(lists, format!("{NAME}: EIATTR_EXIT_INSTR_OFFSETS: 1 addresses, in .nv.merc.nv.info.f 2"));
    assert!(listed_address_pairs(NAME, &[], &[one]).is_err());
}

/// Which attributes may not be in a clone, and which are refused since no layout is known.
#[test]
fn the_table_by_number() {
    let of = |wanted: RecordDifference| -> Vec<u8> {
        (0..=u8::MAX).filter(|number| difference(Attribute(*number)) == Some(wanted)).collect()
    };
    assert_eq!(of(RecordDifference::OnlyIn(Space::Native)), [0x0a, 0x15, 0x16, 0x19, 0x36, 0x6b, 0x6d]);
    assert_eq!(of(RecordDifference::OnlyIn(Space::Mercury)), [0x5a]);
    let unknown = of(RecordDifference::Addresses(AddressLayout::Unknown));
    assert_eq!(unknown.len(), 11);
    let (map, sizes) = (map(&[(0x10, 0x20)]), BTreeMap::new());
    for number in unknown {
        let record = [sized(Attribute(number), &[0x10])];
        let made = to_mercury(NAME, &record, &mercury_only(&map, &sizes), Some);
        assert!(made.unwrap_err().to_string().contains("nobody has seen the layout"), "{number:#x}");
    }
}

#[test]
fn only_native_code_has_these() {
    let parameter = |ordinal, offset, size| {
        let parameter = KernelParameter {
            index: 0,
            ordinal,
            offset,
            size,
            log_alignment: 0,
            space: 0,
            bank: 31,
            in_shared_memory: false,
        };
        Record {
            attribute: Attribute::KPARAM_INFO,
            value: Value::Sized(parameter.to_bytes().unwrap().to_vec().into()),
        }
    };
    // Of `(.u64 p, .align 4 .b8 s[12], .u8 t)` and symbol 23: ptxas 13.0.88, sm_103.
    let mercury = [parameter(2, 20, 1), parameter(1, 8, 12), parameter(0, 0, 8)];
    let want = [
        Record { attribute: Attribute::CBANK_PARAM_SIZE, value: Value::Half(0x15) },
        sized(Attribute::PARAM_CBANK, &[23, 0x0015_0380]),
        sized(Attribute::SW_WAR, &[8]),
    ];
    assert_eq!(
        native_only(&mercury, Release::V13_0.target(103), Some(SymbolIndex(23)), false).unwrap(),
        want
    );
    let big = sized(Attribute::KPARAM_INFO_V2, &[0, 0x0008_0001, 0x4e20]);
    let only = native_only(&[big], Release::V13_0.target(100), Some(SymbolIndex(9)), false).unwrap();
    assert_eq!(only[0].value, Value::Half(0x4e28));
    for (sm, workarounds) in [(100, 8), (103, 8), (110, 8), (120, 0), (121, 0)] {
        assert_eq!(
            native_only(&[], Release::V13_0.target(sm), None, false).unwrap(),
            [sized(Attribute::SW_WAR, &[workarounds])]
        );
    }
    assert!(native_only(&mercury, Release::V13_0.target(103), None, false).is_err());
    assert!(native_only(&[], Release::V13_0.target(130), None, false).is_err());
}

/// Any record that both spaces may have, with whole entries.
fn record() -> impl Strategy<Value = Record<'static>> {
    let is_common = |attribute: &Attribute| {
        !matches!(
            difference(*attribute),
            Some(
                RecordDifference::OnlyIn(_)
                    | RecordDifference::Addresses(
                        AddressLayout::Unknown | AddressLayout::Annotations | AddressLayout::Branches
                    )
            )
        )
    };
    let attribute = any::<u8>().prop_map(Attribute).prop_filter("of one space", is_common);
    let words = prop::collection::vec([any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>()], 0..4);
    let entries = (attribute, words).prop_map(|(attribute, words)| sized(attribute, words.as_flattened()));
    let annotation = (1..=3_u32, any::<u32>(), 0..9_u32).prop_map(|(kind, address, bytes)| {
        let text = [vec![bytes], vec![0x2e2e_2e2e; bytes.div_ceil(4) as usize]].concat();
        match kind {
            1 => vec![kind, address],
            2 => [vec![kind, address], text].concat(),
            _ => [vec![kind], text].concat(),
        }
    });
    let annotations =
        prop::collection::vec(annotation, 0..4).prop_map(|all| sized(Attribute::ANNOTATIONS, &all.concat()));
    let branch = (any::<u32>(), prop::collection::vec(any::<u32>(), 0..4))
        .prop_map(|(at, targets)| [vec![at, 0, targets.len() as u32], targets].concat());
    let branches = prop::collection::vec(branch, 0..4)
        .prop_map(|all| sized(Attribute::INDIRECT_BRANCH_TARGETS, &all.concat()));
    let half =
        any::<u16>().prop_map(|half| Record { attribute: Attribute::MAXREG_COUNT, value: Value::Half(half) });
    prop_oneof![4 => entries, 1 => annotations, 1 => branches, 1 => half]
}

proptest! {
    #[test]
    fn there_and_back(mut native in prop::collection::vec(record(), 0..8), flip: u32, war: u32, options: [u8; 7]) {
        let (map, sizes) = (AddressMap::identity([]), BTreeMap::new());
        let symbol = |symbol: SymbolIndex| Some(SymbolIndex(symbol.0 ^ flip));
        let only = [sized(Attribute::SW_WAR, &[war])];
        native.extend_from_slice(&only);
        let mercury_side = MercuryOnlyInfo { finalizer_options: Some(&options), ..mercury_only(&map, &sizes) };
        let mercury = to_mercury(NAME, &native, &mercury_side, symbol)?;
        prop_assert_eq!(mercury.len(), native.len());
        prop_assert_eq!(finalizer_options(&mercury), Some(&options[..]));
        let native_only = NativeOnlyInfo { map: &map, frame_sizes: &sizes, only: &only };
        prop_assert_eq!(to_native(NAME, &mercury, &native_only, symbol)?, native);
    }

    #[test]
    fn no_section_is_too_strange(bytes in prop::collection::vec(0_u8..=6, 0..64)) {
        if let Ok(records) = nv_info::decode(NAME, &bytes) {
            let (map, sizes) = (AddressMap::identity([]), BTreeMap::new());
            let same = listed_address_pairs(NAME, &records, &records);
            let made = to_mercury(NAME, &records, &mercury_only(&map, &sizes), Some);
            prop_assert!(same.is_ok() || made.is_err());
        }
    }
}
