//! Characters that stand for bytes that are not UTF-8.

/// The character that stands for byte 0.
pub(super) const RAW_BYTE: u32 = 0xf700;

/// Returns the byte that a character from U+F780 to U+F7FF stands for. Such characters stand for
/// the bytes 0x80 to 0xff of a file that is not UTF-8. PTX is ASCII, so such bytes are only quoted,
/// escaped or kept.
pub fn raw_byte(c: char) -> Option<u8> {
    u8::try_from(u32::from(c).wrapping_sub(RAW_BYTE)).ok().filter(|byte| !byte.is_ascii())
}

/// The character for a byte that is not UTF-8. An ASCII byte is itself.
pub(crate) fn raw_byte_as_char(byte: u8) -> char {
    if byte.is_ascii() { char::from(byte) } else { char::from_u32(RAW_BYTE + u32::from(byte)).unwrap_or('?') }
}
