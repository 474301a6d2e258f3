//! Tests on hand-written and on random records.

use super::*;
use proptest::prelude::*;

/// From a kernel of ptxas 13.0.88 (sm_100): one record of each format.
const SAMPLE: [u8; 36] = [
    0x01, 0x53, 0, 0, // GEN_ERRBAR_AT_EXIT
    0x02, 0x4c, 1, 0, // NUM_BARRIERS 1
    0x03, 0x1b, 0xff, 0, // MAXREG_COUNT 255
    0x04, 0x2f, 8, 0, 0x0e, 0, 0, 0, 40, 0, 0, 0, // REGCOUNT of symbol 14: 40
    0x04, 0x1c, 8, 0, 0xa0, 4, 0, 0, 0xd0, 4, 0, 0, // EXIT_INSTR_OFFSETS
];

#[test]
fn one_record_of_each_format() {
    let records = decode(NAME, &SAMPLE).unwrap();
    let formats: Vec<_> =
        records.iter().map(|record| (record.attribute, record.value.format_name())).collect();
    let expected = [
        (Attribute::GEN_ERRBAR_AT_EXIT, "EIFMT_NVAL"),
        (Attribute::NUM_BARRIERS, "EIFMT_BVAL"),
        (Attribute::MAXREG_COUNT, "EIFMT_HVAL"),
        (Attribute::REGCOUNT, "EIFMT_SVAL"),
        (Attribute::EXIT_INSTR_OFFSETS, "EIFMT_SVAL"),
    ];
    assert_eq!(formats, expected);
    let needs = FunctionResources { registers: Some(40), ..FunctionResources::default() };
    assert_eq!(functions(&records).into_iter().collect::<Vec<_>>(), [(SymbolIndex(14), needs)]);
    assert_eq!(exit_offsets(&records).collect::<Vec<_>>(), [0x4a0, 0x4d0]);
    assert_eq!(encode(NAME, &records).unwrap(), SAMPLE);
}

#[test]
fn only_symbols_are_mapped() {
    let mut records = decode(NAME, &SAMPLE).unwrap();
    records.push(Record {
        attribute: Attribute::EXTERNS,
        value: Value::Sized(Cow::Borrowed(&[1, 0, 0, 0, 2, 0, 0, 0, 3])), // two symbols, and a byte too many
    });
    for record in &mut records {
        record.map_symbols(|symbol| SymbolIndex(symbol.0 + 1));
    }
    let symbols: Vec<_> = records.iter().flat_map(Record::symbols).map(|symbol| symbol.0).collect();
    assert_eq!(symbols, [15, 2, 3]);
    let changed = encode(NAME, &records).unwrap();
    let mut expected = SAMPLE.to_vec();
    expected[16] += 1;
    expected.extend_from_slice(&[4, 0x0f, 9, 0, 2, 0, 0, 0, 3, 0, 0, 0, 3]);
    assert_eq!(changed, expected);
    // Of two words, by attribute: both, the first, none.
    let mut found: [Vec<u8>; 3] = Default::default();
    for number in 0..=u8::MAX {
        let value = Value::Sized(Cow::Borrowed(&[1, 0, 0, 0, 2, 0, 0, 0]));
        let record = Record { attribute: Attribute(number), value };
        found[2 - record.symbols().count()].push(number);
    }
    assert_eq!(found[0], [0x0f, 0x5d]);
    assert_eq!(found[1], [0x0a, 0x11, 0x12, 0x23, 0x26, 0x2f, 0x3b]);
}

