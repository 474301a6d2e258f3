//! The fields of a debug section's header that follow from its name, and what its links refer to.

use std::fmt;

/// The fields of a section header that follow from the section's name. Observed: ptxas and nvlink
/// 13.0.88, 679 cubins (docs/formats/container.md, headers of debug sections).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectionHeaderFields {
    /// `sh_type`: `PROGBITS` for debug sections, `REL`, `RELA` or
    /// [`sht::MERC_RELA`](crate::cubin::sht::MERC_RELA) for relocation sections.
    pub sh_type: u32,
    /// `sh_flags`: `SHF_INFO_LINK` for relocation sections,
    /// [`SHF_MERCURY`](crate::cubin::SHF_MERCURY) for Mercury clones.
    pub flags: u64,
    /// `sh_addralign`: 1 for debug sections, 8 for relocation sections. In the
    /// [catalog](super::CATALOG) it is 0 for `.nv_debug.shared`, whose alignment is that of its
    /// variables.
    pub align: u64,
    /// `sh_entsize`: 0 for debug sections, 16 or 24 for relocation sections.
    pub entsize: u64,
}

impl fmt::Display for SectionHeaderFields {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sh_type, flags, align, entsize } = self;
        write!(out, "type {sh_type:#x}, flags {flags:#x}, alignment {align}, entries of {entsize} bytes")
    }
}

/// What the header fields `sh_link` and `sh_info` of a section refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SectionLinks {
    /// Both fields are 0.
    None,
    /// `sh_link` refers to the symbol table of this name, and `sh_info` to the section that the
    /// relocations apply to.
    Relocations {
        /// Name of the symbol table.
        symtab: &'static str,
    },
}

impl SectionLinks {
    /// The links of native relocation sections: `.symtab`, and the section that the relocations
    /// apply to.
    pub const SYMTAB: Self = Self::Relocations { symtab: ".symtab" };
    /// The links of the relocation sections of Mercury clones: `.nv.merc.symtab`, and the clone
    /// that the relocations apply to.
    pub const MERCURY_SYMTAB: Self = Self::Relocations { symtab: ".nv.merc.symtab" };
}
