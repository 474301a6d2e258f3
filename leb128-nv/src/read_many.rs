//! Bytes to many values: the ends of several values are found at once, so that no value waits for the length of the one before
//! and none is branched on.

use crate::decode::gather;
use crate::{BatchError, CONTINUE, Error, MAX_LEN, Progress, read_sleb128, read_uleb128};

/// Reads ULEB128 values one after the other into `out`, until it is full or `bytes` end: how many, and the bytes they used.
///
/// The same values as by [`read_uleb128`], padded forms included. What `out` holds behind the values read may be overwritten.
///
/// # Errors
///
/// At the first value that [`read_uleb128`] refuses; those before it are in `out`.
///
/// ```
/// use leb128_nv::{Error, Progress, read_uleb128s};
/// let bytes = [0x03, 0xac, 0x02, 0x05, 0x80];
/// let mut out = [0; 3];
/// assert_eq!(read_uleb128s(&bytes, &mut out), Ok(Progress { values: 3, bytes: 4 }));
/// assert_eq!(out, [3, 300, 5]);
///
/// let stopped = read_uleb128s(&bytes, &mut [0; 9]).unwrap_err();
/// assert_eq!((stopped.error, stopped.done), (Error::Truncated, Progress { values: 3, bytes: 4 }));
/// ```
#[inline]
pub fn read_uleb128s(bytes: &[u8], out: &mut [u64]) -> Result<Progress, BatchError> {
    read_many(bytes, out)
}

/// Reads SLEB128 values one after the other into `out`, until it is full or `bytes` end: how many, and the bytes they used.
///
/// The same values as by [`read_sleb128`], padded forms included. What `out` holds behind the values read may be overwritten.
///
/// # Errors
///
/// At the first value that [`read_sleb128`] refuses; those before it are in `out`.
///
/// ```
/// let mut out = [0; 8];
/// let done = leb128_nv::read_sleb128s(&[0x7e, 0xd0, 0x00], &mut out)?;
/// assert_eq!(out[..done.values], [-2, 0x50]);
/// # Ok::<(), leb128_nv::BatchError>(())
/// ```
#[inline]
pub fn read_sleb128s(bytes: &[u8], out: &mut [i64]) -> Result<Progress, BatchError> {
    read_many(bytes, out)
}

/// What differs between ULEB128 and SLEB128.
trait Value: Copy {
    /// The value at the start of `bytes` and the bytes it used.
    fn read(bytes: &[u8]) -> Result<(Self, usize), Error>;

    /// `bits`, whose top group has `sign` as its highest bit (0: all 64 bits are there).
    fn extend(bits: u64, sign: u64) -> Self;

    /// [`Self::extend`] in each of four lanes of 16 bits.
    fn extend_lanes(bits: u64, sign: u64) -> u64;

    /// A lane of [`Self::extend_lanes`].
    fn of_lane(lane: u16) -> Self;

    /// Whether the tenth byte holds no more than what is left of 64 bits.
    fn fits(tenth: u8) -> bool;
}

impl Value for u64 {
    #[inline]
    fn read(bytes: &[u8]) -> Result<(Self, usize), Error> {
        read_uleb128(bytes)
    }

    #[inline]
    fn extend(bits: u64, _: u64) -> Self {
        bits
    }

    #[inline]
    fn extend_lanes(bits: u64, _: u64) -> u64 {
        bits
    }

    #[inline]
    fn of_lane(lane: u16) -> Self {
        lane.into()
    }

    #[inline]
    fn fits(tenth: u8) -> bool {
        tenth <= 1
    }
}

impl Value for i64 {
    #[inline]
    fn read(bytes: &[u8]) -> Result<(Self, usize), Error> {
        read_sleb128(bytes)
    }

    #[inline]
    fn extend(bits: u64, sign: u64) -> Self {
        (bits ^ sign).wrapping_sub(sign) as i64
    }

    #[inline]
    fn extend_lanes(bits: u64, sign: u64) -> u64 {
        // The highest bit of a lane keeps its subtraction from the lane above.
        ((bits ^ sign | LANE << 15) - sign) ^ LANE << 15
    }

