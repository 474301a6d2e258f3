//! A fault in a container is told with its place, and hides nothing that can still be found.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a panic is a failed test

mod container;

use container::{Host, Spec, archive, fatbin};
use nv_debug_sections::Error;
use nv_debug_sections::container::{Container, MAX_EXPANSION, MAX_PAYLOAD};
use nv_debug_sections::error::ErrorKind;

/// A PTX entry for an architecture of this number, so that tests can tell which one they see.
fn ptx(number: u32) -> Vec<u8> {
    let payload = b".version 9.0\n.target sm_90\n.address_size 64\n\0".to_vec();
    Spec { kind: 1, number, flags: 0x11, payload, ..Spec::default() }.write()
}

/// A fatbin with one entry.
fn one(number: u32) -> Vec<u8> {
    fatbin(&[ptx(number)])
}

/// Numbers of the images that are found, and what is wrong.
fn listed(data: &[u8]) -> (Vec<u32>, Vec<Error>) {
    let (mut numbers, mut faults) = (Vec::new(), Vec::new());
    for entry in Container::parse(data).unwrap().entries() {
        match entry {
            Ok(entry) => numbers.push(entry.arch.unwrap().number),
            Err(fault) => faults.push(fault),
        }
    }
    (numbers, faults)
}

/// Section, offset and field of a fault; that it is a typed one.
fn told(fault: &Error) -> (&str, u64, &'static str) {
    let field = match fault.kind() {
        ErrorKind::Value { field, .. } | ErrorKind::Truncated(field) => field,
        kind => panic!("{kind:?}"),
    };
    (fault.section(), fault.offset(), field)
}

/// `bytes` in place of those at `at`.
fn patched(data: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    data[at..at + bytes.len()].copy_from_slice(bytes);
    data
}

#[test]
fn of_one_entry() {
    let size = ptx(1).len();
    let options = Some(b"-g".to_vec());
    let named = Spec { kind: 1, number: 2, flags: 0x11, name: b"k.cu".to_vec(), options, ..Spec::default() };
    let all = |second: &[u8]| fatbin(&[ptx(1), second.to_vec(), ptx(3)]);
    // What is wrong inside an entry of known size.
    for (at, bytes, field) in [(32, &[0xff; 4][..], "identifier offset"), (20, &[0xff; 4], "options offset")]
    {
        let file = all(&patched(&named.write(), at, bytes));
        let (numbers, faults) = listed(&file);
        assert_eq!(numbers, [1, 2, 3], "{field}");
        let container = Container::parse(&file).unwrap();
        let second = container.entries().flatten().nth(1).unwrap();
        let without = if at == 32 { second.name } else { second.options };
        assert_eq!(without, b"", "{field}");
        assert_eq!(faults.iter().map(told).collect::<Vec<_>>(), [("", (16 + size + at) as u64, field)]);
    }
    let packed = Spec { flags: 0x2011, payload: vec![7; 100], ..named };
    let (numbers, faults) = listed(&all(&patched(&packed.write(), 16, &[0xff; 4])));
    assert_eq!((numbers, faults.len()), (vec![1, 3], 1));
    // After an entry of unknown size comes the next fatbin.
    let lost = patched(&ptx(2), 4, &[1, 0, 0, 0]);
    let (numbers, faults) = listed(&[all(&lost), one(4)].concat());
    assert_eq!((numbers, faults.len()), (vec![1, 4], 1));
}

