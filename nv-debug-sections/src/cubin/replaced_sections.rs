//! The sections that an edit replaces: all debug sections, and others whose names the new list has,
//! since PTX can define any (docs/formats/entries.md, what ptxas copies).

use object::elf;

use super::section_edit::Edit;
use super::strtab::NameMap;
use super::{Contents, Cubin, Section};
use crate::catalog::{SectionKind, SectionName, Space, is_debug_section};
use crate::error::{Error, ErrorKind, Result};

/// Whether [`Cubin::set_debug_sections`] replaces a section of this name: every debug section but
/// `.nv_debug.shared`, which holds nothing and belongs to the code's shared memory.
pub(super) fn is_replaced(name: &str) -> bool {
    is_debug_section(name) && SectionKind::from_name(name) != Some(SectionKind::NvDebugShared)
}

/// Whether `base` can be given: a debug section's name, or one that PTX can have, which is a dot
/// and a word.
fn can_be_given(base: &str) -> bool {
    let is_word = || base.strip_prefix('.').is_some_and(|word| !word.is_empty() && !word.contains('.'));
    !base.contains('\0') && (is_replaced(base) || !is_debug_section(base) && is_word())
}

/// The sections of one space that are replaced.
#[derive(Debug)]
pub(super) struct ReplacedSections<'e> {
    space: Space,
    /// Given names that no debug section has, as the file has them.
    others: NameMap<'e, ()>,
}

impl<'e> ReplacedSections<'e> {
    /// All debug sections of a space.
    pub(super) fn debug(space: Space) -> Self {
        Self { space, others: NameMap::default() }
    }

    /// All debug sections, and what has one of `names`, which are those that `edit` gives as the
    /// file has them.
    ///
    /// # Errors
    ///
    /// One is not the name of a debug section or of one that PTX can bring, or the file has another
    /// kind of section of this name.
    pub(super) fn by(cubin: &Cubin<'_>, edit: &Edit, names: &'e [String]) -> Result<Self> {
        let mut all = Self::debug(edit.space);
        for (given, name) in edit.replacements.iter().zip(names) {
            if !can_be_given(&given.base) {
                return Err(not_a_debug_section(&given.base));
            }
            if !is_replaced(&given.base) {
                all.others.change(name, |()| {});
            }
        }
        for (_, name, section) in cubin.iter() {
            if all.others.find(section.name, name).is_some() && !is_data(section) {
                return Err(Error::new(name, 0, ErrorKind::NameTaken));
            }
        }
        Ok(all)
    }

    /// Whether this section is replaced. Native ones have contents of their own.
    pub(super) fn includes(&mut self, name: &str, section: &Section<'_>) -> bool {
        let is_plain = match section.contents {
            Contents::Bytes(_) | Contents::NoBits(_) => true,
            Contents::Alias(_) => self.space == Space::Mercury,
            _ => false,
        };
        is_plain && self.has(name, section)
    }

    fn has(&mut self, name: &str, section: &Section<'_>) -> bool {
        let parsed = SectionName::parse(name);
        let in_space = parsed.space == self.space && section.is_mercury() == (self.space == Space::Mercury);
        let is_debug = || parsed.form.is_none() && is_replaced(&parsed.base);
        in_space && (is_debug() || self.others.find(section.name, name).is_some())
    }
}

/// Whether a section only holds data that no program loads, as those from PTX do.
fn is_data(section: &Section<'_>) -> bool {
    section.sh_type == elf::SHT_PROGBITS.0 && section.flags & elf::SHF_ALLOC.0 == 0
}

pub(super) fn not_a_debug_section(name: &str) -> Error {
    Error::new(name, 0, ErrorKind::NotADebugSection)
}
