//! Many values at once are the same as one at a time: values, bytes, and where they stop.

use leb128_nv::{
    BatchError, Encoder, Error, Progress, read_sleb128, read_sleb128s, read_uleb128, read_uleb128s,
};
use proptest::prelude::*;

/// What [`read_uleb128s`] and [`read_sleb128s`] must give.
fn one_by_one<T>(
    bytes: &[u8],
    room: usize,
    read: impl Fn(&[u8]) -> Result<(T, usize), Error>,
) -> (Vec<T>, Result<Progress, BatchError>) {
    let (mut values, mut at) = (Vec::new(), 0);
    while values.len() < room && at < bytes.len() {
        match read(&bytes[at..]) {
            Ok((value, used)) => {
                values.push(value);
                at += used;
            }
            Err(error) => {
                let done = Progress { values: values.len(), bytes: at };
                return (values, Err(BatchError { error, done }));
            }
        }
    }
    let done = Progress { values: values.len(), bytes: at };
    (values, Ok(done))
}

fn check_read(bytes: &[u8], room: usize) {
    let (expected, verdict) = one_by_one(bytes, room, read_uleb128);
    let mut out = vec![0xee; room];
    assert_eq!(read_uleb128s(bytes, &mut out), verdict, "{bytes:02x?}");
    assert_eq!(out[..expected.len()], expected, "{bytes:02x?}");

    let (expected, verdict) = one_by_one(bytes, room, read_sleb128);
    let mut out = vec![0xee; room];
    assert_eq!(read_sleb128s(bytes, &mut out), verdict, "{bytes:02x?} signed");
    assert_eq!(out[..expected.len()], expected, "{bytes:02x?} signed");
}

