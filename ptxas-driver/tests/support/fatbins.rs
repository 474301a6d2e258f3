//! Fatbins made byte by byte (docs/formats/fatbins.md).
#![allow(dead_code, unreachable_pub, reason = "each test program uses its own part")]

/// The flag of an entry that is compressed with zstd, and those that all have.
pub const ZSTD: u64 = 0x8011;
pub const PLAIN: u64 = 0x11;

/// The bytes of a block of [`zstd_frame`].
pub const BLOCK: usize = 1 << 17;

/// A fatbin with these entries.
pub fn fatbin(entries: &[u8]) -> Vec<u8> {
    let header = [0xba55_ed50_u64 | 1 << 32 | 16 << 48, entries.len() as u64];
    [header.map(u64::to_le_bytes).as_flattened(), entries].concat()
}

/// An entry with a cubin as it is stored; `size` is that of the cubin if it is compressed.
pub fn entry(sm: u32, flags: u64, stored: &[u8], size: usize) -> Vec<u8> {
    let padded = stored.len().next_multiple_of(8);
    let compressed = if flags == PLAIN { 0 } else { padded as u64 };
    let words = [
        2 | 0x101 << 16 | 64 << 32,
        padded as u64,
        compressed,
        8 | 1 << 16 | u64::from(sm) << 32,
        0,
        flags,
        0,
        size as u64,
    ];
    let mut entry = words.map(u64::to_le_bytes).concat();
    entry.extend_from_slice(stored);
    entry.resize(64 + padded, 0);
    entry
}

/// A zstd frame of one segment (RFC 8878 3.1.1): these bytes in plain blocks, then zeros up to so
/// many blocks.
pub fn zstd_frame(bytes: &[u8], blocks: usize) -> Vec<u8> {
    let mut frame = [&b"\x28\xb5\x2f\xfd\xe0"[..], &((BLOCK * blocks) as u64).to_le_bytes()].concat();
    for number in 1..=blocks {
        let plain = bytes.chunks(BLOCK).nth(number - 1);
        let kind = u32::from(plain.is_none()) << 1 | u32::from(number == blocks);
        frame.extend(&((BLOCK as u32) << 3 | kind).to_le_bytes()[..3]);
        frame.extend(plain.unwrap_or(&[0]));
    }
    frame
}
