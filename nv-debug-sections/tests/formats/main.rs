//! The pages of `docs/formats`, byte by byte: what a page says of bytes is written out here by
//! hand, and read and written.
//!
//! Cubins of ptxas 13.0.88 that these tests look into lie in `ptxas-driver/tests/pairs`.

#![allow(clippy::unwrap_used)] // a panic is a failed test

mod container;
mod fatbins;
mod frames;
mod line_tables;
mod nv_info;
mod ptx_text;
mod registers;
mod relocations;

use nv_debug_sections::cubin::{Cubin, SectionIndex};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of small PTX files and of what ptxas 13.0.88 made of them.
fn pairs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptxas-driver/tests/pairs")
}

/// One cubin of that folder: `NAME.ARCH[.OPTION...].cubin`.
fn pair(name: &str) -> Vec<u8> {
    let path = pairs().join(format!("{name}.cubin"));
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All cubins of that folder, with their names and sorted by these.
fn all_pairs() -> Vec<(String, Vec<u8>)> {
    let paths = fs::read_dir(pairs()).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "cubin"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert!(names.len() > 50, "{}", names.len());
    names.into_iter().map(|name| (name.clone(), pair(&name))).collect()
}

/// The contents of a section of a cubin.
fn section(cubin: &Cubin<'_>, name: &str) -> Vec<u8> {
    let index = cubin.section_by_name(name).unwrap_or_else(|| panic!("no {name}"));
    cubin.bytes(index).unwrap().into_owned()
}

/// A section header's name, type, flags, alignment, link and information.
fn header(cubin: &Cubin<'_>, index: SectionIndex) -> (String, u32, u64, u64, u32, u32) {
    let section = cubin.section(index).unwrap();
    let name = cubin.section_name(index).to_owned();
    (name, section.sh_type, section.flags, section.align, section.link, section.info)
}

/// The little-endian number at a byte offset.
fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    bytes[at..at + size].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
