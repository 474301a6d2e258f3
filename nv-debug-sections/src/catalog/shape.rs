//! What the section header of a debug section says.

use super::SectionName;
use crate::cubin::Section;

/// The header fields of a section that its name decides. Observed: ptxas and nvlink 13.0.88, 679 cubins (FORMATS 6 and 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// `sh_type`: `PROGBITS` for contents, `REL`, `RELA` or [`sht::MERC_RELA`](crate::cubin::sht::MERC_RELA) for relocations.
    pub sh_type: u32,
    /// `sh_flags`: `SHF_INFO_LINK` for relocations, [`SHF_MERCURY`](crate::cubin::SHF_MERCURY) for clones.
    pub flags: u64,
    /// `sh_addralign`: 1 for contents, 8 for relocations; in the [catalog](super::CATALOG) 0 for `.nv_debug.shared`, whose variables decide.
    pub align: u64,
    /// `sh_entsize`: 0 for contents, 16 or 24 for relocations.
    pub entsize: u64,
}

impl Shape {
    /// The shape of a debug section; `None` for other sections, and for `.nv_debug.shared`, which is what the variables make it.
    pub fn of(name: &SectionName<'_>) -> Option<Self> {
        name.entry().map(|entry| entry.shape).filter(|shape| shape.align != 0)
    }

    /// As [`of`](Self::of); a name that only PTX knows has the shape of debug sections without a row of their own.
    pub fn of_ptx(name: &SectionName<'_>) -> Option<Self> {
        name.ptx_entry().map(|entry| entry.shape).filter(|shape| shape.align != 0)
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
