//! Relocations of a cubin, as they stand in the file.

use super::{Cubin, SectionIndex, SymbolIndex};

/// A relocation as it stands in a file (`Elf64_Rel` or `Elf64_Rela`). The writers take a
/// [`dwarf2_writer::Reloc`] instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relocation {
    /// The byte offset of the relocated field in the target section, `r_offset`.
    pub offset: u64,
    /// The relocation type, the low half of `r_info`: `R_CUDA_*`.
    pub r_type: u32,
    /// The symbol, the high half of `r_info`: an index in the symbol table to which the relocation
    /// section links.
    pub symbol: SymbolIndex,
    /// The addend, `r_addend`; `None` in `SHT_REL` sections, where the field's own bytes are the
    /// addend.
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
