//! Messages as ptxas has them.

use leb128_nv::{Error, Field};

/// The strings of ptxas 13.0.88, in the order that the binary has them.
const SENTENCES: [&str; 8] = [
    "when generating LEB128 number for file number",
    "when generating LEB128 number for setting prologue",
    "when generating LEB128 number for address advance",
    "when generating LEB128 number for line advance",
    "when generating LEB128 number for setting context",
    "when generating LEB128 number for setting function Offset",
    "when generating LEB128 number for timestamp",
    "when generating LEB128 number for file size",
];

#[test]
fn overflows_read_as_those_of_ptxas() {
    for (field, sentence) in Field::KNOWN.into_iter().zip(SENTENCES) {
        let error = field.uleb128::<u8>(256).unwrap_err();
        assert_eq!(error.to_string(), format!("overflow {sentence}"));
        assert_eq!(error.field, field);
        assert!(sentence.ends_with(field.name()));
    }
    let own = Field::new("abbreviation code");
    assert_eq!(own.overflow().to_string(), "overflow when generating LEB128 number for abbreviation code");
}

#[test]
fn numbers_fit_their_width_or_name_their_field() {
    let file = Field::FILE_NUMBER;
    assert_eq!(file.uleb128::<u16>(0xffff_u64).unwrap().as_slice(), [0xff, 0xff, 0x03]);
    assert_eq!(file.uleb128::<u16>(0x1_0000_u64), Err(file.overflow()));
    assert_eq!(file.uleb128::<u32>(0x1_0000_u64).unwrap().as_slice(), [0x80, 0x80, 0x04]);
    assert_eq!(file.uleb128::<u32>(u64::from(u32::MAX) + 1), Err(file.overflow()));
    assert_eq!(file.uleb128::<u64>(u64::MAX).unwrap().len(), 10);
    assert_eq!(file.uleb128::<u64>(-1_i64), Err(file.overflow()));

    let line = Field::LINE_ADVANCE;
    assert_eq!(line.sleb128::<i32>(i64::from(i32::MIN)).unwrap().len(), 5);
    assert_eq!(line.sleb128::<i32>(i64::from(i32::MIN) - 1), Err(line.overflow()));
    assert_eq!(line.sleb128::<i16>(0x8000), Err(line.overflow()));
    assert_eq!(line.sleb128::<i64>(i64::MIN).unwrap().len(), 10);
    assert_eq!(line.sleb128::<i64>(u64::MAX), Err(line.overflow()));

    let mut out = [0xee; 2];
    assert_eq!(line.write(leb128_nv::sleb128(0x5000), &mut out), Err(line.overflow()));
    assert_eq!(out, [0xee; 2]);
}

#[test]
fn errors_without_a_field_are_sentences_too() {
    assert_eq!(Error::Truncated.to_string(), "LEB128 value is cut short");
    assert_eq!(Error::Overflow.to_string(), "LEB128 value does not fit");
}
