//! Encoding. The 7-bit groups of a 64-bit word are spread at once, without a loop.

use crate::{CONTINUE, Error, MAX_LEN};

/// A LEB128 value that is encoded, 1 to [`MAX_LEN`] bytes on the stack.
///
/// Made as one number and kept as its bytes, so that it travels in two registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Leb128 {
    /// The encoding, zeros, and in the last byte its length.
    bytes: [u8; 16],
}

/// Where the length is.
const LEN: usize = 15;

impl Leb128 {
    /// The encoded bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        self.bytes.get(..self.len()).unwrap_or(&self.bytes)
    }

    /// The encoded bytes as a little-endian number, padded with zeros.
    ///
    /// For writers that put an opcode and its operands together in a register and copy all of it at
    /// once: the size of such a copy is known when it is compiled.
    ///
    /// ```
    /// assert_eq!(leb128_nv::uleb128(300).to_bits(), 0x02ac);
    /// ```
    #[inline]
    pub const fn to_bits(self) -> u128 {
        u128::from_le_bytes(self.bytes) & ((1 << (8 * LEN)) - 1)
    }

    /// The number of encoded bytes, 1 to [`MAX_LEN`].
    #[inline]
    #[allow(clippy::len_without_is_empty, reason = "never empty")]
    pub const fn len(&self) -> usize {
        self.bytes[LEN] as usize
    }

    #[inline]
    const fn new(bits: u128, len: usize) -> Self {
        Self { bytes: (bits | (len as u128) << (8 * LEN)).to_le_bytes() }
    }

    /// The low `len` groups of `value`, enough or more; `last` is the tenth group (what is left of
    /// a 64-bit value after nine).
    #[inline]
    const fn groups(value: u64, last: u8, len: usize) -> Self {
        let low = spread(value);
        if len <= 8 {
            // Groups beyond the length are cut (a negative value has sign bits there); all but the
            // last continue.
            let last_byte = 8 * (len as u32 - 1);
            let before_last = (1 << last_byte) - 1;
            return Self::new(
                ((low | CONTINUE & before_last) & (before_last | 0x7f << last_byte)) as u128,
                len,
            );
        }
        let ninth = (value >> 56) & 0x7f;
        let tail = if len == MAX_LEN { ninth | 0x80 | (last as u64) << 8 } else { ninth };
        Self::new((low | CONTINUE) as u128 | (tail as u128) << 64, len)
    }
}

/// A value of one or two groups: the bytes as a little-endian number, and how many of them count.
/// The bytes above those are not cleared.
///
/// Without a branch: in real tables lengths of one and two bytes come in no order that a predictor
/// learns.
#[inline]
const fn short(value: u32, two: u32) -> (u16, usize) {
    (((value & 0x7f) + ((value & 0x3f80) << 1) + (two << 7)) as u16, 1 + two as usize)
}

/// [`short`] of a value below 0x4000.
#[inline]
pub(crate) const fn short_uleb128(value: u32) -> (u16, usize) {
    short(value, (value + 0x3f80) >> 14) // a carry is fewer instructions than a comparison
}

/// [`short`] of a value from -0x2000 on and below 0x2000.
#[inline]
pub(crate) const fn short_sleb128(value: i32) -> (u16, usize) {
    short(value as u32, !(-0x40 <= value && value < 0x40) as u32)
}

/// Moves the low eight 7-bit groups of `v` to the low 7 bits of the eight bytes of the result.
#[inline]
pub(crate) const fn spread(v: u64) -> u64 {
    let v = (v & 0x0000_0000_0fff_ffff) | (v & 0x00ff_ffff_f000_0000) << 4;
    let v = (v & 0x0000_3fff_0000_3fff) | (v & 0x0fff_c000_0fff_c000) << 2;
    (v & 0x007f_007f_007f_007f) | (v & 0x3f80_3f80_3f80_3f80) << 1
}

