//! The kinds of sections by which sizes are told.

use nv_debug_sections::catalog::{MERCURY_PREFIX, SectionName};
use nv_debug_sections::cubin::{Contents, Section, sht};
use object::elf;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// A group of the sections of a cubin, for sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SectionGroup {
    /// Machine code: `.text.F`.
    Code,
    /// The Mercury code of a capsule, and the clones of other sections: `.nv.capmerc.text.F`,
    /// `.nv.merc.*`.
    Capsule,
    /// Constant banks: `.nv.constantN.F`.
    Constants,
    /// Debug sections, such as `.debug_line`, with their relocations.
    Debug,
    /// Global variables with values: `.nv.global.init`.
    Globals,
    /// Facts for the driver and the linker, such as `.nv.info` and notes.
    Info,
    /// Relocations of other sections than debug sections.
    Relocations,
    /// Symbol tables and string tables.
    Symbols,
    /// The ELF header, section headers, program headers, and bytes between sections.
    Headers,
}

impl SectionGroup {
    /// The group of a section, given with its name.
    pub fn of(name: &str, section: &Section<'_>) -> Self {
        if name.starts_with(MERCURY_PREFIX) || name.starts_with(".nv.capmerc") || section.is_mercury() {
            return Self::Capsule;
        }
        if SectionName::parse(name).is_debug() {
            return Self::Debug;
        }
        match &section.contents {
            Contents::Relocations(_) => Self::Relocations,
            Contents::Symbols(_) | Contents::Strings(_) => Self::Symbols,
            _ if section.flags & elf::SHF_EXECINSTR.0 != 0 => Self::Code,
            _ if name.starts_with(".nv.constant") => Self::Constants,
            _ if name == ".nv.global.init" || section.sh_type == sht::CUDA_GLOBAL_INIT => Self::Globals,
            _ => Self::Info,
        }
    }

    /// The name of the group, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Capsule => "capsule",
            Self::Constants => "constants",
            Self::Debug => "debug",
            Self::Globals => "globals",
            Self::Info => "info",
            Self::Relocations => "relocations",
            Self::Symbols => "symbols",
            Self::Headers => "headers",
        }
    }
}

impl fmt::Display for SectionGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
