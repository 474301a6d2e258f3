//! Cubins that are checked in or made of a few sections, and what is in one.
#![allow(dead_code, unreachable_pub, reason = "each test program uses its own part")]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::cubin::{Contents, Cubin, DebugOnlyFunction, DebugSection, debug_only};
use nv_debug_sections::release::Release;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// The cubins that are checked in, sorted by their paths.
pub fn checked_in() -> Vec<PathBuf> {
    let folders =
        ["examples/block_sum", "examples/saxpy", "ptxas-driver/tests/pairs", "cubin-debuginfo/tests/data"];
    let folders = folders.iter().map(|folder| fs::read_dir(super::repository().join(folder)).unwrap());
    let mut paths: Vec<_> = folders.flatten().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "cubin"));
    paths.sort();
    assert!(paths.len() > 50, "{}", paths.len());
    paths
}

/// A cubin for sm_90 with these debug sections, without relocations and without code.
pub fn with_sections<B: AsRef<[u8]>>(sections: &[(&str, B)]) -> Vec<u8> {
    let mut cubin = debug_only(Release::V13_0.target(90), &[], &[]).unwrap().cubin;
    cubin.set_debug_sections(sections.iter().map(section).collect()).unwrap();
    cubin.write().unwrap()
}

/// A cubin with a code section of 1 MiB, and `.debug_info` with these bytes.
pub fn with_code_and_entries(info: &[u8]) -> Vec<u8> {
    let function = DebugOnlyFunction { name: "k", size: 1 << 20, kernel: true, local: false };
    let mut cubin = debug_only(Release::V13_0.target(90), &[function], &[]).unwrap().cubin;
    let text = cubin.section_by_name(".text.k").unwrap();
    let code = &mut cubin.sections[text.0 as usize];
    (code.sh_type, code.contents) = (1, Contents::Bytes(vec![1; 1 << 20].into()));
    cubin.set_debug_sections(vec![section(&(".debug_info", info))]).unwrap();
    cubin.write().unwrap()
}

fn section<B: AsRef<[u8]>>((name, bytes): &(&str, B)) -> DebugSection {
    DebugSection {
        name: (*name).to_owned(),
        bytes: bytes.as_ref().to_vec(),
        rel: Vec::new(),
        rela: Vec::new(),
    }
}

/// Names and bytes of the debug sections of a file, of their clones and relocations, as they stand
/// there.
pub fn debug_sections(file: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let cubin = Cubin::parse(file).unwrap();
    let sections = cubin.iter().filter(|(_, name, _)| SectionName::parse(name).is_debug());
    sections.map(|(index, name, _)| (name.to_owned(), cubin.bytes(index).unwrap().into_owned())).collect()
}
