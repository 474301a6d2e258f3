//! Writing into a buffer: one number, or many one after the other.

use crate::encode::{short_sleb128, short_uleb128, spread};
use crate::{CONTINUE, Error, Leb128, MAX_LEN, sleb128, sleb128_len, uleb128, uleb128_len};

/// Writes `value` as ULEB128 to the start of `out`. Returns the number of bytes written, 1 to
/// [`MAX_LEN`]. Later bytes of `out` do not change.
///
/// For one number, or one to patch; [`Encoder`] writes many faster.
///
/// # Errors
///
/// [`Error::Overflow`] if `out` is too short; it is left as it was.
///
/// ```
/// let mut out = [0xee; 4];
/// assert_eq!(leb128_nv::write_uleb128(&mut out, 300_u16), Ok(2));
/// assert_eq!(out, [0xac, 0x02, 0xee, 0xee]);
/// ```
#[inline]
pub fn write_uleb128(out: &mut [u8], value: impl Into<u64>) -> Result<usize, Error> {
    let value = value.into();
    match out {
        [first, second, ..] if value < 0x4000 => Ok(write_short(first, second, short_uleb128(value as u32))),
        _ => uleb128(value).write(out),
    }
}

/// Writes `value` as SLEB128 to the start of `out`. Returns the number of bytes written, 1 to
/// [`MAX_LEN`]. Later bytes of `out` do not change.
///
/// # Errors
///
/// [`Error::Overflow`] if `out` is too short; it is left as it was.
///
/// ```
/// assert_eq!(leb128_nv::write_sleb128(&mut [0; 1], 0x50), Err(leb128_nv::Error::Overflow));
/// ```
#[inline]
pub fn write_sleb128(out: &mut [u8], value: impl Into<i64>) -> Result<usize, Error> {
    let value = value.into();
    match out {
        [first, second, ..] if (-0x2000..0x2000).contains(&value) => {
            Ok(write_short(first, second, short_sleb128(value as i32)))
        }
        _ => sleb128(value).write(out),
    }
}

/// Writes one byte or two: the second is written back as it was rather than branched on.
#[inline]
fn write_short(first: &mut u8, second: &mut u8, (bits, len): (u16, usize)) -> usize {
    *first = bits as u8;
    *second = if len == 2 { (bits >> 8) as u8 } else { *second };
    len
}

impl Leb128 {
    /// Copies the encoding to the start of `out`. Returns the number of bytes written. Later bytes
    /// of `out` do not change.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] if `out` is too short; it is left as it was.
    #[inline]
    pub fn write(&self, out: &mut [u8]) -> Result<usize, Error> {
        let out = out.get_mut(..self.len()).ok_or(Error::Overflow)?;
        out.copy_from_slice(self);
        Ok(self.len())
    }
}

/// How much is stored at once while there is that much room.
pub(crate) const STORE_BYTES: usize = 16;

/// Writes LEB128 numbers one after the other into a buffer.
///
/// The bytes after the last one may be overwritten: stores have a fixed size, and only the bytes
/// that count are kept.
///
/// ```
/// use leb128_nv::{Encoder, Error};
/// let mut out = [0; 4];
/// let mut encoder = Encoder::new(&mut out);
/// encoder.uleb128(300_u32)?;
/// encoder.sleb128(-2)?;
/// assert_eq!(encoder.sleb128(0x50_0000), Err(Error::Overflow)); // takes 4 bytes, 1 is left
/// assert_eq!(encoder.finish(), 3);
/// assert_eq!(out[..3], [0xac, 0x02, 0x7e]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Encoder<'a> {
    pub(crate) rest: &'a mut [u8],
    room: usize,
}

impl<'a> Encoder<'a> {
    /// Creates an encoder that writes from the start of `out` on.
    #[inline]
    pub fn new(out: &'a mut [u8]) -> Self {
        Self { room: out.len(), rest: out }
    }

    /// The number of bytes written so far.
    #[inline]
    pub fn written(&self) -> usize {
        self.room - self.rest.len()
    }

    /// Releases the buffer, and returns the number of bytes written.
    #[inline]
    pub fn finish(self) -> usize {
        self.written()
    }

    /// Appends `value` as ULEB128 to the buffer.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] if the room left is too short; what was written before stays, and
    /// shorter numbers may still fit.
    #[inline]
    pub fn uleb128(&mut self, value: impl Into<u64>) -> Result<(), Error> {
        let value = value.into();
        let Some(room) = self.rest.first_chunk_mut() else {
            let len = at_end(self.rest, uleb128(value))?;
            return self.advance(len);
        };
        let len = match value {
            ..0x4000 => put_short(room, short_uleb128(value as u32)),
            _ => put_long(room, value, value >> 63, uleb128_len(value)),
        };
        self.advance(len)
    }

    /// Appends `value` as SLEB128 to the buffer.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] if the room left is too short; what was written before stays, and
    /// shorter numbers may still fit.
    #[inline]
    pub fn sleb128(&mut self, value: impl Into<i64>) -> Result<(), Error> {
        let value = value.into();
        let Some(room) = self.rest.first_chunk_mut() else {
            let len = at_end(self.rest, sleb128(value))?;
            return self.advance(len);
        };
        let len = match value {
            -0x2000..0x2000 => put_short(room, short_sleb128(value as i32)),
            _ => put_long(room, value as u64, (value >> 63) as u64 & 0x7f, sleb128_len(value)),
        };
        self.advance(len)
    }

    #[inline]
    pub(crate) fn advance(&mut self, len: usize) -> Result<(), Error> {
        let rest = core::mem::take(&mut self.rest);
        let (_, rest) = rest.split_at_mut_checked(len).ok_or(Error::Overflow)?; // never: it was written
        self.rest = rest;
        Ok(())
    }
}

/// Close to the end of the buffer. Takes no `&mut Encoder`: that would keep every encoder in
/// memory, not in registers.
#[cold]
fn at_end(rest: &mut [u8], value: Leb128) -> Result<usize, Error> {
    value.write(rest)
}

/// Stores two bytes; `len` of them count.
#[inline]
fn put_short(room: &mut [u8; STORE_BYTES], (bits, len): (u16, usize)) -> usize {
    room[..2].copy_from_slice(&bits.to_le_bytes()); // one store, as two assignments are not
    len
}

/// Stores `len` bytes; `last` is the tenth group.
#[inline]
pub(crate) fn put_long(room: &mut [u8; STORE_BYTES], value: u64, last: u64, len: usize) -> usize {
    let marks = CONTINUES.get(len).copied().unwrap_or(CONTINUE);
    let tail = (value >> 56) & 0x7f | u64::from(len == MAX_LEN) << 7 | last << 8;
    let bits = u128::from(spread(value) | marks) | u128::from(tail) << 64;
    *room = bits.to_le_bytes();
    len
}

/// By length, the continuation bits in the first eight bytes.
static CONTINUES: [u64; MAX_LEN + 1] = {
    let mut table = [CONTINUE; MAX_LEN + 1];
    let mut len = 0;
    while len <= 8 {
        table[len] = CONTINUE & ((1 << (8 * len.saturating_sub(1))) - 1);
        len += 1;
    }
    table
};
