//! Containers of GPU code: what a writer of our own puts in comes out, what is wrong is refused at
//! its place, and fatbins of fatbinary 13.0.88 (`examples/make.sh`) hold the cubins they were made
//! from.

#![allow(clippy::unwrap_used)] // a panic is a failed test

mod container;

use std::borrow::Cow;
use std::path::Path;

use container::{Host, Spec, archive, compression_flag, fatbin};
use nv_debug_sections::container::fatbin::Fatbins;
use nv_debug_sections::container::{
    Compression, Container, DebugInfo, Entry, EntryKind, FileKind, Flags, MAX_EXPANSION, MAX_PAYLOAD, nvvm,
};
use nv_debug_sections::error::ErrorKind;
use nv_debug_sections::{Error, Result};
use proptest::prelude::*;

fn example(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(path)).unwrap()
}

fn entries(data: &[u8]) -> Vec<Entry<'_>> {
    Container::parse(data).unwrap().entries().collect::<Result<_>>().unwrap()
}

fn first_error(data: &[u8]) -> Error {
    let container = match Container::parse(data) {
        Ok(container) => container,
        Err(error) => return error,
    };
    container.entries().find_map(Result::err).expect("something is wrong with it")
}

/// A PTX entry for sm_90.
fn ptx(flags: u64) -> Spec {
    let payload = b".version 9.0\n.target sm_90\n.address_size 64\n\0".to_vec();
    Spec { kind: 1, number: 90, flags: flags | 0x11, payload, ..Spec::default() }
}

#[test]
fn fatbins_of_fatbinary() {
    let (cubin, debug) = (example("saxpy/saxpy.cubin"), example("saxpy/saxpy-debug.cubin"));
    for (name, compression, images) in [
        ("saxpy/saxpy.fatbin", Compression::Zstd, &[&cubin, &debug][..]),
        ("saxpy/saxpy-lz4.fatbin", Compression::Lz4, &[&cubin][..]),
    ] {
        let file = example(name);
        assert_eq!(FileKind::of(&file), Some(FileKind::Fatbin));
        let entries = entries(&file);
        assert_eq!(entries.len(), images.len() + 1);
        assert!(entries.iter().all(|entry| entry.name == b"saxpy.cu"));
        assert!(entries.iter().all(|entry| entry.flags.compression() == Some(compression)));
        for (entry, cubin) in entries.iter().zip(images) {
            assert_eq!((entry.kind, entry.size()), (EntryKind::Elf, cubin.len() as u64));
            assert!(entry.payload().unwrap() == cubin.as_slice(), "{name}");
        }
        let text = entries.last().unwrap();
        assert_eq!((text.kind, text.code_version), (EntryKind::Ptx, (9, 0)));
        assert_eq!((text.options, text.debug_info()), (&b" --generate-line-info "[..], DebugInfo::LineInfo));
        // fatbinary drops comments and all but the first of several blanks, keeps lines, and ends
        // the text by a NUL.
        let payload = text.payload().unwrap();
        let payload = std::str::from_utf8(&payload).unwrap();
        assert_eq!(payload.len() as u64 + 1, text.size());
        let source = String::from_utf8(example("saxpy/saxpy.ptx")).unwrap();
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let source: Vec<_> = source.lines().map(|line| words(line.split("//").next().unwrap())).collect();
        assert_eq!(payload.lines().map(words).collect::<Vec<_>>(), source);
    }
}

#[test]
fn payloads_are_borrowed_unless_compressed() {
    let file = fatbin(&[ptx(0).write(), ptx(0x2000).write(), ptx(0x8000).write()]);
    let payloads: Vec<_> = entries(&file).iter().map(|entry| entry.payload().unwrap()).collect();
    assert!(payloads.iter().all(|payload| payload.ends_with(b"64\n")));
    assert!(matches!(payloads.as_slice(), [Cow::Borrowed(_), Cow::Owned(_), Cow::Owned(_)]));
}

