//! Compression of payloads, as nvcc's fatbinary does it where that is known.

use std::io;
use std::ops::RangeInclusive;

use super::compression::Compression;
use crate::ErrorKind;

/// The levels of zstd that fatbinary uses: 5 for `--compress-mode=balance` and `default`, 19 for
/// `size`. Observed: fatbinary 13.0.88, whose frames these levels of zstd 1.5.7 give to the byte.
const LEVELS: [i32; 2] = [5, 19];

/// The levels of zstd that are tried, in this order, for a payload that does not fit its place at
/// its own level. The highest does not always give the fewest bytes.
const OTHER_LEVELS: RangeInclusive<i32> = 13..=22;

/// The highest level of LZ4. No level gives the bytes that fatbinary writes; this one gives fewer.
const LZ4_LEVEL: i32 = 12;

/// A payload, compressed.
pub(super) struct Compressed {
    pub(super) stored: Vec<u8>,
    /// The number of bytes that it decompresses to.
    pub(super) size: u64,
}

/// Compresses `payload` for an entry that has `stored` now, which is `old` compressed: in the way
/// that made `stored`, as far as that can be told. What is larger than `room` is compressed harder.
pub(super) fn compress(
    method: Compression,
    payload: &[u8],
    old: &[u8],
    stored: &[u8],
    room: usize,
) -> Result<Compressed, ErrorKind> {
    match method {
        Compression::Lz4 => Ok(Compressed { stored: lz4(payload)?, size: payload.len() as u64 }),
        Compression::Zstd => {
            let [balance, size] = LEVELS;
            let level = if zstd(old, balance)? == stored { balance } else { size };
            zstd_within(payload, level, old.len(), room)
        }
        Compression::Zlib => {
            Err(ErrorKind::UnsupportedEncoding("compressed by zlib, which is not supported"))
        }
        Compression::Unknown => {
            Err(ErrorKind::UnsupportedEncoding("compressed in an unknown way (flag 0x4000)"))
        }
    }
}

/// Compresses a payload to at most `room` bytes, if that can be: at `level`, else followed by zeros
/// up to `old_size` bytes, else at other levels.
fn zstd_within(payload: &[u8], level: i32, old_size: usize, room: usize) -> Result<Compressed, ErrorKind> {
    let mut smallest = zstd(payload, level)?;
    if smallest.len() > room && payload.len() < old_size {
        // A level compresses small data in another way than large ones, and sometimes worse.
        let mut padded = payload.to_vec();
        padded.resize(old_size, 0);
        let stored = zstd(&padded, level)?;
        if stored.len() <= room {
            return Ok(Compressed { stored, size: old_size as u64 });
        }
    }
    for level in OTHER_LEVELS {
        if smallest.len() <= room {
            break;
        }
        let other = zstd(payload, level)?;
        if other.len() < smallest.len() {
            smallest = other;
        }
    }
    Ok(Compressed { stored: smallest, size: payload.len() as u64 })
}

fn failed(method: Compression, error: &io::Error) -> ErrorKind {
    ErrorKind::Damaged { method: method.name(), reason: error.to_string() }
}

/// One zstd frame with the size of its contents and no checksum.
fn zstd(payload: &[u8], level: i32) -> Result<Vec<u8>, ErrorKind> {
    zstd::bulk::compress(payload, level).map_err(|error| failed(Compression::Zstd, &error))
}

/// One LZ4 block without a frame.
fn lz4(payload: &[u8]) -> Result<Vec<u8>, ErrorKind> {
    let mode = lz4::block::CompressionMode::HIGHCOMPRESSION(LZ4_LEVEL);
    lz4::block::compress(payload, Some(mode), false).map_err(|error| failed(Compression::Lz4, &error))
}
