//! The contents of a section in Mercury space.

use dwarf2_writer::Reloc;

/// The bytes and relocations of a section in Mercury space.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MercuryContents {
    /// The bytes of the section. Relocated fields hold 0, or the value that ptxas leaves in them.
    pub bytes: Vec<u8>,
    /// The relocations of the section, against symbols of `.nv.merc.symtab`, in the order in which
    /// [`reloc::split_relocations`](super::reloc::split_relocations) takes them.
    pub relocs: Vec<Reloc>,
}
