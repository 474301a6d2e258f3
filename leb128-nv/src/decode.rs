//! Bytes to values: eight bytes at once where there are that many, else byte by byte.

use crate::{CONTINUE, Error, MAX_LEN};

/// Reads a ULEB128 value from the start of `bytes`: the value and how many bytes it used.
///
/// Padded encodings (`80 00`) are accepted up to [`MAX_LEN`] bytes.
///
/// ```
/// use leb128_nv::{Error, read_uleb128};
/// assert_eq!(read_uleb128(&[0xac, 0x02, 0xff]), Ok((300, 2)));
/// assert_eq!(read_uleb128(&[0x80]), Err(Error::Truncated));
/// ```
#[inline]
pub fn read_uleb128(bytes: &[u8]) -> Result<(u64, usize), Error> {
    match bytes {
        [byte, ..] if *byte < 0x80 => Ok((u64::from(*byte), 1)),
        _ => match word(bytes) {
            Some(short) => Ok(short),
            None => long(bytes, |tenth| tenth <= 1),
        },
    }
}

/// Reads an SLEB128 value from the start of `bytes`: the value and how many bytes it used.
///
/// Padded encodings (`ff 7f`) are accepted up to [`MAX_LEN`] bytes.
///
/// ```
/// assert_eq!(leb128_nv::read_sleb128(&[0x9b, 0xf1, 0x59]), Ok((-624_485, 3)));
/// ```
#[inline]
pub fn read_sleb128(bytes: &[u8]) -> Result<(i64, usize), Error> {
    let (value, len) = match bytes {
        [byte, ..] if *byte < 0x80 => (u64::from(*byte), 1),
        _ => match word(bytes) {
            Some(short) => short,
            None => long(bytes, |tenth| tenth == 0 || tenth == 0x7f)?,
        },
    };
    let unused = u64::BITS.saturating_sub(7 * len as u32); // the sign is the top bit of the last group
    Ok(((value << unused) as i64 >> unused, len))
}

/// How many bytes the LEB128 value at the start of `bytes` takes, signed or not; its size in bits is not checked.
///
/// ```
/// assert_eq!(leb128_nv::skip(&[0x80, 0x80, 0x00, 0x55]), Ok(3));
/// ```
#[inline]
pub fn skip(bytes: &[u8]) -> Result<usize, Error> {
    match bytes.iter().take(MAX_LEN).position(|byte| *byte < 0x80) {
        Some(last) => Ok(last + 1),
        None if bytes.len() < MAX_LEN => Err(Error::Truncated),
        None => Err(Error::Overflow),
    }
}

/// A value that ends within the next eight bytes, when there are eight bytes to look at.
#[inline]
fn word(bytes: &[u8]) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(*bytes.first_chunk()?);
    let ends = !word & CONTINUE;
    if ends == 0 {
        return None;
    }
    let used = ends ^ (ends - 1); // every bit up to the end mark of the last byte
    Some((gather(word & used & !CONTINUE), ends.trailing_zeros() as usize / 8 + 1))
}

/// Moves the low 7 bits of each byte together: the reverse of the encoder's `spread`.
#[inline]
const fn gather(v: u64) -> u64 {
    let v = (v & 0x007f_007f_007f_007f) | (v & 0x7f00_7f00_7f00_7f00) >> 1;
    let v = (v & 0x0000_3fff_0000_3fff) | (v & 0x3fff_0000_3fff_0000) >> 2;
    (v & 0x0000_0000_0fff_ffff) | (v & 0x0fff_ffff_0000_0000) >> 4
}

/// Byte by byte: values of nine or ten bytes, and those close to the end of `bytes`.
#[cold]
fn long(bytes: &[u8], tenth_fits: fn(u8) -> bool) -> Result<(u64, usize), Error> {
    let mut value = 0;
    for (i, byte) in bytes.iter().copied().enumerate() {
        if i == MAX_LEN - 1 && !tenth_fits(byte) {
            return Err(Error::Overflow);
        }
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Ok((value, i + 1));
        }
    }
    Err(Error::Truncated)
}
