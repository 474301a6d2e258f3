//! The input of an edit of debug sections, and its effect on each section of the file.

use super::Relocation;
use crate::catalog::{RelocForm, SectionName, Space};

/// The parts of a [`ReplacementSection`]. Each becomes an ELF section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum SectionPart {
    Bytes,
    Rel,
    Rela,
}

impl SectionPart {
    /// The kind of relocation section, for a part that is one.
    pub(super) const fn form(self) -> Option<RelocForm> {
        match self {
            Self::Bytes => None,
            Self::Rel => Some(RelocForm::Rel),
            Self::Rela => Some(RelocForm::Rela),
        }
    }
}

/// A debug section to be put into a cubin, with its relocations.
#[derive(Debug)]
pub(super) struct ReplacementSection {
    /// Its name without the prefix of its space.
    pub(super) base: String,
    /// `None`: the file range of the native section of the same base name.
    pub(super) bytes: Option<Vec<u8>>,
    pub(super) rel: Vec<Relocation>,
    pub(super) rela: Vec<Relocation>,
}

pub(super) fn relocations(section: &ReplacementSection, part: SectionPart) -> &[Relocation] {
    match part {
        SectionPart::Bytes => &[],
        SectionPart::Rel => &section.rel,
        SectionPart::Rela => &section.rela,
    }
}

/// The debug sections that one of the two spaces shall have: all, or those that change.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) space: Space,
    /// Whether debug sections without a replacement stay in the file.
    pub(super) keeps_others: bool,
    pub(super) replacements: Vec<ReplacementSection>,
}

impl Edit {
    /// Nothing given: for edits that only remove.
    pub(super) fn nothing() -> Self {
        Self { space: Space::Native, keeps_others: false, replacements: Vec::new() }
    }

    /// Name of the section that holds a part of the section at `index`.
    pub(super) fn section_name(&self, index: usize, part: SectionPart) -> SectionName<'_> {
        let base = self.replacements.get(index).map_or("", |given| &given.base);
        SectionName { space: self.space, form: part.form(), base: base.into() }
    }
}

/// What an edit does with a section of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SectionAction {
    Keep,
    Remove,
    /// The contents of the section become a part (bytes or relocations) of the replacement section
    /// with this index.
    Replace(usize, SectionPart),
}