#[test]
fn of_one_fatbin() {
    let (first, last) = (one(1), one(3));
    let two = fatbin(&[ptx(2), ptx(2)]);
    let at = first.len();
    for (bad, offset, field, found) in [
        (patched(&two, 0, b"junk"), 0, "magic", vec![1, 3]),
        (patched(&two, 6, &[17, 0]), 6, "headerSize", vec![1, 3]),
        // A magic number with another header size after it does not start a fatbin.
        (patched(&patched(&two, 0, b"junk"), 24, b"\x50\xed\x55\xba\x01\0\x11\0"), 0, "magic", vec![1, 3]),
        // Its entries are there all the same.
        (patched(&two, 8, &[0xff; 8]), 8, "fatSize", vec![1, 2, 2, 3]),
    ] {
        let (numbers, faults) = listed(&[&first[..], &bad, &last].concat());
        assert_eq!(numbers, found, "{field}");
        assert_eq!(faults.iter().map(told).collect::<Vec<_>>(), [("", (at + offset) as u64, field)]);
    }
    // A file that is cut off has the images before the cut.
    let (numbers, faults) = listed(&two[..two.len() - 1]);
    assert_eq!((numbers, faults.len()), (vec![2], 2));
    let (numbers, faults) = listed(&[&first[..], b"\x50\xed\x55"].concat());
    assert_eq!(numbers, [1]);
    assert_eq!(told(&faults[0]), ("", at as u64, "the fatbin's magic"));
}

/// Offsets of the fields of a section header, and of the file header's, in both classes.
const FIELDS: [(bool, [usize; 4]); 2] = [(true, [0x18, 0x20, 0x28, 0x3c]), (false, [0x10, 0x14, 0x20, 0x30])];

#[test]
fn of_one_section() {
    for (is_64, [sh_offset, sh_size, ..]) in FIELDS {
        let host = Host { is_64, is_big: false };
        let object =
            host.object(&[(".nv_fatbin", &one(1)), (".nv_fatbin", &one(2)), ("__nv_relfatbin", &one(3))]);
        let row = if is_64 { 64 } else { 40 };
        // After the null section and the names.
        let headers = object.len() - 5 * row;
        let second = headers + 3 * row;
        for (at, bytes, field) in [
            (sh_size, [0xff_u8; 4], "sh_size"),
            (sh_offset, [0xff, 0xff, 0xff, 0x7f], "sh_size"),
            (0, [0xff; 4], "sh_name"),
        ] {
            let (numbers, faults) = listed(&patched(&object, second + at, &bytes));
            assert_eq!(numbers, [1, 3], "{field}");
            let at = if field == "sh_size" { sh_size } else { at };
            assert_eq!(faults.iter().map(told).collect::<Vec<_>>(), [("", (second + at) as u64, field)]);
        }
        let (_, faults) = listed(&patched(&object, second + sh_size, &[0xff; 4]));
        assert!(faults[0].to_string().contains("an end of .nv_fatbin inside the file"), "{}", faults[0]);
        // In an archive the member is named.
        let bad = patched(&object, second + sh_size, &[0xff; 4]);
        let (numbers, faults) = listed(&archive(&[("a.o", &bad), ("b.o", &object)]));
        assert_eq!(numbers, [1, 3, 1, 2, 3]);
        assert_eq!(told(&faults[0]), ("a.o", (second + sh_size) as u64, "sh_size"));
    }
}

#[test]
fn of_an_elf_header() {
    for (is_64, [_, _, e_shoff, e_shnum]) in FIELDS {
        for is_big in [false, true] {
            let object = Host { is_64, is_big }.object(&[(".nv_fatbin", &one(1))]);
            let high = if is_big { e_shoff } else { e_shoff + 3 };
            for (at, byte, want) in [
                (4, 3, ("", 4, "EI_CLASS")),
                (5, 0, ("", 5, "EI_DATA")),
                (high, 0x7f, ("", e_shoff as u64, "e_shoff")),
                (e_shnum - 2 + usize::from(is_big), 39, ("", e_shnum as u64 - 2, "e_shentsize")),
                (e_shnum + 2 + usize::from(is_big), 9, ("", e_shnum as u64 + 2, "e_shstrndx")),
            ] {
                let (numbers, faults) = listed(&patched(&object, at, &[byte]));
                assert_eq!(numbers, [0; 0]);
                assert_eq!(faults.iter().map(told).collect::<Vec<_>>(), [want]);
            }
            // A table that is cut off, or says that it is larger.
            let (numbers, faults) = listed(&patched(&object, e_shnum + usize::from(is_big), &[200]));
            assert_eq!(numbers, [1]);
            assert_eq!(told(&faults[0]), ("", e_shnum as u64, "e_shnum"));
        }
    }
    let (numbers, faults) = listed(b"\x7fELF\x02\x01");
    assert!(numbers.is_empty());
    assert_eq!(told(&faults[0]), ("", 6, "e_shoff"));
}

