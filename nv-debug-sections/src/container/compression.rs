//! The compression of fatbin payloads.

/// The compression of a fatbin entry's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    /// A zlib stream (RFC 1950). cuobjdump reads it, but no known tool writes it.
    Zlib,
    /// One LZ4 block, as `--compress-mode=speed` makes it.
    Lz4,
    /// An unknown compression, marked by flag 0x4000. It is known only from cuobjdump, which calls
    /// such an entry "compressed".
    Unknown,
    /// One zstd frame (RFC 8878), as `--compress-mode=size`, `balance` and `default` make it.
    Zstd,
}

/// Flags in the order in which cuobjdump looks at them.
pub(super) const COMPRESSIONS: [(u64, Compression, &str); 4] = [
    (0x1000, Compression::Zlib, "zlib"),
    (0x2000, Compression::Lz4, "lz4"),
    (0x4000, Compression::Unknown, "unknown"),
    (0x8000, Compression::Zstd, "zstd"),
];

impl Compression {
    /// The name of the compression, in one word.
    pub fn name(self) -> &'static str {
        COMPRESSIONS.iter().find(|(_, known, _)| *known == self).map_or("unknown", |(.., name)| name)
    }
}
