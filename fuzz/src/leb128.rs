//! Bytes -> value -> bytes, with gimli as the second reader.

use gimli::{EndianSlice, LittleEndian, Reader};
use leb128_nv::{MAX_LEN, read_sleb128, read_uleb128, skip, sleb128, uleb128};

/// Reads a value from the start of `data`, signed and unsigned, and writes it again.
///
/// # Panics
///
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
    let mut rest = EndianSlice::new(data, LittleEndian);
    let unsigned = read_uleb128(data);
    assert_eq!(unsigned.ok(), rest.read_uleb128().ok().map(|value| (value, data.len() - rest.len())));
    if let Ok((value, used)) = unsigned {
        check(data, used, &uleb128(value));
        assert_eq!(read_uleb128(&uleb128(value)), Ok((value, uleb128(value).len())));
    }
    rest = EndianSlice::new(data, LittleEndian);
    let signed = read_sleb128(data);
    assert_eq!(signed.ok(), rest.read_sleb128().ok().map(|value| (value, data.len() - rest.len())));
    if let Ok((value, used)) = signed {
        check(data, used, &sleb128(value));
        assert_eq!(read_sleb128(&sleb128(value)), Ok((value, sleb128(value).len())));
    }
}

/// The encoding is the shortest form: the bytes read, unless those were padded.
fn check(data: &[u8], used: usize, encoded: &[u8]) {
    assert_eq!(skip(data), Ok(used));
    assert!(used <= MAX_LEN && encoded.len() <= used);
    assert!(encoded.len() < used || data.starts_with(encoded));
}
