//! Two independent implementations, `leb128` and gimli, agree with this one on values, lengths and
//! errors.

use gimli::{EndianSlice, LittleEndian, Reader};
use leb128_nv::{
    Error, MAX_LEN, read_sleb128, read_sleb128_as, read_uleb128, read_uleb128_as, skip, sleb128, sleb128_len,
    sleb128_padded, uleb128, uleb128_len, uleb128_padded,
};
use proptest::prelude::*;

/// Value and used length by the `leb128` crate. Its errors are not compared: of a value that is
/// both too large and cut short it reports the cut.
fn by_leb128<'a, T>(
    mut bytes: &'a [u8],
    read: fn(&mut &'a [u8]) -> Result<T, leb128::read::Error>,
) -> Option<(T, usize)> {
    let all = bytes.len();
    read(&mut bytes).ok().map(|value| (value, all - bytes.len()))
}

/// Value and used length by gimli.
fn by_gimli<'a, T>(
    bytes: &'a [u8],
    read: impl Fn(&mut EndianSlice<'a, LittleEndian>) -> gimli::Result<T>,
) -> Result<(T, usize), Error> {
    let mut rest = EndianSlice::new(bytes, LittleEndian);
    match read(&mut rest) {
        Ok(value) => Ok((value, bytes.len() - rest.len())),
        Err(gimli::Error::UnexpectedEof(_)) => Err(Error::Truncated),
        Err(_) => Err(Error::Overflow),
    }
}

fn check_decode(bytes: &[u8]) {
    let (unsigned, signed) = (read_uleb128(bytes), read_sleb128(bytes));
    assert_eq!(unsigned.ok(), by_leb128(bytes, leb128::read::unsigned), "{bytes:02x?}");
    assert_eq!(signed.ok(), by_leb128(bytes, leb128::read::signed), "{bytes:02x?}");
    assert_eq!(unsigned, by_gimli(bytes, Reader::read_uleb128), "{bytes:02x?}");
    assert_eq!(signed, by_gimli(bytes, Reader::read_sleb128), "{bytes:02x?}");
    check_skip(bytes);
    // Value and length are all there is to an encoding, padded or not.
    if let Ok((value, used)) = unsigned {
        assert_eq!(uleb128_padded(value, used).as_deref(), Ok(&bytes[..used]));
    }
    if let Ok((value, used)) = signed {
        assert_eq!(sleb128_padded(value, used).as_deref(), Ok(&bytes[..used]));
    }
    check_narrow(bytes);
}

/// gimli's `skip` has no limit; ours ends where no 64-bit value can go on.
fn check_skip(bytes: &[u8]) {
    let expected = by_gimli(bytes, Reader::skip_leb128).map(|((), used)| used);
    match expected {
        Ok(used) if used > MAX_LEN => assert_eq!(skip(bytes), Err(Error::Overflow)),
        Err(_) if bytes.len() >= MAX_LEN => assert_eq!(skip(bytes), Err(Error::Overflow)),
        _ => assert_eq!(skip(bytes), expected, "{bytes:02x?}"),
    }
}

fn check_narrow(bytes: &[u8]) {
    assert_eq!(read_uleb128_as::<u32>(bytes), by_gimli(bytes, Reader::read_uleb128_u32), "{bytes:02x?}");
    let sixteen = read_uleb128_as::<u16>(bytes);
    match read_uleb128(bytes) {
        // gimli takes no 16-bit value of more than three bytes, however small it is.
        Ok((value, used @ 4..)) => assert_eq!(sixteen.ok(), u16::try_from(value).ok().map(|v| (v, used))),
        Err(error) => assert_eq!(sixteen, Err(error)),
        Ok(_) => assert_eq!(sixteen, by_gimli(bytes, Reader::read_uleb128_u16), "{bytes:02x?}"),
    }
    match read_sleb128(bytes) {
        Ok((value, used)) => {
            let (low, high) = (value as i16, value as i32);
            let expected = if i64::from(low) == value { Ok((low, used)) } else { Err(Error::Overflow) };
            assert_eq!(read_sleb128_as::<i16>(bytes), expected);
            let expected = if i64::from(high) == value { Ok((high, used)) } else { Err(Error::Overflow) };
            assert_eq!(read_sleb128_as::<i32>(bytes), expected);
        }
        Err(error) => {
            assert_eq!(read_sleb128_as::<i16>(bytes), Err(error));
            assert_eq!(read_sleb128_as::<i32>(bytes), Err(error));
        }
    }
}

