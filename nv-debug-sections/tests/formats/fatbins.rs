//! `docs/formats/fatbins.md`, what `tests/containers.rs` and `tests/nvvm.rs` do not hold.

use nv_debug_sections::container::fatbin::Fatbins;
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

/// Sections "Fatbin" and "Entry" of the page, field by field.
#[test]
fn an_entry_byte_by_byte() {
    let entry: Vec<u8> = [
        &[8, 0, 1, 1][..],                                 // kind, version
        &[88, 0, 0, 0],                                    // header size
        &[8, 0, 0, 0, 0, 0, 0, 0],                         // size of the payload, padded
        &[6, 0, 0, 0],                                     // compressed size
        &[72, 0, 0, 0],                                    // offset of the options' record
        &[65, 0, 1, 0],                                    // minor, major
        &[90, 0, 0, 0],                                    // SM
        &[64, 0, 0, 0, 4, 0, 0, 0],                        // offset and size of the identifier
        &[0x11, 0x80, 1, 0, 0, 0, 0, 0],                   // flags
        &[0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11], // word of the IR
        &[77, 0, 0, 0, 0, 0, 0, 0],                        // uncompressed size
        b"a.cu\0\0\0\0",
        &[80, 0, 0, 0, 2, 0, 0, 0], // the options' record
        b"-x\0\0\0\0\0\0",
        b"stored\0\0",
    ]
    .concat();
    let head = [0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 96, 0, 0, 0, 0, 0, 0, 0];
    let file = [&head[..], &entry].concat();
    let fatbins: Vec<_> = Fatbins::new("", &file).map(Result::unwrap).collect();
    let [fatbin] = &fatbins[..] else { panic!("{} fatbins", fatbins.len()) };
    assert_eq!((fatbin.offset(), fatbin.version()), (0, 1));
    let entries: Vec<_> = fatbin.entries().map(Result::unwrap).collect();
    let [entry] = &entries[..] else { panic!("{} entries", entries.len()) };
    assert_eq!((entry.kind, entry.version, entry.code_version), (EntryKind::Nvvm, 0x101, (1, 65)));
    assert_eq!(entry.arch.map(|arch| arch.to_string()).as_deref(), Some("sm_90"));
    assert_eq!((entry.name, entry.options, entry.compat), (&b"a.cu"[..], &b"-x"[..], &b""[..]));
    assert_eq!((entry.flags, entry.ir_word), (Flags(0x1_8011), 0x1122_3344_5566_7788));
    assert_eq!((entry.stored(), entry.size()), (&b"stored"[..], 77));
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
