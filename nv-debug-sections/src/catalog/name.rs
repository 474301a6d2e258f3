//! Section names as values: space, relocation form and base name.

use super::{
    CATALOG, CatalogEntry, RelocForm, SectionHeaderFields, SectionKind, SectionOrigin, Space,
    is_debug_section, native_rows,
};
use crate::generation::Generation;
use crate::release::Release;
use object::elf;
use std::borrow::Cow;
use std::fmt;

/// The prefix of the name of a function's code section, `.text.`; the function's name follows.
pub const CODE_PREFIX: &str = ".text.";

/// The prefix of the name of every Mercury clone, `.nv.merc`.
pub const MERCURY_PREFIX: &str = ".nv.merc";

/// The prefix of the name of a Mercury clone's relocation section, `.nv.merc.rela`.
pub const MERCURY_RELA_PREFIX: &str = ".nv.merc.rela";

/// A section name split into space, relocation form and base name. [`Display`](fmt::Display) joins
/// them again.
///
/// ```
/// use nv_debug_sections::catalog::{RelocForm, SectionKind, SectionName, Space};
/// let name = SectionName::parse(".nv.merc.rela.debug_line");
/// assert_eq!((name.space, name.form), (Space::Mercury, Some(RelocForm::Rela)));
/// assert_eq!(name.kind(), Some(SectionKind::DebugLine));
/// assert_eq!(name.to_string(), ".nv.merc.rela.debug_line");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SectionName<'a> {
    /// The space that the name shows, native or Mercury: whether it begins with `.nv.merc`.
    pub space: Space,
    /// The form of a relocation section, REL or RELA; `None` for other sections.
    pub form: Option<RelocForm>,
    /// The native name of the section; of a relocation section or a clone, the name without its
    /// prefix. The number in `.nv_debug_ptx_txt.N` belongs to it.
    pub base: Cow<'a, str>,
}

impl<'a> SectionName<'a> {
    /// Splits a section name into its parts. A name without a known prefix is its own
    /// [`base`](Self::base).
    ///
    /// Clones that have other names than their originals (`.nv.merc.nv.constant.user`) keep them:
    /// `merc_capsule` knows those.
    pub fn parse(name: &'a str) -> Self {
        let before_dot =
            |name: &'a str, prefix: &str| name.strip_prefix(prefix).filter(|rest| rest.starts_with('.'));
        let (space, rest) = match before_dot(name, MERCURY_PREFIX) {
            Some(rest) => (Space::Mercury, rest),
            None => (Space::Native, name),
        };
        let forms = [RelocForm::Rela, RelocForm::Rel];
        let relocations = forms.into_iter().find_map(|form| Some((form, before_dot(rest, form.prefix())?)));
        let (form, base) = relocations.map_or((None, rest), |(form, base)| (Some(form), base));
        Self { space, form, base: Cow::Borrowed(base) }
    }

    /// Creates the name of a native section that is not a relocation section.
    pub fn native(base: impl Into<Cow<'a, str>>) -> Self {
        Self { space: Space::Native, form: None, base: base.into() }
    }

    /// Returns the name of this section's relocation section of the given form.
    #[must_use]
    pub fn relocations(&self, form: RelocForm) -> Self {
        Self { form: Some(form), ..self.clone() }
    }

    /// Returns the name of this section's Mercury clone. The clone of a relocation section is
    /// always RELA (docs/formats/relocations.md, REL and RELA).
    #[must_use]
    pub fn mercury(&self) -> Self {
        Self { space: Space::Mercury, form: self.form.map(|_| RelocForm::Rela), base: self.base.clone() }
    }

    /// The kind of the section, or, for a relocation section, of the section it applies to. `None`
    /// for names outside the catalog.
    pub fn kind(&self) -> Option<SectionKind> {
        SectionKind::from_name(&self.base)
    }

    /// The kind of the section, or, for a Mercury clone, of its native section. `None` for
    /// relocation sections and for names outside the catalog.
    pub fn contents_kind(&self) -> Option<SectionKind> {
        self.kind().filter(|_| self.form.is_none())
    }

    /// Whether the name is that of a debug section, of its Mercury clone, or of the relocation
    /// section of either.
    pub fn is_debug(&self) -> bool {
        is_debug_section(&self.base)
    }

    /// Whether the name is that of a debug section or of its Mercury clone. It is false for
    /// relocation sections.
    pub fn is_debug_contents(&self) -> bool {
        self.form.is_none() && self.is_debug()
    }

    /// The end of the name, after the name in the catalog: `.N` of `.nv_debug_ptx_txt.N`, otherwise
    /// empty.
    pub fn suffix(&self) -> &str {
        self.kind().and_then(|kind| self.base.strip_prefix(kind.name())).unwrap_or_default()
    }

