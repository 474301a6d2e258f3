//! Programs, DLLs and objects of Windows as hosts of GPU code.

#![allow(clippy::unwrap_used)] // a panic is a failed test

mod container;

use container::{Spec, archive, fatbin};
use nv_debug_sections::Result;
use nv_debug_sections::container::{Container, Entry, FileKind};

fn entries(data: &[u8]) -> Vec<Entry<'_>> {
    Container::parse(data).unwrap().entries().collect::<Result<_>>().unwrap()
}

fn faults(file: &[u8]) -> Vec<String> {
    let found = Container::parse(file).unwrap().entries();
    found.filter_map(Result::err).map(|error| error.to_string()).collect()
}

fn sections(file: &[u8]) -> Vec<String> {
    entries(file).iter().map(|entry| entry.position.label()).collect()
}

/// A PTX entry for sm_90.
fn ptx(flags: u64) -> Spec {
    let payload = b".version 9.0\n.target sm_90\n.address_size 64\n\0".to_vec();
    Spec { kind: 1, number: 90, flags: flags | 0x11, payload, ..Spec::default() }
}

/// A Windows PE file with these sections: name, bytes, and how many of these count.
fn windows(sections: &[(&[u8; 8], &[u8], u32)]) -> Vec<u8> {
    const OPTIONAL_HEADER: u16 = 0xf0;
    let mut file = vec![0; 0x80];
    file[..2].copy_from_slice(b"MZ");
    file[0x18] = 0x40;
    file[0x3c..0x40].copy_from_slice(&0x80_u32.to_le_bytes());
    file.extend(b"PE\0\0\x64\x86");
    file.extend(u16::try_from(sections.len()).unwrap().to_le_bytes());
    file.extend([0; 12]);
    file.extend(OPTIONAL_HEADER.to_le_bytes());
    file.extend([0; 2 + OPTIONAL_HEADER as usize]);
    let mut at = file.len() + 40 * sections.len();
    for (name, bytes, size) in sections {
        file.extend(*name);
        for field in [*size, 0x1000, u32::try_from(bytes.len()).unwrap(), u32::try_from(at).unwrap()] {
            file.extend(field.to_le_bytes());
        }
        file.extend([0; 16]);
        at += bytes.len();
    }
    file.extend(sections.iter().flat_map(|(_, bytes, _)| *bytes));
    file
}

#[test]
fn windows_programs() {
    let program = fatbin(&[ptx(0).write(), ptx(0x2000).write()]);
    let size = u32::try_from(program.len()).unwrap();
    // Sections are padded in the file, and what comes after their size is not theirs.
    let padded = [&program[..], &program].concat();
    let file =
        windows(&[(b".text\0\0\0", &[0x90; 5], 5), (b".nv_fatb", &padded, size), (b"__nv_rel", &program, 0)]);
    assert_eq!(FileKind::of(&file), Some(FileKind::Host));
    let places: Vec<_> =
        entries(&file).iter().map(|entry| (entry.position.label(), entry.position.offset)).collect();
    let second = 16 + ptx(0).write().len() as u64;
    let want = [(".nv_fatb", 16), (".nv_fatb", second), ("__nv_rel", 16), ("__nv_rel", second)];
    assert_eq!(places, want.map(|(section, offset)| (section.to_owned(), offset)));
    assert_eq!(entries(&windows(&[(b".text\0\0\0", b"x", 1)])), []);
    // Without another signature it is a DOS program.
    assert_eq!(FileKind::of(&[&file[..0x80], b"NE\0\0"].concat()), None);
    let header = 0x80 + 24 + 0xf0 + 40;
    let mut beyond = file.clone();
    beyond[header + 20..header + 24].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(faults(&beyond).len(), 1, "{:?}", faults(&beyond));
    assert_eq!(Container::parse(&beyond).unwrap().entries().flatten().count(), 2);
    let mut shared = file.clone();
    let place = shared[header + 20..header + 24].to_vec();
    shared[header + 60..header + 64].copy_from_slice(&place);
    assert!(
        faults(&shared)[0].contains("bytes that no other section with fatbins has"),
        "{:?}",
        faults(&shared)
    );
    let mut many = file;
    many[0x86..0x88].copy_from_slice(&u16::MAX.to_le_bytes());
    assert!(faults(&many)[0].contains("NumberOfSections"), "{:?}", faults(&many));
}

/// The header of an object for `machine`: the ordinary one, or that of `cl /bigobj`.
fn object_header(machine: u16, is_big: bool, sections: usize, symbols_at: usize, symbols: u32) -> Vec<u8> {
    let (sections, symbols_at) = (u32::try_from(sections).unwrap(), u32::try_from(symbols_at).unwrap());
    let mut header = Vec::new();
    if is_big {
        header.extend(b"\0\0\xff\xff\x02\0");
        header.extend(machine.to_le_bytes());
        header.extend([0; 4]);
        // {D1BAA1C7-BAEE-4ba9-AF20-FAF66AA4DCB8}
        header.extend(b"\xc7\xa1\xba\xd1\xee\xba\xa9\x4b\xaf\x20\xfa\xf6\x6a\xa4\xdc\xb8");
        header.extend([0; 16]);
        header.extend([sections, symbols_at, symbols].map(u32::to_le_bytes).concat());
    } else {
        header.extend(machine.to_le_bytes());
        header.extend(u16::try_from(sections).unwrap().to_le_bytes());
        header.extend([0, symbols_at, symbols, 0].map(u32::to_le_bytes).concat());
    }
    header
}