/// What [`Encoder::uleb128s`] or [`Encoder::sleb128s`] must do, in any room up to more than enough.
fn check_write<T: Copy>(
    values: &[T],
    room: usize,
    one: impl Fn(&mut Encoder<'_>, T) -> Result<(), Error>,
    many: impl Fn(&mut Encoder<'_>, &[T]) -> Result<(), BatchError>,
) {
    let (mut expected, mut out) = (vec![0; room], vec![0xee; room]);
    let mut encoder = Encoder::new(&mut expected);
    let mut verdict = Ok(());
    for (i, value) in values.iter().enumerate() {
        if let Err(error) = one(&mut encoder, *value) {
            verdict = Err(BatchError { error, done: Progress { values: i, bytes: encoder.written() } });
            break;
        }
    }
    let len = encoder.finish();
    let mut encoder = Encoder::new(&mut out);
    assert_eq!(many(&mut encoder, values), verdict);
    assert_eq!(encoder.written(), len);
    assert_eq!(encoder.finish(), len);
    assert_eq!(out[..len], expected[..len]);
}

#[allow(clippy::redundant_closure_for_method_calls, reason = "the methods are of one lifetime, not of any")]
fn check_write_both(values: &[u64], room: usize) {
    check_write(values, room, |to, value| to.uleb128(value), |to, values| to.uleb128s(values));
    let signed: Vec<i64> = values.iter().map(|value| *value as i64).collect();
    check_write(&signed, room, |to, value| to.sleb128(value), |to, values| to.sleb128s(values));
}

#[test]
fn every_input_of_up_to_two_bytes() {
    check_read(&[], 3);
    for first in 0..=u8::MAX {
        check_read(&[first], 3);
        for second in 0..=u8::MAX {
            check_read(&[first, second], 3);
            // Where several are looked at together: at the start, across two words, and between long values.
            let mut bytes = [0x05; 100];
            bytes[..2].copy_from_slice(&[first, second]);
            bytes[23..25].copy_from_slice(&[first, second]);
            check_read(&bytes, 100);
            bytes = [0x85; 100];
            (0..100).step_by(7).for_each(|at| bytes[at] = 0x05);
            bytes[23..25].copy_from_slice(&[first, second]);
            check_read(&bytes, 100);
        }
    }
}

/// One or two bytes a value, in every order that a word can have, with what comes next.
#[test]
fn every_order_of_continuation_in_ten_bytes() {
    for marks in 0..1_u32 << 10 {
        let mut bytes = [0x41; 26];
        for (i, byte) in bytes.iter_mut().take(10).enumerate() {
            *byte = ((0x2b + i as u8 * 7) & 0x7f) | ((marks >> i & 1) as u8) << 7;
        }
        (0..=26).for_each(|len| check_read(&bytes[..len], 30));
        (0..20).for_each(|room| check_read(&bytes, room));
    }
}

/// Values of ten bytes that fit or do not, and longer forms, at every place.
#[test]
fn long_forms_anywhere() {
    for len in 8..=12 {
        for last in [0x00, 0x01, 0x02, 0x3f, 0x40, 0x7e, 0x7f] {
            let mut form = vec![0xff; len];
            form[len - 1] = last;
            for before in 0..70 {
                for filler in [&[0x03][..], &[0x83, 0x80, 0x80, 0x03]] {
                    let mut bytes: Vec<u8> =
                        filler.iter().copied().cycle().take(before * filler.len()).collect();
                    bytes.extend_from_slice(&form);
                    bytes.extend(filler.iter().copied().cycle().take(100 * filler.len()));
                    check_read(&bytes, 200);
                }
            }
        }
    }
}

#[test]
fn narrower_types_are_taken() {
    let mut out = [0; 200];
    let mut encoder = Encoder::new(&mut out);
    assert_eq!(encoder.uleb128s(&[u8::MAX; 20]), Ok(()));
    assert_eq!(encoder.sleb128s(&[i16::MIN; 20]), Ok(()));
    assert_eq!(encoder.uleb128s::<u32>(&[]), Ok(()));
    assert_eq!(encoder.finish(), 20 * 2 + 20 * 3);
    assert_eq!(read_uleb128s(&out, &mut [0; 20]), Ok(Progress { values: 20, bytes: 40 }));
    let mut values = [0; 20];
    assert_eq!(read_sleb128s(&out[40..], &mut values), Ok(Progress { values: 20, bytes: 60 }));
    assert_eq!(values, [i16::MIN.into(); 20]);
}

#[test]
fn messages_say_where() {
    let stopped = read_uleb128s(&[1, 2, 0x80], &mut [0; 9]).unwrap_err();
    assert_eq!(stopped.to_string(), "LEB128 value is cut short, at byte 2, behind 2 values");
    assert_eq!(std::error::Error::source(&stopped).unwrap().to_string(), "LEB128 value is cut short");
}

/// Bytes of several kinds, one after the other: anything, mostly last ones, mostly continued ones.
fn mixed() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        prop::collection::vec(prop_oneof![8 => 0..0x80_u8, 1 => any::<u8>()], 0..90),
        prop::collection::vec(prop_oneof![4 => 0x80..=u8::MAX, 1 => 0..0x80_u8], 0..200),
    ];
    prop::collection::vec(kind, 0..5).prop_map(|kinds| kinds.concat())
}

/// Numbers of several sizes, one after the other.
fn numbers() -> impl Strategy<Value = Vec<u64>> {
    let kind = prop_oneof![
        prop::collection::vec(0..0x80_u64, 0..40),
        prop::collection::vec((-0x40..0x40_i64).prop_map(|value| value as u64), 0..40),
        prop::collection::vec((-0x2100..0x2100_i64).prop_map(|value| value as u64), 0..40),
        prop::collection::vec(0..0x4100_u64, 0..40),
        prop::collection::vec((any::<i64>(), 0..64).prop_map(|(bits, shift)| (bits >> shift) as u64), 0..40),
    ];
    prop::collection::vec(kind, 0..6).prop_map(|kinds| kinds.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn many_are_read_as_one_at_a_time(bytes in mixed(), room in 0..600_usize) {
        check_read(&bytes, room);
    }

    #[test]
    fn many_are_written_as_one_at_a_time(values in numbers(), room in 0..2000_usize) {
        check_write_both(&values, room);
        check_write_both(&values, 10 * values.len());
    }

    #[test]
    fn written_values_are_read_back(values in numbers()) {
        let mut out = vec![0; 10 * values.len()];
        let mut encoder = Encoder::new(&mut out);
        encoder.uleb128s(&values)?;
        let len = encoder.finish();
        let mut again = vec![0; values.len() + 1];
        let done = Progress { values: values.len(), bytes: len };
        prop_assert_eq!(read_uleb128s(&out[..len], &mut again), Ok(done));
        prop_assert_eq!(&again[..values.len()], &values[..]);
    }
}
