//! Many values to bytes: room is asked for once for several, and those that are all short take no branch.

use crate::write::{STORE, put_long};
use crate::{BatchError, Encoder, MAX_LEN, Progress, sleb128_len, uleb128_len};

/// Values that are looked at together.
const CHUNK: usize = 16;

impl Encoder<'_> {
    /// Appends all of `values` as ULEB128, as [`Encoder::uleb128`] does one.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`](crate::Error::Overflow) at the first value that the room left is too short for; those before it are
    /// written.
    ///
    /// ```
    /// use leb128_nv::{Encoder, Progress};
    /// let mut out = [0; 4];
    /// let mut encoder = Encoder::new(&mut out);
    /// encoder.uleb128s(&[3_u16, 300])?;
    /// let stopped = encoder.uleb128s(&[5_u8, 128]).unwrap_err();
    /// assert_eq!(stopped.done, Progress { values: 1, bytes: 1 });
    /// assert_eq!(encoder.finish(), 4);
    /// assert_eq!(out, [0x03, 0xac, 0x02, 0x05]);
    /// # Ok::<(), leb128_nv::BatchError>(())
    /// ```
    #[inline]
    pub fn uleb128s<T: Copy + Into<u64>>(&mut self, values: &[T]) -> Result<(), BatchError> {
        self.many::<u64, T>(values)
    }

    /// Appends all of `values` as SLEB128, as [`Encoder::sleb128`] does one.
    ///
    /// # Errors
    ///
    /// As [`Encoder::uleb128s`].
    ///
    /// ```
    /// let mut out = [0; 8];
    /// let mut encoder = leb128_nv::Encoder::new(&mut out);
    /// encoder.sleb128s(&[-2, 0x50])?;
    /// assert_eq!(encoder.finish(), 3);
    /// assert_eq!(out[..3], [0x7e, 0xd0, 0x00]);
    /// # Ok::<(), leb128_nv::BatchError>(())
    /// ```
    #[inline]
    pub fn sleb128s<T: Copy + Into<i64>>(&mut self, values: &[T]) -> Result<(), BatchError> {
        self.many::<i64, T>(values)
    }

    fn many<V: Value, T: Copy + Into<V>>(&mut self, values: &[T]) -> Result<(), BatchError> {
        let before = self.written();
        let done = chunks(self.rest, values);
        let _written = self.advance(done.bytes);
        // What is left is less than a chunk, or more than the room of one.
        for (i, value) in values.iter().enumerate().skip(done.values) {
            (*value).into().put(self).map_err(|error| BatchError {
                error,
                done: Progress { values: i, bytes: self.written() - before },
            })?;
        }
        Ok(())
    }
}

/// Values from the start on, as many chunks as there are with room for the longest ones in `out`.
#[inline]
fn chunks<V: Value, T: Copy + Into<V>>(out: &mut [u8], values: &[T]) -> Progress {
    let room = out.len();
    let (mut free, mut done) = (out, 0);
    for chunk in values.as_chunks().0 {
        let Some(start) = free.first_chunk_mut() else { break };
        let bytes = match chunk.iter().fold(0, |all, value| all | (*value).into().magnitude()) {
            ..0x80 if V::ONES => put_ones::<V, T>(start, chunk),
            ..0x4000 => put_shorts::<V, T>(start, chunk),
            _ => put_longs::<V, T>(start, chunk),
        };
        free = free.get_mut(bytes..).unwrap_or_default();
        done += CHUNK;
    }
    Progress { values: done, bytes: room - free.len() }
}

/// What differs between ULEB128 and SLEB128.
trait Value: Copy {
    /// The value's bits.
    fn bits(self) -> u64;

    /// Whether [`Self::magnitude`] tells values of one byte.
    const ONES: bool;

    /// Below 0x80 if the value takes one byte (see [`Self::ONES`]), below 0x4000 if one or two.
    fn magnitude(self) -> u64;