/// A Windows object with these sections, their names as headers have them, two symbols and a string
/// table.
fn object(machine: u16, is_big: bool, sections: &[(&[u8], &[u8])], strings: &[u8]) -> Vec<u8> {
    let headers = object_header(machine, is_big, 0, 0, 0).len() + 40 * sections.len();
    let symbols_at = headers + sections.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
    let mut file = object_header(machine, is_big, sections.len(), symbols_at, 2);
    let mut at = headers;
    for (name, bytes) in sections {
        file.extend(*name);
        file.resize(file.len() + 8 - name.len(), 0);
        for field in [0, 0, u32::try_from(bytes.len()).unwrap(), u32::try_from(at).unwrap()] {
            file.extend(field.to_le_bytes());
        }
        file.extend([0; 16]);
        at += bytes.len();
    }
    file.extend(sections.iter().flat_map(|(_, bytes)| *bytes));
    file.resize(file.len() + 2 * if is_big { 20 } else { 18 }, 0);
    file.extend(u32::try_from(4 + strings.len()).unwrap().to_le_bytes());
    file.extend(strings);
    file
}

const AMD64: u16 = 0x8664;
const ARM64: u16 = 0xaa64;
const STRINGS: &[u8] = b"__nv_module_id\0.nv_fatbin\0__nv_relfatbin\0.nv_fatbin.x\0";

#[test]
fn objects() {
    let fatbin = fatbin(&[ptx(0).write()]);
    let long: [(&[u8], &[u8]); 5] = [
        (b".text", b"\x90"),
        (b"/4", &fatbin),
        (b"/19", &fatbin),
        (b"//AAAAAe", &fatbin), // 30
        (b"/45", &fatbin),
    ];
    for machine in [AMD64, ARM64] {
        for is_big in [false, true] {
            let file = object(machine, is_big, &long, STRINGS);
            assert_eq!(FileKind::of(&file), Some(FileKind::Host));
            assert_eq!(sections(&file), [".nv_fatbin", "__nv_relfatbin"]);
        }
    }
    let cut: [(&[u8], &[u8]); 3] = [(b".nv_fatb", &fatbin), (b"__nv_rel", &fatbin), (b".nv_fat", b"x")];
    let file = object(AMD64, false, &cut, b"");
    assert_eq!(sections(&file), [".nv_fatb", "__nv_rel"]);
    // In an archive, beside an import of a DLL, which is not an object.
    let import = [&[0, 0, 0xff, 0xff, 0, 0, 0x64, 0x86][..], &[0; 12], b"f\0k.dll\0"].concat();
    let library = archive(&[("import.obj", &import), ("k.obj", &file)]);
    assert_eq!(sections(&library), ["k.obj(.nv_fatb)", "k.obj(__nv_rel)"]);
    // A name that is nowhere.
    let nowhere = object(AMD64, false, &[(b"/999", &fatbin), (b"/19", &fatbin)], STRINGS);
    assert_eq!(
        faults(&nowhere),
        ["offset 0x14: Name is 0x3e7, expected a place in the string table, after a slash"]
    );
    assert_eq!(Container::parse(&nowhere).unwrap().entries().flatten().count(), 1);
    // A section without bytes.
    let mut empty = object(AMD64, false, &[(b"/19", &fatbin)], STRINGS);
    empty[20 + 20..20 + 24].fill(0);
    assert_eq!(entries(&empty), []);
}

#[test]
fn what_is_cut_off_is_named() {
    let fatbin = fatbin(&[ptx(0).write()]);
    let size = u32::try_from(fatbin.len()).unwrap();
    let program = windows(&[(b".nv_fatb", &fatbin, size)]);
    let table = 0x80 + 24 + 0xf0 + 40;
    // Too short to be told from a DOS program.
    assert_eq!(FileKind::of(&program[..0x19]), None);
    for cut in 0x1a..program.len() {
        let file = &program[..cut];
        assert_eq!(FileKind::of(file), Some(FileKind::Host), "{cut:#x}");
        let fault = faults(file).remove(0);
        match cut {
            ..0x84 => assert_eq!(
                fault,
                format!(
                    "offset {cut:#x}: the data ends inside the headers of a Windows program, which is cut off"
                )
            ),
            0x96.. => assert!(fault.contains("which may be cut off"), "{cut:#x}: {fault}"),
            _ => assert!(fault.contains("the data ends inside"), "{cut:#x}: {fault}"),
        }
        assert!(cut >= table || Container::parse(file).unwrap().entries().flatten().count() == 0);
    }
    let object = object(AMD64, false, &[(b"/19", &fatbin)], STRINGS);
    for cut in 18..object.len() {
        let faults = faults(&object[..cut]);
        assert!(!faults.is_empty(), "{cut:#x}");
    }
}
