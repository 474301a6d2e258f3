//! Sizes of cubins: they add up to the file, and each group has the bytes that another reader of
//! ELF gives its sections.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use cubin_debuginfo::sizes::{CubinSizes, SectionGroup};
use nv_debug_sections::cubin::Cubin;
use object::read::elf::{ElfFile64, FileHeader as _, SectionHeader as _};
use object::{Endianness, elf};
use std::collections::HashMap;
use std::path::Path;
use std::{env, fs};

fn cubins() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["corpus/releases", "examples/saxpy", "examples/block_sum"];
    let files = folders.iter().flat_map(|folder| fs::read_dir(root.join(folder)).unwrap());
    let paths = files.map(|file| file.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "cubin"))
        .map(|path| (path.display().to_string(), fs::read(path).unwrap()))
        .collect()
}

#[test]
fn sizes_are_those_of_another_reader() {
    let mut functions = 0;
    for (name, bytes) in cubins() {
        let cubin = Cubin::parse(&bytes).unwrap();
        let sizes = CubinSizes::of(&cubin, bytes.len() as u64).unwrap();
        assert_eq!(sizes.parts.iter().map(|part| part.bytes).sum::<u64>(), bytes.len() as u64, "{name}");
        let mut groups: HashMap<SectionGroup, u64> = HashMap::new();
        let mut code: HashMap<&str, u64> = HashMap::new();
        for part in &sizes.parts {
            *groups.entry(part.group).or_default() += part.bytes;
            if let (Some(function), SectionGroup::Code) = (&part.function, part.group) {
                *code.entry(function).or_default() += part.bytes;
            }
        }
        let of = |group| groups.get(&group).copied().unwrap_or_default();

        let file = ElfFile64::<Endianness>::parse(&*bytes).unwrap();
        let (header, table) = (file.elf_header(), file.elf_section_table());
        let endian = header.endian().unwrap();
        let (mut native_code, mut debug, mut constants, mut symbols) = (0, 0, 0, 0);
        for section in table.iter() {
            let name = std::str::from_utf8(table.section_name(endian, section).unwrap()).unwrap();
            let size = section.file_range(endian).map_or(0, |(_, size)| size);
            let native = name.strip_prefix(".rela").or(name.strip_prefix(".rel")).unwrap_or(name);
            if let Some(function) = name.strip_prefix(".text.") {
                native_code += size;
                assert_eq!(code.get(function), Some(&size), "{function}");
                functions += 1;
            } else if [".debug_", ".nv_debug", ".nv.tileir."].iter().any(|start| native.starts_with(start)) {
                debug += size;
            } else if name.starts_with(".nv.constant") {
                constants += size;
            } else if [elf::SHT_SYMTAB, elf::SHT_STRTAB].contains(&section.sh_type(endian)) {
                symbols += size;
            }
        }
        assert_eq!(of(SectionGroup::Code), native_code, "{name}");
        assert_eq!(of(SectionGroup::Debug), debug, "{name}");
        assert_eq!(of(SectionGroup::Constants), constants, "{name}");
        assert_eq!(of(SectionGroup::Symbols), symbols, "{name}");
        // 64 bytes each for the file and its sections, 56 for a segment, and what lies between.
        let headers = 64 + 64 * table.len() as u64;
        assert!((headers..headers + 1024).contains(&of(SectionGroup::Headers)), "{name}");
    }
    assert!(functions > 30, "{functions}");
}