    #[inline]
    fn of_lane(lane: u16) -> Self {
        (lane as i16).into()
    }

    #[inline]
    fn fits(tenth: u8) -> bool {
        matches!(tenth, 0 | 0x7f)
    }
}

/// Ones in the four lanes of a word.
const LANE: u64 = 0x0001_0001_0001_0001;

/// Ones in the eight bytes of a word: times such ones it counts them in the highest byte.
const BYTE: u64 = 0x0101_0101_0101_0101;

/// Times a word with bits in [`BYTE`]: in the highest byte, that of the first byte lowest.
const TO_TOP: u64 = 0x0102_0408_1020_4080;

/// Bytes and values that are looked at together.
const WORD: usize = 8;

fn read_many<T: Value>(bytes: &[u8], out: &mut [T]) -> Result<Progress, BatchError> {
    let mut done = Progress::default();
    loop {
        let mut step = Progress::default();
        for some in [shorts, longs] {
            let rest = bytes.get(done.bytes..).unwrap_or_default();
            step = some(rest, out.get_mut(done.values..).unwrap_or_default());
            done.values += step.values;
            done.bytes += step.bytes;
        }
        if step.values > 0 {
            continue; // more long ones, if any, go the same way
        }
        // Past a longer value among short ones, or to the end.
        loop {
            let rest = bytes.get(done.bytes..).unwrap_or_default();
            let (Some(slot), false) = (out.get_mut(done.values), rest.is_empty()) else { return Ok(done) };
            let (value, used) = T::read(rest).map_err(|error| BatchError { error, done })?;
            *slot = value;
            done.values += 1;
            done.bytes += used;
            if used > 2 {
                break;
            }
        }
    }
}

/// Bytes that are looked at together for being all values of their own.
const RUN: usize = 2 * WORD;

/// The values up to where one of three bytes or more is in the next word, or there is less than a word of bytes or of room.
#[inline(never)] // as `longs`
fn shorts<T: Value>(bytes: &[u8], out: &mut [T]) -> Progress {
    let room = out.len();
    let (mut rest, mut free) = (bytes, out);
    loop {
        if let (Some(run), Some(slots)) = (rest.first_chunk(), free.first_chunk_mut())
            && is_run(run)
        {
            *slots = run.map(|byte| T::extend(byte.into(), 0x40));
            (rest, free) = (&rest[RUN..], &mut free[RUN..]);
            continue;
        }
        let (Some(word), Some(slots)) = (rest.first_chunk(), free.first_chunk_mut()) else { break };
        let word = u64::from_le_bytes(*word);
        if word & word << 8 & CONTINUE != 0 {
            break;
        }
        let step = short(word, slots);
        if step.values > WORD || step.bytes > WORD {
            break; // never: told to the compiler, which then does not ask below
        }
        rest = &rest[step.bytes..];
        free = &mut free[step.values..];
    }
    Progress { values: room - free.len(), bytes: bytes.len() - rest.len() }
}

/// Whether each byte is a value.
#[inline]
fn is_run(bytes: &[u8; RUN]) -> bool {
    bytes.as_chunks().0.iter().fold(0, |all, word| all | u64::from_le_bytes(*word)) & CONTINUE == 0
}

/// The values of one and two bytes that end in `word`, which holds no longer ones.
#[inline]
fn short<T: Value>(word: u64, slots: &mut [T; WORD]) -> Progress {
    // From each byte on as if it were a first one: at the even places, then at the odd ones.
    let lanes = u128::from(pairs::<T>(word)) | u128::from(pairs::<T>(word >> 8)) << 64;
    let lanes = lanes.to_le_bytes();
    let ends = (!word & CONTINUE) >> 7;
    let firsts = &FIRSTS[(ends.wrapping_mul(TO_TOP) >> 56) as usize];
    for (slot, first) in slots.iter_mut().zip(firsts) {
        let lane = (first & 0xe) as usize;
        *slot = T::of_lane(u16::from_le_bytes([lanes[lane], lanes[lane + 1]]));
    }
    let values = ends.wrapping_mul(BYTE) >> 56;
    Progress { values: values as usize, bytes: WORD - (word >> 63) as usize }
}

