//! The section table of a cubin, with a description of each section.

use super::header::Header;
use nv_debug_sections::catalog::{SectionName, SectionOrigin};
use nv_debug_sections::cubin::{self, Cubin, SectionIndex, sht};

/// Returns the section table of a cubin, without the null section.
pub fn section_table(cubin: &Cubin<'_>) -> Vec<Header> {
    let mut counts = vec![0; cubin.sections.len()];
    for (_, _, section) in cubin.iter() {
        if let Some((all, count)) = section.relocations().zip(counts.get_mut(section.info as usize)) {
            *count += all.len();
        }
    }
    let row = |(index, name, section): (SectionIndex, &str, &cubin::Section<'_>)| Header {
        index: index.0,
        name: name.to_owned(),
        r#type: type_name(section.sh_type),
        flags: section.flags,
        address: section.address,
        size: cubin.size_of(section),
        relocations: counts.get(index.as_usize()).copied().unwrap_or(0),
        content: SectionName::parse(name).contents_kind().map(|kind| kind.entry().content),
        origin: SectionName::parse(name).contents_kind().map(|kind| match kind.entry().origin {
            SectionOrigin::Assembler => "assembler",
            SectionOrigin::Ptx => "ptx",
        }),
    };
    cubin.iter().map(row).collect()
}

/// The names of section types: ELF's, and those of NVIDIA's that matter (see [`sht`]).
const TYPES: &[(u32, &str)] = &[
    (0, "NULL"),
    (1, "PROGBITS"),
    (2, "SYMTAB"),
    (3, "STRTAB"),
    (4, "RELA"),
    (7, "NOTE"),
    (8, "NOBITS"),
    (9, "REL"),
    (sht::CUDA_INFO, "CUDA_INFO"),
    (sht::CUDA_GLOBAL, "CUDA_GLOBAL"),
    (sht::CUDA_GLOBAL_INIT, "CUDA_GLOBAL_INIT"),
    (sht::CUDA_SHARED, "CUDA_SHARED"),
    (sht::MERC_CODE, "MERC_CODE"),
    (sht::MERC_RELA, "MERC_RELA"),
    (sht::MERC_INFO, "MERC_INFO"),
    (sht::MERC_SYMTAB, "MERC_SYMTAB"),
];

fn type_name(sh_type: u32) -> String {
    let name = TYPES.iter().find(|(value, _)| *value == sh_type).map(|(_, name)| *name);
    name.map_or_else(|| format!("{sh_type:#x}"), str::to_owned)
}