    /// The catalog row for this name: the row of the section itself, or the row for all other debug
    /// sections with the same prefix. `None` for other names.
    pub fn entry(&self) -> Option<&'static CatalogEntry> {
        let kind = self.kind();
        let alike = |row: &&CatalogEntry| (row.space, row.form) == (self.space, self.form);
        let known = CATALOG.iter().filter(alike).find(|row| row.kind.is_some() && row.kind == kind);
        known.or_else(|| {
            let beginning = native_rows().find(|row| row.kind.is_none() && row.matches_name(&self.base))?;
            let is_other = |row: &&CatalogEntry| row.kind.is_none() && row.name.ends_with(beginning.name);
            CATALOG.iter().filter(alike).find(is_other)
        })
    }

    /// The catalog row for a section that PTX defines. A name that [`entry`](Self::entry) does not
    /// find has the row of debug sections that have no row of their own.
    pub fn ptx_entry(&self) -> Option<&'static CatalogEntry> {
        self.entry().or_else(|| Self { base: Cow::Borrowed(".debug_"), ..self.clone() }.entry())
    }

    /// The header fields that a debug section of this name has in files of a release. `None` for
    /// other sections, and for `.nv_debug.shared`, whose header depends on its variables.
    pub fn header_fields(&self, release: Release) -> Option<SectionHeaderFields> {
        let mut header = self.entry()?.header;
        if !release.flags_debug_relocations() {
            header.flags &= !elf::SHF_INFO_LINK.0;
        }
        (header.align != 0).then_some(header)
    }

    /// Returns the header fields that ptxas gives to a section that a PTX brings in a `.section`
    /// block: those of the catalog, or the usual ones if the catalog does not have the name.
    pub fn ptx_header_fields(&self) -> Option<SectionHeaderFields> {
        self.ptx_entry().map(|entry| entry.header).filter(|shape| shape.align != 0)
    }

    /// The lowest SM number, among those that a release knows, whose files have the section.
    pub fn first_sm(&self, release: Release) -> u32 {
        let by_space = match self.space {
            Space::Native => Generation::PreMercury,
            Space::Mercury => Generation::Mercury,
        };
        *release.sms(self.entry().map_or(by_space, |row| row.since)).start()
    }

    /// Whether the section's contents come from the assembler or from the PTX file; `None` for
    /// names that are not a debug section's.
    ///
    /// Relocations are always the assembler's; sections that only a PTX file knows, and their
    /// clones, are that file's.
    pub fn origin(&self) -> Option<SectionOrigin> {
        self.entry().map(|row| row.origin)
    }

    /// Converts the name to one that owns its text and borrows nothing.
    pub fn into_owned(self) -> SectionName<'static> {
        SectionName { base: Cow::Owned(self.base.into_owned()), ..self }
    }
}

impl fmt::Display for SectionName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.space == Space::Mercury { MERCURY_PREFIX } else { "" };
        let form = self.form.map_or("", RelocForm::prefix);
        f.pad(&[space, form, &self.base].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Name, whether a clone, form, kind.
    const NAMES: &[(&str, Space, Option<RelocForm>, Option<SectionKind>)] = {
        use RelocForm::{Rel, Rela};
        use Space::{Mercury, Native};
        &[
            (".debug_line", Native, None, Some(SectionKind::DebugLine)),
            (".rel.debug_line", Native, Some(Rel), Some(SectionKind::DebugLine)),
            (".rela.debug_line", Native, Some(Rela), Some(SectionKind::DebugLine)),
            (".nv.merc.debug_line", Mercury, None, Some(SectionKind::DebugLine)),
            (".nv.merc.rela.debug_line", Mercury, Some(Rela), Some(SectionKind::DebugLine)),
            (".nv.merc.nv_debug_ptx_txt.42", Mercury, None, Some(SectionKind::NvDebugPtxTxt)),
            (".nv_debug.shared", Native, None, Some(SectionKind::NvDebugShared)),
            (".debug_types", Native, None, None),
            (".rela.text.f", Native, Some(Rela), None),
            (".nv.mercury", Native, None, None),
            (".release", Native, None, None),
            (".rel", Native, None, None),
            ("", Native, None, None),
        ]
    };

    #[test]
    fn names_have_the_parts_they_show() {
        for &(text, space, form, kind) in NAMES {
            let name = SectionName::parse(text);
            assert_eq!((name.space, name.form, name.kind()), (space, form, kind), "{text}");
            assert_eq!(name.is_debug(), kind.is_some() || text == ".debug_types", "{text}");
        }
        assert_eq!(SectionName::parse(".nv.merc.nv_debug_ptx_txt.42").suffix(), ".42");
    }

    proptest! {
        #[test]
        fn any_name_is_put_together_again(name in r"(\.(nv|merc|rel|rela|debug_line|text|nv_debug_ptx_txt|7))*\PC?") {
            prop_assert_eq!(SectionName::parse(&name).to_string(), name);
        }
    }
}
