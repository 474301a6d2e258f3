//! A row of the catalog of debug sections: what its columns mean.

use super::classifier::Classifier;
use super::{CATALOG, RelocForm, SectionHeaderFields, SectionKind, Space};
use crate::generation::Generation;
use crate::release::Release;
use std::ops::RangeInclusive;

/// The tool, or the PTX, that a section's contents come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SectionOrigin {
    /// The assembler, from code and `.loc` directives.
    Assembler,
    /// The PTX file's `.section` block of that name, which the front end (cicc, LLVM, ...) wrote;
    /// the assembler copies and relocates it.
    Ptx,
}

/// What nvlink does with sections of one name in several inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkerAction {
    /// Joins them into one section.
    Join,
    /// Keeps each: their names differ by a checksum.
    KeepSeparate,
}

/// How a name in the catalog is compared with the name of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameMatch {
    /// The section has this name.
    Exact,
    /// The section has this name, or this name with a dot and a number.
    Numbered,
    /// The name of the section begins with it. For sections without a row of their own.
    Prefix,
}

/// What the header fields `sh_link` and `sh_info` of a section refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SectionLinks {
    /// Both 0.
    None,
    /// `sh_link` is the section of this name, `sh_info` the section whose relocations they are.
    Relocations {
        /// Name of the symbol table.
        symtab: &'static str,
    },
}

impl SectionLinks {
    /// The links of native relocation sections: `.symtab` and the section they apply to.
    pub const SYMTAB: Self = Self::Relocations { symtab: ".symtab" };
    /// The links of the relocation sections of Mercury clones.
    pub const MERCURY_SYMTAB: Self = Self::Relocations { symtab: ".nv.merc.symtab" };
}

/// One row of the catalog of debug sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatalogEntry {
    /// Which section, or whose clone or relocations; `None` in the rows for all others.
    pub kind: Option<SectionKind>,
    /// The section's name as it stands in the file, or the beginning of it.
    pub name: &'static str,
    /// What may follow the name, in the name of a section.
    pub name_match: NameMatch,
    /// Native, or a clone, which ptxas writes beside it from sm_100 on.
    pub space: Space,
    /// For a relocation section: which kind.
    pub form: Option<RelocForm>,
    /// Type, flags, alignment and entry size.
    pub header: SectionHeaderFields,
    /// The meaning of `sh_link` and `sh_info`.
    pub links: SectionLinks,
    /// The first generation of SMs whose files have it.
    pub since: Generation,
    /// The last generation whose files have it.
    pub until: Generation,
    /// Who makes it.
    pub origin: SectionOrigin,
    /// What nvlink does with the section. Every row's sections are in ptxas' files and in nvlink's,
    /// but nvlink drops relocations that only it can resolve
    /// ([`ReferenceKind::AtLink`](crate::level::ReferenceKind::AtLink)).
    pub linker_action: LinkerAction,
    /// Whether the file keeps such sections in the order of the PTX, all in the place of the first
    /// such row.
    pub in_text_order: bool,
    /// The classifiers that are documented to know it.
    pub classifiers: &'static [Classifier],
    /// The contents of the section, in a few words.
    pub content: &'static str,
}

impl CatalogEntry {
    /// The SM numbers, first to last, whose files have the section, among those that a release
    /// knows.
    pub fn sms(&self, release: Release) -> RangeInclusive<u32> {
        *release.sms(self.since).start()..=*release.sms(self.until).end()
    }

    /// Whether it is about native contents: no clone, no relocations.
    pub(super) fn is_native(&self) -> bool {
        self.space == Space::Native && self.form.is_none()
    }

    /// The section's position among the debug sections of a file; a lower number comes first.
    /// `.nv_debug.shared` has no such position, since it lies with the sections that are loaded.
    pub fn rank(&self) -> usize {
        let same = |row: &Self| {
            let shares =
                row.in_text_order && row.space == self.space && row.form.is_some() == self.form.is_some();
            row == self || self.in_text_order && shares
        };
        CATALOG.iter().position(same).unwrap_or(CATALOG.len())
    }
}

impl CatalogEntry {
    /// Whether the row describes a section of that name.
    pub(super) fn matches_name(&self, name: &str) -> bool {
        name.strip_prefix(self.name).is_some_and(|rest| match self.name_match {
            NameMatch::Exact => rest.is_empty(),
            NameMatch::Numbered => rest.is_empty() || rest.starts_with('.'),
            NameMatch::Prefix => true,
        })
    }
}