    /// In each of four lanes of 16 bits, the low 14 of a value that takes one byte or two: 0x3f80 has none of its bits if one.
    fn beyond_one(lanes: u64) -> u64;

    /// The tenth group.
    fn tenth(self) -> u64;

    /// Bytes that the value takes.
    fn len(self) -> usize;

    /// Appends one.
    fn put(self, encoder: &mut Encoder<'_>) -> Result<(), crate::Error>;
}

impl Value for u64 {
    const ONES: bool = true;

    #[inline]
    fn bits(self) -> u64 {
        self
    }

    #[inline]
    fn magnitude(self) -> u64 {
        self
    }

    #[inline]
    fn beyond_one(lanes: u64) -> u64 {
        lanes
    }

    #[inline]
    fn tenth(self) -> u64 {
        self >> 63
    }

    #[inline]
    fn len(self) -> usize {
        uleb128_len(self)
    }

    #[inline]
    fn put(self, encoder: &mut Encoder<'_>) -> Result<(), crate::Error> {
        encoder.uleb128(self)
    }
}

impl Value for i64 {
    // It would take a second number of each value, which costs more than it saves.
    const ONES: bool = false;

    #[inline]
    fn bits(self) -> u64 {
        self as u64
    }

    #[inline]
    fn magnitude(self) -> u64 {
        self.wrapping_add(0x2000) as u64
    }

    #[inline]
    fn beyond_one(lanes: u64) -> u64 {
        lanes + LANE * 0x40
    }

    #[inline]
    fn tenth(self) -> u64 {
        (self >> 63) as u64 & 0x7f
    }

    #[inline]
    fn len(self) -> usize {
        sleb128_len(self)
    }

    #[inline]
    fn put(self, encoder: &mut Encoder<'_>) -> Result<(), crate::Error> {
        encoder.sleb128(self)
    }
}

/// Room for any [`CHUNK`] values, and for what is stored behind the last one.
type Room = [u8; CHUNK * MAX_LEN + STORE];

/// Values of one byte each: the bytes they take.
#[inline]
fn put_ones<V: Value, T: Copy + Into<V>>(room: &mut Room, values: &[T; CHUNK]) -> usize {
    for (to, value) in room.iter_mut().zip(values) {
        *to = (*value).into().bits() as u8 & 0x7f;
    }
    CHUNK
}

/// Values of one byte or two: the bytes they take.
#[inline]
fn put_shorts<V: Value, T: Copy + Into<V>>(room: &mut Room, values: &[T; CHUNK]) -> usize {
    let mut at = 0;
    for four in values.as_chunks::<4>().0 {
        let mut lanes = 0_u64;
        for (i, value) in four.iter().enumerate() {
            lanes |= u64::from((*value).into().bits() as u16) << (16 * i);
        }
        lanes &= LANE * 0x3fff;
        let beyond = V::beyond_one(lanes) & (LANE * 0x3f80);
        let two = ((beyond + LANE * 0x3f80) >> 7) & (LANE << 7); // the sum carries
        let encoded = (lanes + (lanes & (LANE * 0x3f80))) | two;
        let ends = (LANE + (two >> 7)).wrapping_mul(LANE);
        let begins = ends << 16;
        let Some(to) = room.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<17>) else { break }; // never
        for i in 0..4 {
            let begin = (begins >> (16 * i)) as usize & 0xf;
            to[begin..begin + 2].copy_from_slice(&((encoded >> (16 * i)) as u16).to_le_bytes());
        }
        at += (ends >> 48) as usize;
    }
    at
}

/// Ones in the four lanes of a word.
const LANE: u64 = 0x0001_0001_0001_0001;

/// Values of any length: the bytes they take.
#[inline]
fn put_longs<V: Value, T: Copy + Into<V>>(room: &mut Room, values: &[T; CHUNK]) -> usize {
    let mut at = 0;
    for value in values {
        let value = (*value).into();
        if let Some(to) = room.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
            at += put_long(to, value.bits(), value.tenth(), value.len());
        }
    }
    at
}
