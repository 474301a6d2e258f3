//! A row of the catalog of debug sections: what its columns mean.

use super::classify::Classifier;
use super::{CATALOG, RelocForm, SectionHeaderFields, SectionKind, SectionLinks, Space};
use crate::generation::Generation;
use crate::release::Release;
use std::ops::RangeInclusive;

/// Whether a section's contents come from the assembler or from the PTX file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SectionOrigin {
    /// The assembler makes the contents, from code and `.loc` directives.
    Assembler,
    /// The contents are those of the PTX file's `.section` block of that name, which the front end
    /// (cicc, LLVM, ...) wrote. The assembler copies and relocates them.
    Ptx,
}

/// What nvlink does with sections that have the same name in several input files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkerAction {
    /// nvlink joins the sections into one.
    Join,
    /// nvlink keeps each section. The names differ, by a checksum or the name of a file.
    KeepSeparate,
}

/// How a name in the catalog is compared with the name of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameMatch {
    /// The section has this name.
    Exact,
    /// The section has this name, or this name with a dot and more: a number, the name of a file.
    Numbered,
    /// The section's name begins with this name, and the catalog has no row for the complete name.
    Prefix,
}

/// One row of the catalog of debug sections: what is known of sections with a given name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatalogEntry {
    /// The kind of debug section; for a clone or a relocation section, the kind of the section it
    /// belongs to. `None` in the rows for debug sections without a kind.
    pub kind: Option<SectionKind>,
    /// The section's name as it stands in the file, or the beginning of the name.
    pub name: &'static str,
    /// How the name in this row is compared with the name of a section.
    pub name_match: NameMatch,
    /// Whether the section is native or a Mercury clone.
    pub space: Space,
    /// The form of a relocation section, REL or RELA; `None` for other sections.
    pub form: Option<RelocForm>,
    /// Type, flags, alignment and entry size of the section header.
    pub header: SectionHeaderFields,
    /// What `sh_link` and `sh_info` of the section header refer to.
    pub links: SectionLinks,
    /// The first generation of SMs whose files have the section.
    pub since: Generation,
    /// The last generation of SMs whose files have the section.
    pub until: Generation,
    /// Whether the section's contents come from the assembler or from the PTX file.
    pub origin: SectionOrigin,
    /// What nvlink does with sections of this name in several input files. Its output has all
    /// sections of the catalog, except for relocations that only nvlink can resolve
    /// ([`ReferenceKind::AtLink`](crate::level::ReferenceKind::AtLink)), which it resolves and
    /// drops.
    pub linker_action: LinkerAction,
    /// Whether a file has such sections in the order in which the PTX defines them. They all stand
    /// where the first row of this sort is in the catalog.
    pub in_text_order: bool,
    /// Which of the documented lists of section names by which NVIDIA's tools classify sections
    /// have this section.
    pub classifiers: &'static [Classifier],
    /// The contents of the section, in a few words.
    pub content: &'static str,
}

impl CatalogEntry {
    /// The range of SM numbers whose files have the section, among the SMs that a release knows.
    pub fn sms(&self, release: Release) -> RangeInclusive<u32> {
        *release.sms(self.since).start()..=*release.sms(self.until).end()
    }

    /// Whether it is about native contents: no clone, no relocations.
    pub(super) fn is_native(&self) -> bool {
        self.space == Space::Native && self.form.is_none()
    }

    /// The position of the section among the debug sections of a file; a lower number comes first.
    /// `.nv_debug.shared` has no such position, since it lies with the loaded sections.
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
