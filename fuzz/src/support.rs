//! The common part of the targets of the codecs.

use dwarf2_reader::Span;

/// How many lines each source file has, for those who ask.
pub(crate) const SOURCE_LINES: u32 = 20;

/// `decoded`, if there is nothing wrong with it; errors lie in the data.
pub(crate) fn decoded<T>(data: &[u8], decoded: nv_debug_sections::Result<T>) -> Option<T> {
    decoded.inspect_err(|error| assert!(error.offset() <= data.len() as u64, "{error}")).ok()
}

/// The law of sections that say everything in one way only: `encode(decode(b)) == b` for any `b`
/// that decodes.
pub(crate) fn exact<T>(
    data: &[u8],
    result: nv_debug_sections::Result<T>,
    encode: impl Fn(&T) -> nv_debug_sections::Result<Vec<u8>>,
) {
    if let Some(values) = decoded(data, result) {
        assert_eq!(encode(&values).expect("what was decoded can be encoded"), data);
    }
}

/// The ULEB128 number at the front of `data`: its bytes (none if it does not end) and what gimli
/// reads there, if it fits 64 bits.
pub(crate) fn uleb(data: &[u8]) -> (&[u8], Option<u64>) {
    let len = data.iter().position(|byte| byte & 0x80 == 0).map_or(0, |last| last + 1);
    let bytes = &data[..len];
    let number = gimli::leb128::read::unsigned(&mut gimli::EndianSlice::new(bytes, gimli::LittleEndian));
    (bytes, number.ok().filter(|_| len > 0))
}

/// Asserts that items follow one another and fill `whole`, up to the first error, which is the last
/// item.
pub(crate) fn assert_filled<T>(
    whole: Span,
    mut items: impl Iterator<Item = dwarf2_reader::Result<(Span, T)>>,
) {
    let mut at = whole.start;
    while let Some(item) = items.next() {
        match item {
            Ok((span, _)) => {
                assert!(span.start == at && at < span.end, "{span:x?} after {at:#x}");
                at = span.end;
            }
            Err(error) => {
                assert!(error.offset <= whole.end, "{error}");
                assert!(items.next().is_none(), "something follows an error");
                return;
            }
        }
    }
    assert_eq!(at, whole.end);
}

/// What can be written again has the same bytes; or fewer, if numbers were padded, and then these
/// stay the same.
pub(crate) fn assert_written(section: &[u8], write: impl Fn(&[u8]) -> Result<Vec<u8>, &'static str>) {
    if let Ok(written) = write(section) {
        assert!(written.len() <= section.len());
        if written.len() == section.len() {
            assert_eq!(written, section);
        }
        assert_eq!(write(&written).as_ref(), Ok(&written));
    }
}
