//! Images that are replaced in their place, in fatbins, host programs, archives and files of one
//! image.

#![allow(clippy::unwrap_used)] // a panic is a failed test

mod container;

use std::path::Path;

use container::{Host, Spec, archive, compression_flag, fatbin};
use nv_debug_sections::Result;
use nv_debug_sections::container::{Compression, Container, Entry};
use nv_debug_sections::error::ErrorKind;

const COMPRESSIONS: [Option<Compression>; 3] = [None, Some(Compression::Lz4), Some(Compression::Zstd)];

fn example(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(path)).unwrap()
}

fn entries(data: &[u8]) -> Vec<Entry<'_>> {
    Container::parse(data).unwrap().entries().collect::<Result<_>>().unwrap()
}

fn elf(compression: Option<Compression>, payload: Vec<u8>) -> Vec<u8> {
    let flags = compression_flag(compression) | 0x11;
    Spec { kind: 2, number: 75, flags, payload, name: b"/home/me/a.cu".to_vec(), options: None }.write()
}

/// The files that three fatbins of images are put into: name, bytes.
fn files(fatbin: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let object = Host::X86_64.object(&[(".text", b"code"), (".nv_fatbin", fatbin)]);
    let old = Host { is_64: false, is_big: true }.object(&[("__nv_relfatbin", fatbin)]);
    let library = archive(&[("a.o", &object), ("odd", b"x"), ("f.fatbin", fatbin)]);
    let outer = archive(&[("inner.a", &library)]);
    let names = ["fatbin", "object", "old object", "archive", "archive in an archive"];
    names.into_iter().zip([fatbin.to_vec(), object, old, library, outer]).collect()
}

#[test]
fn an_image_is_replaced_and_nothing_else_changes() {
    let (cubin, debug) = (example("saxpy/saxpy.cubin"), example("saxpy/saxpy-debug.cubin"));
    let (small, large) = if cubin.len() < debug.len() { (cubin, debug) } else { (debug, cubin) };
    for compression in COMPRESSIONS {
        let images = [elf(compression, large.clone()), elf(compression, b"other".to_vec())];
        for (name, file) in files(&fatbin(&images)) {
            let old = entries(&file);
            let mut copy = file.clone();
            for entry in old.iter().step_by(2) {
                let replacement = entry.replacement(&small).unwrap();
                assert!(replacement.stored_size() < entry.stored().len() as u64, "{name}");
                replacement.write_to(&file, &mut copy).unwrap();
            }
            assert_eq!(copy.len(), file.len(), "{name} {compression:?}");
            let new = entries(&copy);
            assert_eq!(new.len(), old.len());
            for (number, (new, old)) in new.iter().zip(&old).enumerate() {
                assert_eq!((&new.position, new.flags, new.name), (&old.position, old.flags, old.name));
                let payload = new.payload().unwrap();
                if number % 2 == 1 {
                    assert_eq!(payload, old.payload().unwrap());
                } else if compression.is_some() {
                    assert!(payload == small.as_slice(), "{name}");
                } else {
                    let (image, padding) = payload.split_at(small.len());
                    assert!(image == small && padding.iter().all(|byte| *byte == 0), "{name}");
                }
            }
            // All that differs lies in the headers and places of the images that were replaced.
            let start = |entry: &Entry<'_>| entry.stored().as_ptr().addr() - file.as_ptr().addr();
            let is_inside = |at: usize| {
                old.iter()
                    .step_by(2)
                    .any(|entry| (start(entry) - 80..start(entry) + entry.stored().len()).contains(&at))
            };
            let changed = (0..file.len()).filter(|at| file[*at] != copy[*at]);
            assert!(changed.clone().count() > 0 && changed.clone().all(is_inside), "{name}");
            // Back again.
            let mut back = copy.clone();
            for (entry, old) in new.iter().zip(&old).step_by(2) {
                entry.replacement(&old.payload().unwrap()).unwrap().write_to(&copy, &mut back).unwrap();
            }
            if compression.is_none() {
                assert!(back == file, "{name}");
            }
            for (new, old) in entries(&back).iter().zip(&old) {
                assert!(new.payload().unwrap() == old.payload().unwrap(), "{name} {compression:?}");
            }
        }
    }
}

