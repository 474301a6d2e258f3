//! `docs/formats/fatbins.md`, what `tests/containers.rs` and `tests/nvvm.rs` do not hold.

use nv_debug_sections::container::{Compression, EntryKind, Flags};

#[test]
fn kinds_and_flags() {
    for (kind, code) in [
        (EntryKind::Ptx, 1),
        (EntryKind::Elf, 2),
        (EntryKind::OldCubin, 4),
        (EntryKind::Nvvm, 8),
        (EntryKind::Index, 0x20),
        (EntryKind::RelocatablePtx, 0x40),
        (EntryKind::TileIr, 0x80),
        (EntryKind::Concatenated, 0x100),
        (EntryKind::Unknown(3), 3),
    ] {
        assert_eq!((EntryKind::from_code(code), kind.code()), (kind, code));
    }
    assert_eq!((Flags::IS_64_BIT, Flags::DEBUG, Flags::OBFUSCATED), (1, 2, 0x1_0000));
    assert_eq!(
        (Flags::ARCH_SPECIFIC, Flags::FAMILY_SPECIFIC, Flags::HAS_COMPAT),
        (0x10_0000, 0x20_0000, 0x100_0000)
    );
    assert_eq!(
        [0x10, 0x20, 0x40, 0].map(|flags| Flags(flags).host()),
        ["linux", "mac", "windows", "unknown"]
    );
}

#[test]
fn the_lowest_flag_of_a_compression_counts() {
    let compression = |flags| Flags(flags).compression();
    assert_eq!(compression(0x1000), Some(Compression::Zlib));
    assert_eq!(compression(0x2000), Some(Compression::Lz4));
    assert_eq!(compression(0x4000), Some(Compression::Unknown));
    assert_eq!(compression(0x8000), Some(Compression::Zstd));
    assert_eq!((compression(0xa000), compression(0xf000)), (Some(Compression::Lz4), Some(Compression::Zlib)));
    assert_eq!(compression(0), None);
}
