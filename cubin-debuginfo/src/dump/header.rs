//! A row of the section table.

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
