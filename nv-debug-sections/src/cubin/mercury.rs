//! The Mercury clones of debug sections (FORMATS 7), as values to be placed. What they hold is decided elsewhere: in `merc-capsule`.

use super::edit::{Edit, Given};
use super::{Cubin, Relocation, SectionIndex, Symbol, sht};
use crate::catalog::Space;
use crate::error::{Error, ErrorKind, Result};

/// The clone of one debug section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MercurySection {
    /// Name of the native section, such as `.debug_line` for `.nv.merc.debug_line`.
    pub native: String,
    /// Its own bytes; `None`: it lies in the file range of the native section.
    pub bytes: Option<Vec<u8>>,
    /// Contents of `.nv.merc.rela` + native name, in file order, all with addend, against [`Cubin::mercury_symtab`]; empty: no such
    /// section.
    pub rela: Vec<Relocation>,
}

impl Cubin<'_> {
    /// Index of `.nv.merc.symtab`, the symbols in Mercury space; `None` in files without Mercury sections.
    pub fn mercury_symtab(&self) -> Option<SectionIndex> {
        let found = (0..).zip(&self.sections).find(|(_, section)| section.sh_type == sht::MERC_SYMTAB);
        found.map(|(index, _)| SectionIndex(index))
    }

    /// Symbols of `.nv.merc.symtab`, the null symbol included; empty without one.
    pub fn mercury_symbols(&self) -> &[Symbol] {
        self.mercury_symtab().map_or(&[], |table| self.symbols_of(table))
    }

    /// The Mercury clones of debug sections as values, in file order: what [`set_mercury_sections`](Self::set_mercury_sections) takes.
    ///
    /// # Errors
    ///
    /// That of [`Cubin::expect_short_names`].
    pub fn mercury_sections(&self) -> Result<Vec<MercurySection>> {
        let all = self.given(Space::Mercury)?.into_iter();
        Ok(all.map(|Given { base, bytes, rela, .. }| MercurySection { native: base, bytes, rela }).collect())
    }

    /// Makes `sections` the Mercury clones of debug sections in this cubin, all of them: what is not listed is removed.
    ///
    /// As [`set_debug_sections`](Self::set_debug_sections), which does not touch them, with the symbols of `.nv.merc.symtab`; call
    /// that first, since a shared file range is that of the section of the same name.
    ///
    /// # Errors
    ///
    /// As [`set_debug_sections`](Self::set_debug_sections); also where sections are given and the file has no `.nv.merc.symtab`, or
    /// where a section shares the range of one that does not exist. Nothing is changed then.
    pub fn set_mercury_sections(&mut self, sections: Vec<MercurySection>) -> Result<()> {
        if let Some(first) = sections.first().filter(|_| self.mercury_symtab().is_none()) {
            let text = "the file has no Mercury symbols, so that no section can have a clone";
            return Err(Error::new(&*first.native, 0, ErrorKind::Other(text.into())));
        }
        let given = sections.into_iter().map(|section| {
            let MercurySection { native, bytes, rela } = section;
            Given { base: native, bytes, rel: Vec::new(), rela }
        });
        self.edit(Edit { space: Space::Mercury, given: given.collect() })
    }
}
