//! Into buffers of every size: what fits is written and nothing else, what does not leaves no
//! trace.

use leb128_nv::{
    Encoder, Error, Field, Leb128, MAX_LEN, read_sleb128, read_uleb128, sleb128, sleb128_padded, uleb128,
    uleb128_padded, write_sleb128, write_uleb128,
};
use proptest::prelude::*;

/// What buffers are filled with: a byte that no encoding of [`edges`] has.
const FILL: u8 = 0xee;

/// Values of every length, both signs.
fn edges() -> impl Iterator<Item = u64> {
    let lengths = (0..u64::BITS).map(|bits| 1_u64 << bits);
    lengths.flat_map(|bit| [bit - 1, bit, bit + 1, bit.wrapping_neg(), !bit]).chain([0, 0x50, u64::MAX])
}

/// `write` into buffers from nothing to more than enough.
fn check_write(expected: Leb128, write: impl Fn(&mut [u8]) -> Result<usize, Error>) {
    for room in 0..=MAX_LEN + 8 {
        let mut out = vec![FILL; room];
        let written = write(&mut out);
        let len = if expected.len() <= room { expected.len() } else { 0 };
        assert_eq!(written, if len > 0 { Ok(len) } else { Err(Error::Overflow) }, "{expected:?} in {room}");
        assert_eq!(out[..len], expected[..len]);
        assert!(out[len..].iter().all(|byte| *byte == FILL), "{expected:?} in {room}: {out:02x?}");
    }
}

#[test]
fn one_number_takes_exactly_its_bytes() {
    for bits in edges() {
        let (unsigned, signed) = (uleb128(bits), sleb128(bits as i64));
        check_write(unsigned, |out| write_uleb128(out, bits));
        check_write(signed, |out| write_sleb128(out, bits as i64));
        for value in [unsigned, signed] {
            check_write(value, |out| value.write(out));
            check_write(value, |out| Field::FILE_SIZE.write(value, out).map_err(|_| Error::Overflow));
        }
    }
}

#[test]
fn one_number_in_an_encoder() {
    for bits in edges() {
        for (signed, expected) in [(false, uleb128(bits)), (true, sleb128(bits as i64))] {
            for room in 0..24 {
                let mut out = vec![FILL; room];
                let mut encoder = Encoder::new(&mut out);
                let put = if signed { encoder.sleb128(bits as i64) } else { encoder.uleb128(bits) };
                let fits = expected.len() <= room;
                assert_eq!(put, if fits { Ok(()) } else { Err(Error::Overflow) });
                assert_eq!(encoder.written(), if fits { expected.len() } else { 0 });
                let written = encoder.finish();
                assert_eq!(out[..written], expected[..written]);
                assert!(fits || out.iter().all(|byte| *byte == FILL));
            }
        }
    }
}

#[test]
fn narrower_types_are_taken() {
    let mut out = [0; 16];
    assert_eq!(write_uleb128(&mut out, u8::MAX), Ok(2));
    assert_eq!(write_uleb128(&mut out, u16::MAX), Ok(3));
    assert_eq!(write_uleb128(&mut out, u32::MAX), Ok(5));
    assert_eq!(write_sleb128(&mut out, i8::MIN), Ok(2));
    assert_eq!(write_sleb128(&mut out, i16::MIN), Ok(3));
    assert_eq!(write_sleb128(&mut out, i32::MIN), Ok(5));
    assert_eq!(read_sleb128(&out), Ok((i32::MIN.into(), 5)));
    let mut encoder = Encoder::new(&mut out);
    assert_eq!((encoder.uleb128(u8::MAX), encoder.sleb128(i16::MIN)), (Ok(()), Ok(())));
    assert_eq!(encoder.finish(), 5);
    assert_eq!(out[..5], [0xff, 0x01, 0x80, 0x80, 0x7e]);
}

#[test]
fn padded_forms_of_every_length() {
    for bits in edges() {
        let (unsigned, signed) = (uleb128(bits), sleb128(bits as i64));
        for len in 0..=MAX_LEN + 6 {
            let padded = uleb128_padded(bits, len);
            if (unsigned.len()..=MAX_LEN).contains(&len) {
                let padded = padded.unwrap();
                assert_eq!(padded.len(), len);
                assert_eq!(read_uleb128(&padded), Ok((bits, len)));
                assert!(len > unsigned.len() || padded == unsigned);
            } else {
                assert_eq!(padded, Err(Error::Overflow), "{bits:#x} in {len}");
            }
            let padded = sleb128_padded(bits as i64, len);
            if (signed.len()..=MAX_LEN).contains(&len) {
                let padded = padded.unwrap();
                assert_eq!(padded.len(), len);
                assert_eq!(read_sleb128(&padded), Ok((bits as i64, len)));
                assert!(len > signed.len() || padded == signed);
            } else {
                assert_eq!(padded, Err(Error::Overflow), "{bits:#x} signed in {len}");
            }
        }
    }
    assert_eq!(uleb128_padded(0x50, 2).unwrap().as_slice(), [0xd0, 0x00]);
    assert_eq!(sleb128_padded(-2, 4).unwrap().as_slice(), [0xfe, 0xff, 0xff, 0x7f]);
}

proptest! {
    /// A number that does not fit is left out, and those after it that do are written.
    #[test]
    fn an_encoder_is_its_numbers_joined(
        numbers in prop::collection::vec((any::<bool>(), any::<i64>(), 0..64), 0..40),
        room in 0..200_usize,
    ) {
        let (mut out, mut expected) = (vec![FILL; room], Vec::new());
        let mut encoder = Encoder::new(&mut out);
        for (signed, bits, shift) in numbers {
            let value = bits >> shift;
            let encoded = if signed { sleb128(value) } else { uleb128(value as u64) };
            let put = if signed { encoder.sleb128(value) } else { encoder.uleb128(value as u64) };
            prop_assert_eq!(put.is_ok(), expected.len() + encoded.len() <= room);
            if put.is_ok() {
                expected.extend_from_slice(&encoded);
            }
            prop_assert_eq!(encoder.written(), expected.len());
        }
        let written = encoder.finish();
        prop_assert_eq!(&out[..written], &expected[..]);
    }
}
