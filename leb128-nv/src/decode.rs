//! Decoding. One to three bytes, the common case, are read by branches; longer numbers eight bytes
//! at once if there are that many, otherwise byte by byte.

use crate::{CONTINUE, Error, MAX_LEN};

/// Reads a ULEB128 value from the start of `bytes`. Returns the value and the number of bytes it
/// takes.
///
/// Padded encodings (`d0 00` for 0x50) are accepted up to [`MAX_LEN`] bytes;
/// [`uleb128_padded`](crate::uleb128_padded) of the two writes the same bytes again.
///
/// # Errors
///
/// [`Error::Truncated`] if `bytes` end first, [`Error::Overflow`] if the value needs more than 64
/// bits or ten bytes.
///
/// ```
/// use leb128_nv::{Error, read_uleb128};
/// assert_eq!(read_uleb128(&[0xac, 0x02, 0xff]), Ok((300, 2)));
/// assert_eq!(read_uleb128(&[0x80]), Err(Error::Truncated));
/// ```
#[inline]
pub fn read_uleb128(bytes: &[u8]) -> Result<(u64, usize), Error> {
    match *bytes {
        [a @ ..0x80, ..] => Ok((a.into(), 1)),
        [a, b @ ..0x80, ..] => Ok((two(a, b), 2)),
        [a, b, c @ ..0x80, ..] => Ok((three(a, b, c), 3)),
        _ => match word(bytes) {
            Some(read) => Ok(read),
            None => match long(bytes)? {
                (_, MAX_LEN, 2..) => Err(Error::Overflow),
                (value, used, _) => Ok((value, used)),
            },
        },
    }
}

/// Reads an SLEB128 value from the start of `bytes`. Returns the value and the number of bytes it
/// takes.
///
/// Padded encodings (`ff 7f` for -1) are accepted up to [`MAX_LEN`] bytes;
/// [`sleb128_padded`](crate::sleb128_padded) of the two writes the same bytes again.
///
/// # Errors
///
/// As [`read_uleb128`].
///
/// ```
/// assert_eq!(leb128_nv::read_sleb128(&[0x9b, 0xf1, 0x59]), Ok((-624_485, 3)));
/// ```
#[inline]
pub fn read_sleb128(bytes: &[u8]) -> Result<(i64, usize), Error> {
    match *bytes {
        [a @ ..0x80, ..] => Ok((extend(a.into(), 1), 1)),
        [a, b @ ..0x80, ..] => Ok((extend(two(a, b), 2), 2)),
        [a, b, c @ ..0x80, ..] => Ok((extend(three(a, b, c), 3), 3)),
        _ => match word(bytes) {
            Some((value, used)) => Ok((extend(value, used), used)),
            None => match long(bytes)? {
                (_, MAX_LEN, last) if last != 0 && last != 0x7f => Err(Error::Overflow),
                (value, used, _) => Ok((extend(value, used), used)),
            },
        },
    }
}

/// Reads a ULEB128 value into a narrower type, as [`read_uleb128`]: `u8`, `u16`, `u32`, `usize`, or
/// any that a `u64` converts to if it fits.
///
/// # Errors
///
/// Those of [`read_uleb128`]; [`Error::Overflow`] if the value does not fit in `T`. How long the
/// encoding is does not matter.
///
/// ```
/// use leb128_nv::{Error, read_uleb128_as};
/// assert_eq!(read_uleb128_as::<u16>(&[0xff, 0xff, 0x83, 0x00]), Ok((0xffff, 4)));
/// assert_eq!(read_uleb128_as::<u16>(&[0x80, 0x80, 0x04]), Err(Error::Overflow));
/// ```
#[inline]
pub fn read_uleb128_as<T: TryFrom<u64>>(bytes: &[u8]) -> Result<(T, usize), Error> {
    let (value, used) = read_uleb128(bytes)?;
    Ok((T::try_from(value).map_err(|_| Error::Overflow)?, used))
}

/// Reads an SLEB128 value into a narrower type, as [`read_sleb128`]: `i8`, `i16`, `i32`, `isize`,
/// an unsigned one, or any that an `i64` converts to if it fits.
///
/// # Errors
///
/// Those of [`read_sleb128`]; [`Error::Overflow`] if the value does not fit in `T`. How long the
/// encoding is does not matter.
///
/// ```
/// use leb128_nv::{Error, read_sleb128_as};
/// assert_eq!(read_sleb128_as::<i16>(&[0x80, 0x80, 0x7e]), Ok((i16::MIN, 3)));
/// assert_eq!(read_sleb128_as::<u32>(&[0x7f]), Err(Error::Overflow));
/// ```
#[inline]
pub fn read_sleb128_as<T: TryFrom<i64>>(bytes: &[u8]) -> Result<(T, usize), Error> {
    let (value, used) = read_sleb128(bytes)?;
    Ok((T::try_from(value).map_err(|_| Error::Overflow)?, used))
}

/// Returns the number of bytes of the LEB128 value at the start of `bytes`, signed or not. Whether
/// the value fits a type is not checked.
///
/// # Errors
///
/// [`Error::Truncated`] if `bytes` end first, [`Error::Overflow`] if none of the first [`MAX_LEN`]
/// is the last.
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

/// The value of two bytes, the second the last.
#[inline]
fn two(first: u8, second: u8) -> u64 {
    u64::from(first & 0x7f) | u64::from(second) << 7
}

/// The value of three bytes, the third the last.
#[inline]
fn three(first: u8, second: u8, third: u8) -> u64 {
    two(first, second & 0x7f) | u64::from(third) << 14
}

/// The value of `groups` groups as a signed number: the sign is the top bit of the last group.
#[inline]
fn extend(value: u64, groups: usize) -> i64 {
    let unused = u64::BITS.saturating_sub(7 * groups as u32);
    (value << unused) as i64 >> unused
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
pub(crate) const fn gather(v: u64) -> u64 {
    let v = (v & 0x007f_007f_007f_007f) | (v & 0x7f00_7f00_7f00_7f00) >> 1;
    let v = (v & 0x0000_3fff_0000_3fff) | (v & 0x3fff_0000_3fff_0000) >> 2;
    (v & 0x0000_0000_0fff_ffff) | (v & 0x0fff_ffff_0000_0000) >> 4
}

/// Values of nine or ten bytes, and those close to the end of `bytes`: value, length and last byte.
/// The tenth byte is the last whether it ends the value or not.
fn long(bytes: &[u8]) -> Result<(u64, usize, u8), Error> {
    if let Some((low, [ninth, tenth, ..])) = bytes.split_first_chunk() {
        // Only called where none of the first eight ends the value.
        let value = gather(u64::from_le_bytes(*low) & !CONTINUE) | u64::from(ninth & 0x7f) << 56;
        return Ok(match ninth {
            ..0x80 => (value, MAX_LEN - 1, *ninth),
            _ => (value | u64::from(*tenth) << 63, MAX_LEN, *tenth),
        });
    }
    let mut value = 0;
    for (i, byte) in bytes.iter().copied().enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i); // at most nine bytes are left
        if byte < 0x80 {
            return Ok((value, i + 1, byte));
        }
    }
    Err(Error::Truncated)
}
