//! What an edit is given, and what becomes of the sections of the file.

use super::Relocation;
use crate::catalog::{RelocForm, SectionName, Space};

/// A part of a [`Given`] section: each becomes a section of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part {
    Bytes,
    Rel,
    Rela,
}

impl Part {
    /// Of relocations: which kind.
    pub(super) const fn form(self) -> Option<RelocForm> {
        match self {
            Self::Bytes => None,
            Self::Rel => Some(RelocForm::Rel),
            Self::Rela => Some(RelocForm::Rela),
        }
    }
}

/// One debug section to be placed.
#[derive(Debug)]
pub(super) struct Given {
    /// Its name without the prefix of its space.
    pub(super) base: String,
    /// `None`: the file range of the native section of the same base name.
    pub(super) bytes: Option<Vec<u8>>,
    pub(super) rel: Vec<Relocation>,
    pub(super) rela: Vec<Relocation>,
}

pub(super) fn relocations(section: &Given, part: Part) -> &[Relocation] {
    match part {
        Part::Bytes => &[],
        Part::Rel => &section.rel,
        Part::Rela => &section.rela,
    }
}

/// The debug sections that one of the two spaces shall have: all, or those that change.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) space: Space,
    /// Whether sections that are not given stay.
    pub(super) keeps: bool,
    pub(super) given: Vec<Given>,
}

impl Edit {
    /// Nothing given: for edits that only remove.
    pub(super) fn nothing() -> Self {
        Self { space: Space::Native, keeps: false, given: Vec::new() }
    }

    /// Name of the section that holds a part of the section at `index`.
    pub(super) fn section_name(&self, index: usize, part: Part) -> SectionName<'_> {
        let base = self.given.get(index).map_or("", |given| &given.base);
        SectionName { space: self.space, form: part.form(), base: base.into() }
    }
}

/// What becomes of a section of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Stays,
    Goes,
    /// Takes the contents of this part of this given section.
    Takes(usize, Part),
}
