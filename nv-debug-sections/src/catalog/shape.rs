//! What the section header of a debug section says.

use super::{RelocForm, SectionKind, SectionName, Space};
use crate::cubin::{SHF_MERCURY, Section, sht};
use object::elf;

/// The header fields of a section that its name decides. Observed: ptxas and nvlink 13.0.88, 679 cubins (FORMATS 6 and 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// `sh_type`: `PROGBITS` for contents, `REL`, `RELA` or [`sht::MERC_RELA`] for relocations.
    pub sh_type: u32,
    /// `sh_flags`: `SHF_INFO_LINK` for relocations, [`SHF_MERCURY`] for clones.
    pub flags: u64,
    /// `sh_addralign`: 1 for contents, 8 for relocations.
    pub align: u64,
    /// `sh_entsize`: 0 for contents, 16 or 24 for relocations.
    pub entsize: u64,
}

impl Shape {
    /// The shape of a debug section; `None` for other sections, and for `.nv_debug.shared`, which is what the variables make it.
    pub fn of(name: &SectionName<'_>) -> Option<Self> {
        if !name.is_debug() || name.kind() == Some(SectionKind::NvDebugShared) {
            return None;
        }
        let mercury = name.space == Space::Mercury;
        let (sh_type, flags, align, entsize) = match name.form {
            None => (elf::SHT_PROGBITS.0, 0, 1, 0),
            Some(RelocForm::Rel) => (elf::SHT_REL.0, elf::SHF_INFO_LINK.0, 8, 16),
            Some(RelocForm::Rela) if mercury => (sht::MERC_RELA, elf::SHF_INFO_LINK.0, 8, 24),
            Some(RelocForm::Rela) => (elf::SHT_RELA.0, elf::SHF_INFO_LINK.0, 8, 24),
        };
        Some(Self { sh_type, flags: flags | if mercury { SHF_MERCURY } else { 0 }, align, entsize })
    }

    /// The shape that a section has.
    pub fn found(section: &Section<'_>) -> Self {
        Self {
            sh_type: section.sh_type,
            flags: section.flags,
            align: section.align,
            entsize: section.entsize,
        }
    }
}
