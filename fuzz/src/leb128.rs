//! Fuzz target: LEB128 numbers in any bytes. gimli's reader and ours agree, and what was read is
//! written again.
//!
//! The writer makes the shortest form, or with the length that was read the same bytes. It writes
//! nothing beside them, and nothing where there is no room.

use crate::Target;
use crate::seeds::sections;
use gimli::{EndianSlice, LittleEndian, Reader};
use leb128_nv::{
    Encoder, Error, Leb128, MAX_LEN, read_sleb128, read_sleb128_as, read_uleb128, read_uleb128_as, skip,
    sleb128, sleb128_padded, uleb128, uleb128_padded, write_sleb128, write_uleb128,
};

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(100_000, 12);
    target.run_on_damaged(1_000, &sections());
}

/// Reads a value from the start of `data`, signed and unsigned, and writes it again; then all
/// values that `data` holds.
pub(crate) fn run(data: &[u8]) {
    let mut rest = EndianSlice::new(data, LittleEndian);
    let unsigned = read_uleb128(data);
    assert_eq!(unsigned.ok(), rest.read_uleb128().ok().map(|value| (value, data.len() - rest.len())));
    if let Ok((value, used)) = unsigned {
        check(data, used, uleb128(value), |len| uleb128_padded(value, len), |out| write_uleb128(out, value));
        assert_eq!(read_uleb128(&uleb128(value)), Ok((value, uleb128(value).len())));
        assert_eq!(read_uleb128_as::<u16>(data).ok(), u16::try_from(value).ok().map(|value| (value, used)));
        assert_eq!(read_uleb128_as::<u32>(data).ok(), u32::try_from(value).ok().map(|value| (value, used)));
    }
    rest = EndianSlice::new(data, LittleEndian);
    let signed = read_sleb128(data);
    assert_eq!(signed.ok(), rest.read_sleb128().ok().map(|value| (value, data.len() - rest.len())));
    if let Ok((value, used)) = signed {
        check(data, used, sleb128(value), |len| sleb128_padded(value, len), |out| write_sleb128(out, value));
        assert_eq!(read_sleb128(&sleb128(value)), Ok((value, sleb128(value).len())));
        assert_eq!(read_sleb128_as::<i16>(data).ok(), i16::try_from(value).ok().map(|value| (value, used)));
        assert_eq!(read_sleb128_as::<i32>(data).ok(), i32::try_from(value).ok().map(|value| (value, used)));
    }
    check_all(data);
}

/// Asserts that the encoding is the shortest form: the bytes read, unless those were padded. Padded
/// to their length it is those bytes. It fits into a buffer of its length, does not touch later
/// bytes of a longer one, and is rejected for a shorter one.
fn check(
    data: &[u8],
    used: usize,
    encoded: Leb128,
    padded: impl Fn(usize) -> Result<Leb128, Error>,
    write: impl Fn(&mut [u8]) -> Result<usize, Error>,
) {
    assert_eq!(skip(data), Ok(used));
    assert!(used <= MAX_LEN && encoded.len() <= used);
    assert!(encoded.len() < used || data.starts_with(&encoded));
    assert_eq!(padded(used).as_deref(), Ok(&data[..used]));
    assert_eq!(padded(encoded.len() - 1), Err(Error::Overflow));
    assert_eq!(padded(MAX_LEN + 1), Err(Error::Overflow));

    let mut out = [0xee; 2 * MAX_LEN];
    assert_eq!(write(&mut out[..encoded.len() - 1]), Err(Error::Overflow));
    assert_eq!(out, [0xee; 2 * MAX_LEN]);
    assert_eq!(write(&mut out), Ok(encoded.len()));
    let (written, after) = out.split_at(encoded.len());
    assert!(written == encoded.as_slice() && after.iter().all(|byte| *byte == 0xee));
}

/// The values of `data`, signed where their first byte is odd, through an encoder with as much room
/// as they took: all fit, and read back the same.
fn check_all(data: &[u8]) {
    let (mut out, mut values, mut at) = (vec![0; data.len()], Vec::new(), 0);
    let mut encoder = Encoder::new(&mut out);
    while let Some(first) = data.get(at) {
        let signed = first & 1 != 0;
        let read = if signed {
            read_sleb128(&data[at..]).map(|(value, used)| (value as u64, used))
        } else {
            read_uleb128(&data[at..])
        };
        let Ok((value, used)) = read else { break };
        let put = if signed { encoder.sleb128(value as i64) } else { encoder.uleb128(value) };
        assert_eq!(put, Ok(()));
        values.push((signed, value));
        at += used;
    }
    let len = encoder.finish();
    let mut written = &out[..len];
    for (signed, value) in values {
        let (again, used) = if signed {
            read_sleb128(written).map(|(value, used)| (value as u64, used))
        } else {
            read_uleb128(written)
        }
        .expect("as written");
        assert_eq!(again, value);
        written = &written[used..];
    }
    assert!(written.is_empty());
}
