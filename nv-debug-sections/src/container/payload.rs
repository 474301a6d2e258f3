//! Decompression of payloads, within a size limit.

use std::io::Read;

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::compression::Compression;
use crate::ErrorKind;
use crate::limits::MAX_PAYLOAD;

/// Window that every zstd decoder should take (RFC 8878 3.1.1.1.2), though the payload be smaller.
const MIN_WINDOW: u64 = 8 << 20;

/// How much is decompressed at a time.
const CHUNK: usize = 1 << 16;

/// Refuses `size` bytes that are too many for `stored` ones.
pub(super) fn check_size(stored: u64, size: u64, max_expansion: u64) -> Result<(), ErrorKind> {
    if size > stored.saturating_mul(max_expansion) {
        return Err(ErrorKind::Expansion { stored, claimed: size, factor: max_expansion });
    }
    if size > MAX_PAYLOAD {
        let expected = "at most 0x20000000, 512 MiB";
        return Err(ErrorKind::Value { field: "uncompressed size", found: size, expected });
    }
    Ok(())
}

/// The `size` bytes that `stored` stands for; [`check_size`] has taken them.
pub(super) fn decompress(method: Compression, stored: &[u8], size: u64) -> Result<Vec<u8>, ErrorKind> {
    match method {
        Compression::Lz4 => lz4(stored, size),
        Compression::Zstd => zstd(stored, size),
        Compression::Zlib => {
            Err(ErrorKind::UnsupportedEncoding("compressed by zlib, which is not supported"))
        }
        Compression::Unknown => {
            Err(ErrorKind::UnsupportedEncoding("compressed in an unknown way (flag 0x4000)"))
        }
    }
}

fn damaged(method: Compression, reason: &dyn ToString) -> ErrorKind {
    ErrorKind::Damaged { method: method.name(), reason: reason.to_string() }
}

fn wrong_size(method: Compression, found: u64, size: u64) -> ErrorKind {
    damaged(method, &format!("it has {found:#x} bytes, its header says {size:#x}"))
}

/// One LZ4 block (no frame).
fn lz4(stored: &[u8], size: u64) -> Result<Vec<u8>, ErrorKind> {
    let method = Compression::Lz4;
    // Counted first, so that a claim alone reserves no memory.
    let found = lz4_size(stored).ok_or_else(|| damaged(method, &"it ends inside a sequence"))?;
    if found != size {
        return Err(wrong_size(method, found, size));
    }
    let size = usize::try_from(size).map_err(|error| damaged(method, &error))?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|error| damaged(method, &error))?;
    bytes.resize(size, 0);
    let written =
        lz4_flex::block::decompress_into(stored, &mut bytes).map_err(|error| damaged(method, &error))?;
    if written != size {
        return Err(wrong_size(method, written as u64, size as u64));
    }
    Ok(bytes)
}

/// Returns the number of bytes to which an LZ4 block decompresses: the sum of its literals and
/// matches (LZ4 block format, "sequence").
fn lz4_size(block: &[u8]) -> Option<u64> {
    /// A nibble of 15 is continued by bytes, up to the first that is not 255.
    fn length(nibble: u8, rest: &mut std::slice::Iter<'_, u8>) -> Option<u64> {
        let mut length = u64::from(nibble);
        let mut more = nibble == 15;
        while more {
            let byte = *rest.next()?;
            length += u64::from(byte);
            more = byte == 255;
        }
        Some(length)
    }
    const MIN_MATCH: u64 = 4;
    let (mut rest, mut size) = (block.iter(), 0);
    while let Some(token) = rest.next() {
        let literals = length(token >> 4, &mut rest)?;
        size += literals;
        rest = rest.as_slice().get(usize::try_from(literals).ok()?..)?.iter();
        // The last sequence has literals only.
        if !rest.as_slice().is_empty() {
            rest = rest.as_slice().get(2..)?.iter();
            size += MIN_MATCH + length(token & 15, &mut rest)?;
        }
    }
    Some(size)
}

/// Decompresses one zstd frame (RFC 8878). Memory grows with the output, not with the size that the
/// frame claims. The output is in memory twice: in the decoder's window, which in a frame of one
/// segment is all of it, and in the result.
fn zstd(stored: &[u8], size: u64) -> Result<Vec<u8>, ErrorKind> {
    let method = Compression::Zstd;
    let mut source = stored;
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(size.max(MIN_WINDOW));
    decoder.reset(&mut source).map_err(|error| damaged(method, &error))?;
    let mut bytes = Vec::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let is_last = decoder
            .decode_blocks(&mut source, BlockDecodingStrategy::UptoBytes(CHUNK))
            .map_err(|error| damaged(method, &error))?;
        loop {
            let read = decoder.read(&mut chunk).map_err(|error| damaged(method, &error))?;
            let Some(read) = chunk.get(..read).filter(|read| !read.is_empty()) else { break };
            // Pages that are not written cost nothing; a growing vector would for a while be there
            // twice.
            let room =
                usize::try_from(size).unwrap_or(usize::MAX).saturating_sub(bytes.len()).max(read.len());
            bytes.try_reserve_exact(room).map_err(|error| damaged(method, &error))?;
            bytes.extend_from_slice(read);
        }
        if is_last || bytes.len() as u64 > size {
            break;
        }
    }
    if bytes.len() as u64 != size {
        return Err(wrong_size(method, bytes.len() as u64, size));
    }
    Ok(bytes)
}