fn check_encode(bits: u64) {
    let (unsigned, signed) = (uleb128(bits), sleb128(bits as i64));
    let mut expected = Vec::new();
    leb128::write::unsigned(&mut expected, bits).expect("a Vec takes all");
    assert_eq!(unsigned.as_slice(), expected, "{bits:#x}");
    assert_eq!(unsigned.len(), uleb128_len(bits));
    assert_eq!(unsigned.len(), leb128::write::unsigned_len(bits));
    expected.clear();
    leb128::write::signed(&mut expected, bits as i64).expect("a Vec takes all");
    assert_eq!(signed.as_slice(), expected, "{bits:#x} signed");
    assert_eq!(signed.len(), sleb128_len(bits as i64));
    assert_eq!(signed.len(), leb128::write::signed_len(bits as i64));
    for encoded in [unsigned, signed] {
        let all = encoded.to_bits().to_le_bytes();
        assert!(
            all.starts_with(&encoded) && all[encoded.len()..].iter().all(|byte| *byte == 0),
            "{encoded:?}"
        );
    }
    assert_eq!(read_uleb128(&unsigned), Ok((bits, unsigned.len())));
    assert_eq!(read_sleb128(&signed), Ok((bits as i64, signed.len())));
}

#[test]
fn every_input_of_up_to_two_bytes() {
    check_decode(&[]);
    for first in 0..=u8::MAX {
        check_decode(&[first]);
        for second in 0..=u8::MAX {
            check_decode(&[first, second]);
            // The same two bytes where eight can be read at once.
            check_decode(&[first, second, 0xff, 0x80, 0x01, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0]);
        }
    }
}

#[test]
fn every_input_of_three_bytes_that_needs_the_third() {
    for first in 0x80..=u8::MAX {
        for second in 0x80..=u8::MAX {
            for third in 0..=u8::MAX {
                check_decode(&[first, second, third]);
                check_decode(&[first, second, third, 0x80, 0xff, 0x7f, 0x80, 0x80, 0x80, 0, 0x55]);
            }
        }
    }
}

#[test]
fn values_beside_every_power_of_two() {
    for shift in 0..u64::BITS {
        for step in -2..=2 {
            check_encode((1_u64 << shift).wrapping_add_signed(step));
            check_encode((1_u64 << shift).wrapping_neg().wrapping_add_signed(step));
        }
    }
}

#[test]
fn every_value_of_up_to_three_bytes() {
    (0..1 << 21).for_each(check_encode);
}

#[test]
fn the_tenth_byte_holds_one_bit_or_the_sign() {
    for last in 0..=u8::MAX {
        for body in [0x80, 0xff, 0xaa] {
            let mut bytes = [body; 12];
            bytes[MAX_LEN - 1] = last;
            check_decode(&bytes);
            check_decode(&bytes[..MAX_LEN]);
        }
    }
    assert_eq!(skip(&[0x80; 11]), Err(Error::Overflow));
    assert_eq!(skip(&[0x80; 9]), Err(Error::Truncated));
}

#[test]
fn figures_of_the_specification() {
    // DWARF 2.0.0 §7.6, figures 30 and 31.
    for (value, bytes) in
        [(2, &[2][..]), (127, &[0x7f]), (128, &[0x80, 1]), (129, &[0x81, 1]), (12857, &[0xb9, 0x64])]
    {
        assert_eq!(uleb128(value).as_slice(), bytes);
    }
    for (value, bytes) in [
        (2, &[2][..]),
        (-2, &[0x7e]),
        (127, &[0xff, 0]),
        (-127, &[0x81, 0x7f]),
        (128, &[0x80, 1]),
        (-128, &[0x80, 0x7f]),
        (129, &[0x81, 1]),
        (-129, &[0xff, 0x7e]),
    ] {
        assert_eq!(sleb128(value).as_slice(), bytes);
    }
}

#[test]
fn fits_two_registers() {
    assert!(size_of::<leb128_nv::Leb128>() <= 16);
}

/// Bytes that mostly continue, so that long values are common.
fn mostly_continued() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![4 => 0x80..=u8::MAX, 1 => any::<u8>()], 0..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn decode_agrees(bytes in mostly_continued()) {
        check_decode(&bytes);
    }

    #[test]
    fn encode_agrees(bits in any::<u64>(), shift in 0..u64::BITS) {
        check_encode(bits >> shift);
        check_encode(((bits as i64) >> shift) as u64);
    }
}
