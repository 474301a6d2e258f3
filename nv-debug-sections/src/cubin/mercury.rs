//! The Mercury clones of debug sections (docs/formats/capsule.md, sections) as values that can be
//! put into a cubin. The crate `merc-capsule` decides what they hold.

use std::borrow::Cow;

use super::edit::Plan;
use super::section_edit::{Edit, ReplacementSection, SectionAction};
use super::{Contents, Cubin, Relocation, Section, SectionIndex, Symbol, sht};
use crate::catalog::Space;
use crate::error::{Error, ErrorKind, Result};
use object::elf;

/// A Mercury clone of a debug section, with its relocations, ready to be put into a cubin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MercurySection {
    /// Name of the native section, such as `.debug_line` for `.nv.merc.debug_line`.
    pub native: String,
    /// The bytes of the clone; `None` if it shares the file range of the native section.
    pub bytes: Option<Vec<u8>>,
    /// The relocations of the clone, in file order, all with addend, against
    /// [`Cubin::mercury_symtab`]. They become the section `.nv.merc.rela` + native name. If empty,
    /// there is no such section.
    pub rela: Vec<Relocation>,
}

impl Cubin<'_> {
    /// The index of `.nv.merc.symtab`, the symbols in Mercury space; `None` in files without
    /// Mercury sections.
    pub fn mercury_symtab(&self) -> Option<SectionIndex> {
        let found = (0..).zip(&self.sections).find(|(_, section)| section.sh_type == sht::MERC_SYMTAB);
        found.map(|(index, _)| SectionIndex(index))
    }

    /// The symbols of `.nv.merc.symtab`, with the null symbol; empty if the section is missing.
    pub fn mercury_symbols(&self) -> &[Symbol] {
        self.mercury_symtab().map_or(&[], |table| self.symbols_of(table))
    }

    /// Whether the cubin has a capsule, that is Mercury sections.
    pub fn has_capsule(&self) -> bool {
        self.sections.iter().any(Section::is_mercury)
    }

    /// Removes the capsule: all Mercury sections. Native sections stay as they are. Returns the
    /// indices that the removed sections had.
    ///
    /// # Errors
    ///
    /// A native section links to a Mercury one. Nothing is changed then.
    pub fn remove_capsule(&mut self) -> Result<Vec<SectionIndex>> {
        if self.has_capsule() && self.symtab().is_none() {
            let text = "there is no native code beside the capsule: without that nothing would be left";
            return Err(Error::in_section("", ErrorKind::Missing(text.into())));
        }
        self.remove_sections(|_, section| section.is_mercury())
    }

    /// Removes everything except the capsule. The Mercury sections stay, and get bytes of their
    /// own; the string tables, the notes and `.nv.compat` stay too. The section index at the start
    /// of a code capsule becomes 0, since its native code is removed. Returns the indices that the
    /// removed sections had.
    ///
    /// # Errors
    ///
    /// There is no capsule, or a section that stays links to one that goes. Nothing is changed
    /// then.
    pub fn keep_only_capsule(&mut self) -> Result<Vec<SectionIndex>> {
        if !self.has_capsule() {
            return Err(Error::in_section("", ErrorKind::Missing("there are no Mercury sections".into())));
        }
        self.remove_sections(|name, section| {
            // The notes link to `.nv.compat`.
            let is_needed =
                section.sh_type == elf::SHT_STRTAB.0 || name.starts_with(".note.nv.") || name == ".nv.compat";
            !section.is_mercury() && !is_needed
        })
    }

    fn remove_sections(&mut self, goes: impl Fn(&str, &Section<'_>) -> bool) -> Result<Vec<SectionIndex>> {
        let mut actions = vec![SectionAction::Keep; self.sections.len()];
        for ((_, name, section), action) in self.iter().zip(actions.iter_mut().skip(1)) {
            if goes(name, section) {
                *action = SectionAction::Remove;
            }
        }
        let gone = (0..).zip(&actions).filter(|(_, action)| **action == SectionAction::Remove);
        let gone = gone.map(|(index, _)| SectionIndex(index)).collect();
        Plan::new(self, &Edit::nothing(), actions)?.apply(self, Edit::nothing());
        Ok(gone)
    }

    /// Returns the Mercury clones of debug sections with their relocations, in file order.
    /// [`set_mercury_sections`](Self::set_mercury_sections) takes such a list.
    ///
    /// # Errors
    ///
    /// That of [`Cubin::check_name_expansion`].
    pub fn mercury_sections(&self) -> Result<Vec<MercurySection>> {
        let all = self.debug_sections_in(Space::Mercury)?.into_iter();
        Ok(all
            .map(|ReplacementSection { base, bytes, rela, .. }| MercurySection { native: base, bytes, rela })
            .collect())
    }

    /// Replaces all Mercury clones of debug sections in this cubin by `sections`; a clone that is
    /// not listed is removed.
    ///
    /// As [`set_debug_sections`](Self::set_debug_sections), which does not touch them, with the
    /// symbols of `.nv.merc.symtab`; call that first, since a shared file range is that of the
    /// section of the same name.
    ///
    /// # Errors
    ///
    /// As [`set_debug_sections`](Self::set_debug_sections); also where sections are given and the
    /// file has no `.nv.merc.symtab`, or where a section shares the range of one that does not
    /// exist. Nothing is changed then.
    pub fn set_mercury_sections(&mut self, sections: Vec<MercurySection>) -> Result<()> {
        if let Some(first) = sections.first().filter(|_| self.mercury_symtab().is_none()) {
            let text = "the file has no Mercury symbols, so that no section can have a clone";
            return Err(Error::new(&*first.native, 0, ErrorKind::Missing(text.into())));
        }
        let given = sections.into_iter().map(|section| {
            let MercurySection { native, bytes, rela } = section;
            ReplacementSection { base: native, bytes, rel: Vec::new(), rela }
        });
        self.edit(Edit { space: Space::Mercury, keeps_others: false, replacements: given.collect() })
    }
    /// Replaces the bytes of the Mercury section at `index`, such as `.nv.merc.nv.info.F`, by bytes
    /// of its own. Clones of debug sections have relocations too; use
    /// [`set_mercury_sections`](Self::set_mercury_sections) for them.
    ///
    /// # Errors
    ///
    /// There is no such section, it is not a Mercury one or holds no bytes but a table, or others
    /// share its bytes. Nothing is changed then.
    pub fn set_mercury_bytes(&mut self, index: SectionIndex, bytes: Vec<u8>) -> Result<()> {
        let section = self.section(index)?;
        let has_bytes = matches!(section.contents, Contents::Bytes(_) | Contents::Alias(_));
        let is_shared = || self.sections.iter().any(|other| other.contents == Contents::Alias(index));
        let fault = match (section.is_mercury(), has_bytes) {
            (false, _) => "the section is not a Mercury one",
            (true, false) => "the section holds no bytes",
            (true, true) if is_shared() => "other sections share the section's bytes",
            (true, true) => {
                if let Some(section) = self.sections.get_mut(index.as_usize()) {
                    section.contents = Contents::Bytes(Cow::Owned(bytes));
                }
                return Ok(());
            }
        };
        Err(Error::new(self.section_name(index), 0, ErrorKind::Unsuitable(fault)))
    }
}