#[test]
fn of_one_member() {
    let object = |number| Host::X86_64.object(&[(".nv_fatbin", &one(number))]);
    let (first, last) = (object(1), object(3));
    let cut = &object(2)[..70];
    let (numbers, faults) = listed(&archive(&[("a.o", &first), ("bad.o", cut), ("c.o", &last)]));
    assert_eq!(numbers, [1, 3]);
    assert_eq!(told(&faults[0]), ("bad.o", 0x28, "e_shoff"));
    assert!(faults[0].to_string().starts_with("bad.o+0x28: e_shoff is 0x"), "{}", faults[0]);
    // A cubin is an image, a damaged one a fault, in its member.
    let (numbers, faults) = listed(&archive(&[("a.ltoir", b"\xed\x43\x4e\x7f"), ("c.o", &last)]));
    assert_eq!((numbers, told(&faults[0])), (vec![3], ("a.ltoir", 4, "the container's version")));
}

#[test]
fn of_one_header_of_an_archive() {
    let raw = one(2);
    let object = Host::X86_64.object(&[(".nv_fatbin", &one(3))]);
    let good = archive(&[("a", &one(1)), ("b", &raw), ("c.o", &object)]);
    let second = 8 + 60 + one(1).len();
    for (at, bytes, want, found) in [
        (48, &b"9999999999"[..], (48, "ar_size"), vec![1, 2, 3]),
        (48, b"many      ", (48, "ar_size"), vec![1, 2, 3]),
        (58, b"xx", (58, "ar_fmag"), vec![1, 3]),
        (0, b"/17             ", (1, "offset in ar_name"), vec![1, 2, 3]),
        (0, b"#1/99999        ", (3, "length of ar_name"), vec![1, 2, 3]),
    ] {
        let (numbers, faults) = listed(&patched(&good, second + at, bytes));
        assert_eq!(numbers, found, "{want:?}");
        let want = ("", (second + want.0) as u64, want.1);
        assert_eq!(faults.iter().map(told).collect::<Vec<_>>(), [want]);
        // The member whose name is wrong has the field as its name.
        if at == 0 {
            let file = patched(&good, second, bytes);
            let container = Container::parse(&file).unwrap();
            let labels: Vec<_> = container.entries().flatten().map(|entry| entry.position.label()).collect();
            assert_eq!(labels[1], String::from_utf8_lossy(bytes).trim_end());
        }
    }
    // Cut off: its last member has no section table any more, but is told of.
    for cut in [good.len() - 1, good.len() - object.len() - 10] {
        let (numbers, faults) = listed(&good[..cut]);
        assert_eq!(numbers, [1, 2]);
        assert!(!faults.is_empty() && faults.iter().all(|fault| !told(fault).2.is_empty()));
    }
}

#[test]
fn names_of_members() {
    let program = one(1);
    let names = b"a/very/long/name/of/a/member.fatbin/\nother/\n";
    let member = |name: &str, bytes: &[u8]| {
        let size = bytes.len();
        let mut out = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644).into_bytes();
        out.extend(bytes);
        out.resize(out.len().next_multiple_of(2), b'\n');
        out
    };
    let bsd = [&b"with a blank.o\0\0"[..], &program].concat();
    let library = [
        b"!<arch>\n".to_vec(),
        member("/", b"symbols"),
        member("/SYM64/", b"symbols"),
        member("//", names),
        member("/0", &program),
        member("/37", &program),
        member("short/", &program),
        member("plain", &program),
        member("#1/16", &bsd),
    ];
    let labels: Vec<_> = Container::parse(&library.concat())
        .unwrap()
        .entries()
        .map(|entry| entry.unwrap().position.label())
        .collect();
    let want = ["a/very/long/name/of/a/member.fatbin", "other", "short", "plain", "with a blank.o"];
    assert_eq!(labels, want);
}