/// By which bytes of a word are last ones: where in the lanes of [`short`] the values are that begin behind one, in bytes.
static FIRSTS: [[u8; WORD]; 256] = {
    let mut table = [[0; WORD]; 256];
    let mut ends = 0;
    while ends < table.len() {
        let (mut place, mut value) = (0, 0);
        while place < WORD {
            if place == 0 || ends >> (place - 1) & 1 != 0 {
                table[ends][value] = (place / 2 * 2 + place % 2 * WORD) as u8;
                value += 1;
            }
            place += 1;
        }
        ends += 1;
    }
    table
};

/// In each lane of two bytes, the value that begins with the first: of both if that continues, else of it.
#[inline]
fn pairs<T: Value>(word: u64) -> u64 {
    let continues = word & LANE << 7;
    let second = (continues << 8).wrapping_sub(continues << 1); // 7f00 in lanes of two
    let bits = (word & (LANE * 0x7f)) | (word & second) >> 1;
    T::extend_lanes(bits, LANE * 0x40 + (second >> 2))
}

/// Bytes whose ends are found at once where values are long: as many as a word has bits.
const BLOCK: usize = u64::BITS as usize;

/// The values that end in the first [`BLOCK`] of `bytes`, up to one that does not fit or what `out` takes. None if those of the
/// first word are mostly short, or there are too few bytes to look at.
#[inline(never)] // what each loop needs fits the registers, but not that of two
fn longs<T: Value>(bytes: &[u8], out: &mut [T]) -> Progress {
    let Some(block) = bytes.first_chunk::<{ BLOCK + 2 * WORD }>() else { return Progress::default() };
    let Some(first) = bytes.first_chunk() else { return Progress::default() };
    let continued = (u64::from_le_bytes(*first) & CONTINUE) >> 7;
    if continued.wrapping_mul(BYTE) >> 56 <= WORD as u64 / 2 {
        return Progress::default();
    }
    let mut ends = 0;
    for (i, word) in block.as_chunks().0.iter().take(BLOCK / WORD).enumerate() {
        let last = !u64::from_le_bytes(*word) & CONTINUE;
        ends |= ((last >> 7).wrapping_mul(TO_TOP) >> 56) << (WORD * i);
    }
    let mut done = Progress::default();
    for slot in out {
        if ends == 0 {
            break;
        }
        let end = ends.trailing_zeros() as usize + 1;
        ends &= ends - 1;
        let (Some(form), Some(window)) =
            (FORMS.get(end - done.bytes), block.get(done.bytes % BLOCK..).and_then(<[u8]>::first_chunk))
        else {
            break;
        };
        let window = u128::from_le_bytes(*window);
        let high = (window >> 64) as u64 & form.high;
        let tenth = (high >> 8) as u8;
        if !T::fits(tenth) {
            break;
        }
        let low = gather(window as u64 & form.low);
        *slot = T::extend(low | high << 56 | u64::from(tenth) << 63, form.sign);
        done.values += 1;
        done.bytes = end;
    }
    done
}

/// What of the bytes from the start of a value on belongs to it.
#[derive(Clone, Copy)]
struct Form {
    /// Of the first eight bytes.
    low: u64,
    /// Of the next eight.
    high: u64,
    /// The highest bit of its top group.
    sign: u64,
}

/// By length.
static FORMS: [Form; MAX_LEN + 1] = {
    let mut forms = [Form { low: !CONTINUE, high: 0, sign: 0 }; MAX_LEN + 1];
    let mut len = 1;
    while len < MAX_LEN {
        if len < WORD {
            forms[len].low = !CONTINUE & ((1 << (8 * len)) - 1);
        }
        forms[len].sign = 1 << (7 * len - 1);
        len += 1;
    }
    forms[9].high = 0x7f;
    forms[10].high = 0xff7f;
    forms
};