/// Encodes `value` as ULEB128 (DWARF 2.0.0 §7.6) in the shortest form. Narrower types are widened:
/// `uleb128(file.into())`.
///
/// ```
/// assert_eq!(leb128_nv::uleb128(300).as_slice(), [0xac, 0x02]);
/// ```
#[inline]
pub const fn uleb128(value: u64) -> Leb128 {
    if value < 0x4000 {
        let (bits, len) = short_uleb128(value as u32);
        return Leb128::new(bits as u128, len);
    }
    Leb128::groups(value, (value >> 63) as u8, uleb128_len(value))
}

/// Encodes `value` as SLEB128 (DWARF 2.0.0 §7.6) in the shortest form.
///
/// ```
/// assert_eq!(leb128_nv::sleb128(-2).as_slice(), [0x7e]);
/// assert_eq!(leb128_nv::sleb128(0x50).as_slice(), [0xd0, 0x00]);
/// ```
#[inline]
pub const fn sleb128(value: i64) -> Leb128 {
    if -0x2000 <= value && value < 0x2000 {
        let (bits, len) = short_sleb128(value as i32);
        return Leb128::new(bits as u128 & ((1 << (8 * len)) - 1), len);
    }
    Leb128::groups(value as u64, (value >> 63) as u8 & 0x7f, sleb128_len(value))
}

/// Encodes `value` as ULEB128 in exactly `len` bytes, for numbers whose space is reserved before
/// they are known.
///
/// # Errors
///
/// [`Error::Overflow`] if `value` needs more bytes than `len`, or `len` is above [`MAX_LEN`].
///
/// ```
/// use leb128_nv::{Error, uleb128_padded};
/// assert_eq!(uleb128_padded(0x50, 2)?.as_slice(), [0xd0, 0x00]);
/// assert_eq!(uleb128_padded(0x4000, 2), Err(Error::Overflow));
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub const fn uleb128_padded(value: u64, len: usize) -> Result<Leb128, Error> {
    if len < uleb128_len(value) || len > MAX_LEN {
        return Err(Error::Overflow);
    }
    Ok(Leb128::groups(value, (value >> 63) as u8, len))
}

/// Encodes `value` as SLEB128 in exactly `len` bytes, for numbers whose space is reserved before
/// they are known.
///
/// # Errors
///
/// [`Error::Overflow`] if `value` needs more bytes than `len`, or `len` is above [`MAX_LEN`].
///
/// ```
/// assert_eq!(leb128_nv::sleb128_padded(-1, 3)?.as_slice(), [0xff, 0xff, 0x7f]);
/// # Ok::<(), leb128_nv::Error>(())
/// ```
#[inline]
pub const fn sleb128_padded(value: i64, len: usize) -> Result<Leb128, Error> {
    if len < sleb128_len(value) || len > MAX_LEN {
        return Err(Error::Overflow);
    }
    Ok(Leb128::groups(value as u64, (value >> 63) as u8 & 0x7f, len))
}

/// Returns the number of bytes that [`uleb128`] of `value` takes, 1 to [`MAX_LEN`].
#[inline]
pub const fn uleb128_len(value: u64) -> usize {
    groups_of(u64::BITS - (value | 1).leading_zeros())
}

/// Returns the number of bytes that [`sleb128`] of `value` takes, 1 to [`MAX_LEN`].
#[inline]
pub const fn sleb128_len(value: i64) -> usize {
    let magnitude = (value ^ (value >> 63)) as u64;
    groups_of(u64::BITS - magnitude.leading_zeros() + 1) // one bit more for the sign
}

/// `bits / 7`, rounded up, for 1 to 65 bits: without a division.
#[inline]
const fn groups_of(bits: u32) -> usize {
    ((9 * bits + 64) >> 6) as usize
}

impl core::ops::Deref for Leb128 {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl AsRef<[u8]> for Leb128 {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl core::fmt::Debug for Leb128 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Leb128({:02x?})", self.as_slice())
    }
}