#[test]
fn sections_that_share_bytes() {
    let data = one(1);
    let many: Vec<_> = (0..40).map(|_| (".nv_fatbin", &b""[..])).collect();
    let object = Host::X86_64.object(&[&[(".nv_fatbin", data.as_slice())], many.as_slice()].concat());
    let headers = object.len() - 41 * 64;
    let (numbers, faults) = listed(&object);
    assert_eq!((numbers, faults), (vec![1], vec![]));
    let mut shared = object;
    for section in 1..41 {
        shared.copy_within(headers + 24..headers + 40, headers + section * 64 + 24);
    }
    let (numbers, faults) = listed(&shared);
    assert_eq!((numbers, faults.len()), (vec![1], 40));
    assert_eq!(told(&faults[0]), ("", (headers + 64 + 24) as u64, "sh_offset"));
    assert!(faults[0].to_string().contains("overlap"), "{}", faults[0]);
}

/// Faults everywhere cost no more than their bytes: each is told once, in linear time.
#[test]
fn many_faults() {
    let header = patched(&fatbin(&[]), 8, &[0xff; 8]);
    let (numbers, faults) = listed(&header.repeat(50_000));
    assert_eq!((numbers.len(), faults.len()), (0, 50_000));
    let (_, faults) = listed(&[&fatbin(&[])[..], &b"\x50\xed\x55\xbax".repeat(50_000)].concat());
    assert_eq!(faults.len(), 1);
    let member = archive(&[("a", b"")]).split_off(8);
    let bad = patched(&member, 48, b"999999999 ");
    let (_, faults) = listed(&[b"!<arch>\n".to_vec(), bad.repeat(50_000)].concat());
    assert_eq!(faults.len(), 50_000);
}

#[test]
fn archives_in_archives() {
    let mut file = one(1);
    for depth in 1..=9 {
        file = archive(&[("inner", &file)]);
        let found: Vec<_> = Container::parse(&file).unwrap().entries().collect();
        let [found] = &found[..] else { panic!("{depth}: {found:?}") };
        match found {
            Ok(entry) => assert_eq!((depth < 9, entry.arch.unwrap().number), (true, 1)),
            Err(fault) => {
                assert!(
                    depth == 9 && matches!(fault.kind(), ErrorKind::NotAContainer(_)),
                    "{depth}: {fault}"
                );
            }
        }
    }
}

#[test]
fn limits() {
    let entry = |stored: &[u8], size| {
        let spec = Spec { kind: 2, number: 1, flags: 0x8011, ..Spec::default() };
        let file = fatbin(&[spec.write_stored(stored, size)]);
        let container = Container::parse(&file).unwrap();
        let entry = container.entries().next().unwrap().unwrap();
        entry.payload_within(u64::MAX).unwrap_err().kind().clone()
    };
    let kind = entry(&[0; 8], MAX_PAYLOAD + 1);
    assert!(matches!(kind, ErrorKind::Value { field: "uncompressed size", .. }), "{kind}");
    // What LZ4 can reach is not refused: 255 bytes for each byte of a match's length.
    let zeros = Spec { kind: 2, number: 1, flags: 0x2011, payload: vec![0; 1 << 20], ..Spec::default() };
    let file = fatbin(&[zeros.write()]);
    let image = Container::parse(&file).unwrap().entries().next().unwrap().unwrap();
    let factor = image.size() / image.stored().len() as u64;
    assert!((200..MAX_EXPANSION).contains(&factor), "{factor}");
    assert_eq!(image.payload().unwrap().len(), 1 << 20);
}
