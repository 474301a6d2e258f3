//! The section table of a cubin, with a description of each section.

use nv_debug_sections::catalog::{SectionName, SectionOrigin};
use nv_debug_sections::cubin::{self, Cubin, SectionIndex, sht};
use schemars::JsonSchema;
use serde::Serialize;

/// A row of a cubin's section table.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SectionHeader")]
pub struct Header {
    /// The index of the section in the section table.
    pub index: u32,
    /// The name of the section.
    pub name: String,
    /// `sh_type` by name without the prefix, such as `PROGBITS`; a type without a name here as a
    /// hexadecimal number, such as `0x70000001`.
    pub r#type: String,
    /// The flags of the section, `sh_flags`.
    pub flags: u64,
    /// The address of the section, `sh_addr`; 0 where it has none yet.
    pub address: u64,
    /// The size of the section, `sh_size`, in bytes.
    pub size: u64,
    /// The number of relocations that apply to the section.
    pub relocations: usize,
    /// What the section contains, in words. Absent for all but known debug sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<&'static str>,
    /// Who writes the section: the assembler, or `ptx` where the PTX file has it. Absent for all
    /// but known debug sections.
    #[schemars(extend("enum" = ["assembler", "ptx"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<&'static str>,
}

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
