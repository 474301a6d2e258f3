//! What the targets of the codecs have in common.

use nv_debug_sections::Result;

/// How many lines each source file has, for those who ask.
pub(crate) const SOURCE_LINES: u32 = 20;

/// `decoded`, if there is nothing wrong with it; errors lie in the data.
pub(crate) fn decoded<T>(data: &[u8], decoded: Result<T>) -> Option<T> {
    decoded.inspect_err(|error| assert!(error.offset() <= data.len() as u64, "{error}")).ok()
}

/// The law of sections that say everything in one way only: `encode(decode(b)) == b` for any `b` that decodes.
pub(crate) fn exact<T>(data: &[u8], result: Result<T>, encode: impl Fn(&T) -> Result<Vec<u8>>) {
    if let Some(values) = decoded(data, result) {
        assert_eq!(encode(&values).expect("what was decoded can be encoded"), data);
    }
}

/// The ULEB128 number at the front of `data`: its bytes (none if it does not end) and what gimli reads there, if it fits 64 bits.
pub(crate) fn uleb(data: &[u8]) -> (&[u8], Option<u64>) {
    let len = data.iter().position(|byte| byte & 0x80 == 0).map_or(0, |last| last + 1);
    let bytes = &data[..len];
    let number = gimli::leb128::read::unsigned(&mut gimli::EndianSlice::new(bytes, gimli::LittleEndian));
    (bytes, number.ok().filter(|_| len > 0))
}