/// fatbinary 13.0.88 compressed these images: what goes back is what it wrote.
#[test]
fn zstd_frames_of_fatbinary_come_back_to_the_byte() {
    let file = example("saxpy/saxpy.fatbin");
    for entry in entries(&file) {
        let mut image = entry.payload().unwrap().into_owned();
        if entry.kind.is_text() {
            image.push(0);
        }
        let mut copy = vec![0; file.len()];
        copy.copy_from_slice(&file);
        entry.replacement(&image).unwrap().write_to(&file, &mut copy).unwrap();
        assert!(copy == file, "{}", entry.kind.name());
    }
}

#[test]
fn what_does_not_fit_is_refused_at_its_place() {
    let noise: Vec<u8> = (0..4096_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for compression in COMPRESSIONS {
        let file = fatbin(&[elf(None, vec![1; 64]), elf(compression, vec![7; 512])]);
        let second = &entries(&file)[1];
        let error = second.replacement(&noise).unwrap_err();
        let ErrorKind::NoRoom { needed, room, is_compressed } = *error.kind() else { panic!("{error}") };
        assert!(needed > room && is_compressed == compression.is_some(), "{error}");
        assert_eq!(error.offset(), second.position.offset);
    }
}

#[test]
fn an_identifier_is_replaced_within_its_place() {
    let file = fatbin(&[elf(None, vec![1; 64])]);
    let entry = &entries(&file)[0];
    for (name, fits) in
        [(&b"a.cu"[..], true), (b"/longer/ones.cu"[..].into(), true), (b"/home/else/a.cu:1", false)]
    {
        let mut replacement = entry.replacement(&[2; 64]).unwrap();
        let named = replacement.set_name(name);
        assert_eq!(named.is_ok(), fits, "{named:?}");
        let mut copy = file.clone();
        replacement.write_to(&file, &mut copy).unwrap();
        assert_eq!(entries(&copy)[0].name, if fits { name } else { entry.name });
    }
}

#[test]
fn an_image_of_another_file_is_refused() {
    let (file, other) = (fatbin(&[elf(None, vec![1; 64])]), fatbin(&[elf(None, vec![2; 64])]));
    let replacement = entries(&file)[0].replacement(&[3; 64]).unwrap();
    let mut copy = other.clone();
    let error = replacement.write_to(&other, &mut copy).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OtherFile(_)) && copy == other, "{error}");
}

/// Level 5 of zstd: just above 128 KiB it finds more than just below.
#[test]
fn what_a_level_compresses_worse_when_it_is_smaller_fits_with_zeros() {
    let mut random = 1_u32;
    let mut next = |end: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) % end
    };
    // Bytes of few values, and pieces of what was there before.
    let mut image: Vec<u8> = (0..64).map(|_| next(256) as u8).collect();
    while image.len() < 131_200 {
        let start = next(image.len() as u32 - 16) as usize;
        let piece = image[start..start + 4 + next(12) as usize].to_vec();
        image.extend(if next(2) == 0 { piece } else { vec![next(4) as u8] });
    }
    let small = &image[..131_000];
    let stored = zstd::bulk::compress(&image, 5).unwrap();
    let spec = Spec { kind: 2, number: 90, flags: 0x8011, payload: image.clone(), ..Spec::default() };
    let file = fatbin(&[spec.write_stored(&stored, image.len() as u64)]);
    let worse = zstd::bulk::compress(small, 5).unwrap();
    assert!(worse.len() > stored.len().next_multiple_of(8), "{} {}", worse.len(), stored.len());

    let mut copy = file.clone();
    entries(&file)[0].replacement(small).unwrap().write_to(&file, &mut copy).unwrap();
    let payload = entries(&copy)[0].payload().unwrap().into_owned();
    assert!(payload.len() == image.len() && payload.starts_with(small));
    let mut back = copy.clone();
    entries(&copy)[0].replacement(&image).unwrap().write_to(&copy, &mut back).unwrap();
    assert!(back == file);
}
