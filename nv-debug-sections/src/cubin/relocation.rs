//! Relocations of a cubin, as they stand in the file.

use super::{Cubin, SectionIndex, SymbolIndex};

/// A relocation as it stands in a file (`Elf64_Rel`, `Elf64_Rela`). Before it is written it is a
/// [`dwarf2_writer::Reloc`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relocation {
    /// `r_offset`: byte offset of the field in the target section.
    pub offset: u64,
    /// Low half of `r_info`: `R_CUDA_*`.
    pub r_type: u32,
    /// High half of `r_info`, in the symbol table that the relocation section links to.
    pub symbol: SymbolIndex,
    /// `r_addend`; `None` in `SHT_REL` sections, where the field's own bytes are the addend.
    pub addend: Option<i64>,
}

impl Cubin<'_> {
    /// Iterates over the relocations that apply to the section `target`, in file order. Each comes
    /// with the index of its relocation section.
    pub fn relocations_of(&self, target: SectionIndex) -> impl Iterator<Item = (SectionIndex, &Relocation)> {
        let tables = (0..).zip(&self.sections).filter(move |(_, s)| s.info == target.0);
        tables
            .filter_map(|(i, s)| Some((i, s.relocations()?)))
            .flat_map(|(i, all)| all.iter().map(move |r| (SectionIndex(i), r)))
    }
}