// cuobjdump 13.2.86 prints these as Ordinal 2, Offset 0x10, Size 8, cbank 0x1f, space CBANK.
#[test]
fn a_kernel_parameter() {
    let bytes = [0, 0, 0, 0, 2, 0, 0x10, 0, 0, 0xf0, 0x21, 0];
    let parameter = KernelParameter::from_bytes(bytes);
    let expected = KernelParameter {
        index: 0,
        ordinal: 2,
        offset: 0x10,
        size: 8,
        log_alignment: 0,
        space: 0,
        bank: 0x1f,
        in_shared_memory: false,
    };
    assert_eq!(parameter, expected);
    assert_eq!(parameter.to_bytes().unwrap(), bytes);
    // Each field apart, by the bits of the last word.
    let bits = |word: u32| {
        let mut bytes = [0; 12];
        bytes[0] = 5;
        bytes[8..].copy_from_slice(&word.to_le_bytes());
        KernelParameter::from_bytes(bytes)
    };
    let none = KernelParameter { index: 5, ordinal: 0, offset: 0, size: 0, bank: 0, ..parameter };
    for (shift, width, want) in [
        (0, 8, KernelParameter { log_alignment: 0xff, ..none }),
        (8, 4, KernelParameter { space: 0xf, ..none }),
        (12, 5, KernelParameter { bank: 0x1f, ..none }),
        (17, 1, KernelParameter { in_shared_memory: true, ..none }),
        (18, 14, KernelParameter { size: 0x3fff, ..none }),
    ] {
        assert_eq!(bits(((1 << width) - 1) << shift), want, "bit {shift}");
    }
    for wide in [
        KernelParameter { size: 1 << 14, ..parameter },
        KernelParameter { space: 16, ..parameter },
        KernelParameter { bank: 32, ..parameter },
    ] {
        assert!(matches!(wide.to_bytes().unwrap_err().kind(), ErrorKind::DoesNotFit { .. }));
    }
}

#[test]
fn bad_input_is_refused_where_it_is() {
    for (data, offset, kind) in [
        (&[4, 0x2f, 8][..], 2, "Truncated"),
        (&[4, 0x2f, 8, 0, 1], 4, "Truncated"),
        (&[1, 4, 0, 0, 5, 4, 0, 0], 4, "Value"),
        (&[0, 0, 0, 0], 0, "Value"),
        (&[2], 1, "Truncated"),
    ] {
        let error = decode(".nv.info.f", data).unwrap_err();
        assert_eq!((error.section(), error.offset()), (".nv.info.f", offset), "{error}");
        assert!(format!("{:?}", error.kind()).starts_with(kind), "{error}");
    }
    let long = |len| Record { attribute: Attribute::EXTERNS, value: Value::Sized(vec![0; len].into()) };
    assert!(encode(NAME, &[long(0xffff)]).is_ok());
    let error = encode(NAME, &[long(4), long(0x1_0000)]).unwrap_err();
    assert_eq!(error.offset(), 8);
}

fn record() -> impl Strategy<Value = Record<'static>> {
    let value = prop_oneof![
        any::<u16>().prop_map(|padding| Value::None { padding }),
        any::<(u8, u8)>().prop_map(|(value, padding)| Value::Byte { value, padding }),
        any::<u16>().prop_map(Value::Half),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(|bytes| Value::Sized(bytes.into())),
    ];
    let named = prop::sample::select(Attribute::NAMED).prop_map(|(attribute, _)| attribute);
    let attribute = prop_oneof![named, any::<u8>().prop_map(Attribute)];
    (attribute, value).prop_map(|(attribute, value)| Record { attribute, value })
}

proptest! {
    #[test]
    fn records_come_back(records in prop::collection::vec(record(), 0..20)) {
        let bytes = encode(NAME, &records).unwrap();
        prop_assert_eq!(decode(NAME, &bytes).unwrap(), records);
    }

    #[test]
    fn bytes_come_back(bytes in prop::collection::vec(prop_oneof![0_u8..6, any::<u8>()], 0..60)) {
        match decode(NAME, &bytes) {
            Ok(records) => prop_assert_eq!(encode(NAME, &records).unwrap(), bytes),
            Err(error) => prop_assert!(error.offset() <= bytes.len() as u64),
        }
    }

    #[test]
    fn any_twelve_bytes_are_a_parameter(bytes: [u8; 12]) {
        prop_assert_eq!(KernelParameter::from_bytes(bytes).to_bytes().unwrap(), bytes);
    }

    #[test]
    fn mapping_by_nothing_changes_nothing(record in record()) {
        let mut mapped = record.clone();
        mapped.map_symbols(|symbol| symbol);
        prop_assert_eq!(mapped, record);
    }
}