#[test]
fn debug_levels_of_flags_and_options() {
    for (flags, options, want) in [
        (0, "", DebugInfo::None),
        (0, "--compile-only  --generate-line-info ", DebugInfo::LineInfo),
        (0, "-generate-line-info -ftz=0 ", DebugInfo::LineInfo),
        (0, "-arch sm_90  -lineinfo ", DebugInfo::LineInfo),
        (0, " -g --dont-merge-basicblocks ", DebugInfo::Dwarf),
        (0, "-gx --generate-line-information", DebugInfo::None),
        (Flags::DEBUG, "-generate-line-info", DebugInfo::Dwarf),
    ] {
        let file = fatbin(&[Spec { options: Some(options.into()), ..ptx(flags) }.write()]);
        assert_eq!(entries(&file)[0].debug_info(), want, "{options}");
    }
    assert_eq!([0, 2, 3].map(DebugInfo::from_code), [Some(DebugInfo::None), Some(DebugInfo::Dwarf), None]);
}

#[test]
fn host_files_and_archives() {
    let program = fatbin(&[ptx(0).write()]);
    let linked = fatbin(&[ptx(0x8000).write(), ptx(0x2000).write()]);
    // As a host linker lays out the sections of two objects.
    let both = [&program[..], &[0; 24], &linked].concat();
    for host in [(true, false), (false, false), (true, true), (false, true)] {
        let host = Host { is_64: host.0, is_big: host.1 };
        let object =
            host.object(&[(".text", &[0x90; 5]), (".nv_fatbin", &both), ("__nv_relfatbin", &program)]);
        let container = Container::parse(&object).unwrap();
        assert_eq!(container.kind(), FileKind::Host);
        let places: Vec<_> =
            entries(&object).iter().map(|entry| (entry.position.label(), entry.position.offset)).collect();
        let second = program.len() as u64 + 24 + 16;
        let third = second + ptx(0x8000).write().len() as u64;
        let want =
            [(".nv_fatbin", 16), (".nv_fatbin", second), (".nv_fatbin", third), ("__nv_relfatbin", 16)];
        assert_eq!(places, want.map(|(section, offset)| (section.to_owned(), offset)));

        let library = archive(&[("a.o", &object), ("notes.txt", b"no code"), ("b.fatbin", &program)]);
        let labels: Vec<_> = entries(&library).iter().map(|entry| entry.position.label()).collect();
        assert_eq!(
            labels[..4],
            ["a.o(.nv_fatbin)", "a.o(.nv_fatbin)", "a.o(.nv_fatbin)", "a.o(__nv_relfatbin)"]
        );
        assert_eq!(labels[4..], ["b.fatbin"]);
    }
    assert_eq!(entries(&Host::X86_64.object(&[(".text", b"x")])), []);
}

/// The time and memory of a list do not grow with images x length of a name.
#[test]
fn long_names_are_not_read_for_each_image() {
    let program = fatbin(&vec![ptx(0).write(); 1000]);
    let name = "m".repeat(1 << 20);
    // A long name as BSD's ar has it: in front of the member's bytes.
    let (head, size) = (format!("#1/{}", name.len()), name.len() + program.len());
    let head = format!("!<arch>\n{head:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644);
    let library = [head.as_bytes(), name.as_bytes(), &program].concat();
    let entries = entries(&library);
    assert_eq!(entries.len(), 1000);
    for entry in &entries {
        let member = entry.position.member.as_deref().unwrap();
        assert!(name.starts_with(member) && member.len() <= 1024, "{}", member.len());
    }
    // A name that only begins like one of ours.
    let long = format!("__nv_relfatbin{name}");
    let object = Host::X86_64.object(&vec![(&*long, &b"x"[..]); 20]);
    assert_eq!(Container::parse(&object).unwrap().entries().count(), 0);
}

#[test]
fn files_that_are_one_image() {
    let cubin = example("saxpy/saxpy.cubin");
    let [entry] = entries(&cubin).try_into().unwrap();
    assert_eq!((entry.kind, entry.arch.unwrap().to_string()), (EntryKind::Elf, "sm_90".to_owned()));
    assert!(matches!(entry.payload().unwrap(), Cow::Borrowed(bytes) if bytes == cubin));
    let text = example("saxpy/saxpy.ptx");
    let [entry] = entries(&text).try_into().unwrap();
    assert_eq!(
        (entry.kind, entry.arch, entry.payload().unwrap()),
        (EntryKind::Ptx, None, text.as_slice().into())
    );
    for not in [&b""[..], b"x", b"#!/bin/sh\n", b"/* .version", b"\x7fEL", b"\x50\xed\x55"] {
        let fault = Container::parse(not).unwrap_err();
        assert!(matches!(fault.kind(), ErrorKind::NotAContainer(_)), "{fault}");
    }
}

#[test]
fn members_of_archives_that_are_images() {
    let (cubin, text) = (example("saxpy/saxpy.cubin"), example("saxpy/saxpy.ptx"));
    let ir = nvvm::Header {
        container_version: nvvm::Version { major: 1, minor: 65 },
        ir_version: nvvm::Version { major: 2, minor: 98 },
        debug_version: nvvm::DEBUG_VERSION,
        llvm_version: nvvm::Version { major: 7, minor: 0 },
        reserved: 1,
        scalars: vec![nvvm::Scalar { tag: 1, value: 900 }],
        blobs: &[],
        body: b"IR",
    };
    let (ir, fatbin) = (ir.encode().unwrap(), fatbin(&[ptx(0).write()]));
    let file = archive(&[("a.cubin", &cubin), ("b.ptx", &text), ("c.ltoir", &ir), ("d.fatbin", &fatbin)]);
    let kinds: Vec<_> = entries(&file).iter().map(|entry| (entry.position.label(), entry.kind)).collect();
    let want = [
        ("a.cubin", EntryKind::Elf),
        ("b.ptx", EntryKind::Ptx),
        ("c.ltoir", EntryKind::Nvvm),
        ("d.fatbin", EntryKind::Ptx),
    ];
    assert_eq!(kinds, want.map(|(name, kind)| (name.to_owned(), kind)));
}

#[test]
fn each_field_that_is_wrong_is_named() {
    let spec = Spec { name: b"k.cu".to_vec(), options: Some(b"-g".to_vec()), ..ptx(0x8000) };
    let good = fatbin(&[spec.write()]);
    entries(&good);
    for (at, bytes, field) in [
        (6, &[8, 0][..], "headerSize"),
        (8, &[0xff; 8], "fatSize"),
        (16 + 4, &[63, 0, 0, 0], "headerSize"),
        (16 + 4, &[0xff; 4], "headerSize"),
        (16 + 8, &[0xff; 8], "size"),
        (16 + 16, &[0xff; 4], "compressedSize"),
        (16 + 20, &[0xfc, 0xff, 0xff, 0xff], "options offset"),
        (16 + 32, &[0xff; 4], "identifier offset"),
        (16 + 36, &[0xff; 4], "identifier offset"),
    ] {
        let mut bad = good.clone();
        bad[at..at + bytes.len()].copy_from_slice(bytes);
        let fault = first_error(&bad);
        let is_it = matches!(fault.kind(), ErrorKind::Value { field: found, .. } if *found == field);
        assert!(is_it, "{at}: {fault}");
        assert_eq!(fault.offset(), if field == "identifier offset" { 16 + 32 } else { at as u64 });
    }
    // Options that begin or end outside the header.
    let record = good.windows(4).position(|bytes| bytes == [80, 0, 0, 0]).unwrap();
    for at in [record, record + 4] {
        let mut bad = good.clone();
        bad[at..at + 4].fill(0xff);
        assert_eq!(first_error(&bad).offset(), 16 + 20);
    }
    // After the fatbin.
    let fault = first_error(&[&good[..], b"\0\0\0\0junk"].concat());
    assert_eq!(fault.offset(), good.len() as u64 + 4);
    assert!(matches!(fault.kind(), ErrorKind::Value { field: "magic", .. }), "{fault}");
}

#[test]
fn a_fault_ends_its_fatbin_only() {
    let good = fatbin(&[ptx(0).write()]);
    let mut bad = fatbin(&[ptx(0).write(), ptx(0).write()]);
    let second = 16 + ptx(0).write().len();
    bad[second + 4] = 1;
    let data = [&bad[..], &good].concat();
    let object = Host::X86_64.object(&[(".nv_fatbin", &data)]);
    let found: Vec<_> = Container::parse(&object).unwrap().entries().collect();
    assert_eq!(found.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    let fault = found[1].as_ref().unwrap_err();
    assert_eq!((fault.section(), fault.offset()), (".nv_fatbin", second as u64 + 4));
    let library = archive(&[("a.o", &object)]);
    assert_eq!(first_error(&library).to_string().split('+').next(), Some("a.o(.nv_fatbin)"));
}

#[test]
fn every_cut_is_refused_or_shorter() {
    let good = fatbin(&[ptx(0).write(), Spec { options: Some(vec![7; 36]), kind: 2, ..ptx(0x8000) }.write()]);
    for cut in 0..good.len() {
        let fault = first_error(&good[..cut]);
        assert!(fault.offset() <= cut as u64, "{fault}");
    }
    let object = Host::X86_64.object(&[(".nv_fatbin", &good)]);
    let files = [archive(&[("a.o", &object)]), object];
    for file in files {
        for cut in 0..file.len() {
            // No fault where padding or a table that nobody needs is cut.
            if let Ok(container) = Container::parse(&file[..cut]) {
                assert!(container.entries().count() <= 2);
            }
        }
    }
}

fn refusal(entry: Vec<u8>) -> ErrorKind {
    let file = fatbin(&[entry]);
    let fault = entries(&file)[0].payload().unwrap_err();
    assert_eq!(fault.offset(), 16);
    fault.kind().clone()
}

/// A zstd frame that claims `content` bytes and repeats one byte `blocks` times 128 KiB (RFC 8878
/// 3.1.1).
fn zstd_bomb(content: u64, blocks: usize) -> Vec<u8> {
    let mut frame = 0xfd2f_b528_u32.to_le_bytes().to_vec();
    frame.push(0b1110_0000); // 8 bytes of content size, a single segment
    frame.extend(content.to_le_bytes());
    for block in 0..blocks {
        let is_last = usize::from(block + 1 == blocks);
        let header = (1 << 17) << 3 | 1 << 1 | is_last; // RLE
        frame.extend(&header.to_le_bytes()[..3]);
        frame.push(0);
    }
    frame
}

#[test]
fn bombs_are_refused() {
    let (lz4, zstd) = (ptx(0x2000), ptx(0x8000));
    assert_eq!((MAX_EXPANSION, MAX_PAYLOAD), (256, 512 << 20));
    let expands = |kind| matches!(kind, ErrorKind::Expansion { factor: MAX_EXPANSION, .. });
    assert!(expands(refusal(lz4.write_stored(&[0; 104], 104 * MAX_EXPANSION + 1))));
    assert!(expands(refusal(zstd.write_stored(&zstd_bomb(1 << 40, 10), 1 << 40))));
    assert!(expands(refusal(zstd.write_stored(&zstd_bomb(10 << 17, 10), 10 << 17))));

    let damaged = |kind| matches!(kind, ErrorKind::Damaged { .. });
    // More, or less, than the header says; a window larger than the payload.
    assert!(damaged(refusal(zstd.write_stored(&zstd_bomb(1000, 10), 1000))));
    assert!(damaged(refusal(zstd.write_stored(&zstd_bomb(10 << 17, 10), 1000))));
    assert!(damaged(refusal(zstd.write_stored(&zstd_bomb(1 << 50, 10), 1000))));
    assert!(damaged(refusal(zstd.write_stored(b"\x28\xb5\x2f\xfd", 1000))));
    let good = container::compress(0x2000, &lz4.payload);
    assert!(damaged(refusal(lz4.write_stored(&good, lz4.payload.len() as u64 + 1))));
    assert!(damaged(refusal(lz4.write_stored(&good, lz4.payload.len() as u64 - 1))));
    assert!(damaged(refusal(lz4.write_stored(&[0xff; 20], 4000))));
    // A match that begins before the first byte.
    assert!(damaged(refusal(lz4.write_stored(&[0x10, 7, 9, 0, 0x10, 7], 6))));

    // A caller who knows better.
    let size = 100_u64 << 17;
    let zeros = fatbin(&[Spec { kind: 2, ..zstd }.write_stored(&zstd_bomb(size, 100), size)]);
    assert!(entries(&zeros)[0].payload().is_err());
    assert_eq!(entries(&zeros)[0].payload_within(1 << 20).unwrap().len() as u64, size);
}

#[test]
fn what_cannot_be_undone_is_named() {
    for (flags, word) in [(0x1000, "zlib"), (0x4000, "0x4000"), (0x8000 | Flags::OBFUSCATED, "obfuscated")] {
        let kind = refusal(ptx(flags).write_stored(&[0; 100], 100));
        assert!(matches!(kind, ErrorKind::UnsupportedEncoding(text) if text.contains(word)), "{kind}");
    }
}

fn specs() -> impl Strategy<Value = Spec> {
    let compression = prop_oneof![Just(None), Just(Some(Compression::Lz4)), Just(Some(Compression::Zstd))];
    let kind = prop_oneof![Just(1), Just(2), Just(8), Just(0x40), any::<u16>()];
    let payload = prop_oneof![
        proptest::collection::vec(any::<u8>(), 1..300),
        (any::<u8>(), 1..3000_usize).prop_map(|(byte, len)| vec![byte; len]),
    ];
    let text = || proptest::collection::vec(1_u8.., 1..30);
    let flags = proptest::sample::subsequence(vec![1, 2, 0x10, 0x20, 0x10_0000, 0x20_0000, 0x100_0000], 0..7);
    (
        kind,
        any::<u32>(),
        compression,
        flags,
        proptest::option::of(text()),
        proptest::option::of(text()),
        payload,
    )
        .prop_map(|(kind, number, compression, flags, name, options, payload)| Spec {
            kind,
            number,
            flags: flags.iter().sum::<u64>() | compression_flag(compression),
            name: name.unwrap_or_default(),
            options,
            payload,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_written_is_read(all in proptest::collection::vec(specs(), 0..6), gap in 0_usize..20) {
        let file = fatbin(&all.iter().map(Spec::write).collect::<Vec<_>>());
        let data = [&file[..], &vec![0; gap], &file].concat();
        let found: Vec<_> = Fatbins::new(".nv_fatbin", &data)
            .map(|fatbin| fatbin.unwrap().entries().collect::<Result<Vec<_>>>().unwrap())
            .collect();
        prop_assert_eq!(found.len(), 2);
        for entries in found {
            prop_assert_eq!(entries.len(), all.len());
            for (entry, spec) in entries.iter().zip(&all) {
                prop_assert_eq!(entry.kind.code(), spec.kind);
                prop_assert_eq!(entry.arch.unwrap().number, spec.number);
                prop_assert_eq!(entry.flags, Flags(spec.flags));
                prop_assert_eq!(entry.name, &spec.name);
                let options = if spec.kind == 2 { entry.compat } else { entry.options };
                prop_assert_eq!(options, spec.options.as_deref().unwrap_or_default());
                let payload = entry.payload_within(u64::MAX).unwrap();
                // Without a size of its own a payload is padded; text loses zeros at its end.
                let unpadded = |bytes: &[u8]| bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                let exact = spec.flags & 0xf000 != 0 && !entry.kind.is_text();
                let (found, want) = if exact {
                    (&payload[..], &spec.payload[..])
                } else {
                    (&payload[..unpadded(&payload)], &spec.payload[..unpadded(&spec.payload)])
                };
                prop_assert_eq!(found, want);
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), magic in 0..4_usize) {
        let magics: [&[u8]; 4] = [b"\x50\xed\x55\xba\x01\0\x10\0", b"\x7fELF\x02\x01\x01", b"!<arch>\n", b"\xed\x43\x4e\x7f"];
        let data = [magics[magic], &bytes].concat();
        let Ok(container) = Container::parse(&data) else { return Ok(()) };
        for entry in container.entries().flatten() {
            if let Ok(payload) = entry.payload() {
                prop_assert!(payload.len() as u64 <= data.len() as u64 * MAX_EXPANSION);
            }
        }
    }
}
