//! The catalog of debug sections by name: what each holds, which tool writes it, and what its
//! header says.
//!
//! One table, [`CATALOG`], with a row for every section, clones and relocation sections included;
//! everything else about them is derived from it: [`SectionName`] takes a name apart and finds its
//! row, [`classify`] has the classifiers that NVIDIA's tools are documented to have,
//! [`SectionHeaderFields`] the header fields, [`CatalogEntry::rank`] the order in a file.
//! docs/formats/container.md, which debug sections a file has; docs/formats/capsule.md, sections.
//! Observed: ptxas and nvlink 13.0.88, sm_75-sm_121: 679 cubins, 1152 runs, and probes with every
//! section that a PTX can bring (`tests/catalog.rs`).
//!
//! ```
//! use nv_debug_sections::{catalog::{SectionName, SectionOrigin}, release::Release};
//! let row = SectionName::parse(".rela.nv_debug_line_sass").entry().unwrap();
//! assert_eq!((row.header.sh_type, row.header.flags, row.header.align), (4, 0x40, 8)); // SHT_RELA, SHF_INFO_LINK
//! assert_eq!((row.sms(Release::V13_0), row.origin), (90..=121, SectionOrigin::Assembler));
//! ```

mod classifier;
pub mod classify;
mod header_fields;
mod name;
mod space;
mod table;
#[cfg(test)]
mod tests;

pub use header_fields::SectionHeaderFields;
pub use name::{CODE_PREFIX, MERCURY_PREFIX, MERCURY_RELA_PREFIX, SectionName};
pub use space::{RelocForm, Space};
pub use table::CATALOG;

use classifier::Classifier;

use crate::generation::Generation;
use crate::release::Release;
use std::ops::RangeInclusive;

/// A debug section that the catalog knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SectionKind {
    /// `.debug_frame`
    DebugFrame,
    /// `.debug_line`
    DebugLine,
    /// `.debug_str`
    DebugStr,
    /// `.nv_debug_line_sass`
    NvDebugLineSass,
    /// `.nv_debug_ptx_txt`; in relocatable files `.` and a checksum follow.
    NvDebugPtxTxt,
    /// `.nv_debug_info_reg_sass`
    NvDebugInfoRegSass,
    /// `.nv_debug_info_reg_type`
    NvDebugInfoRegType,
    /// `.debug_abbrev`
    DebugAbbrev,
    /// `.debug_info`
    DebugInfo,
    /// `.debug_loc`
    DebugLoc,
    /// `.debug_macinfo`
    DebugMacinfo,
    /// `.debug_pubnames`
    DebugPubnames,
    /// `.debug_pubtypes`
    DebugPubtypes,
    /// `.debug_aranges`
    DebugAranges,
    /// `.debug_ranges`
    DebugRanges,
    /// `.nv_debug_info_ptx`
    NvDebugInfoPtx,
    /// `.nv_debug.shared`
    NvDebugShared,
}

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
    fn is_native(&self) -> bool {
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

/// Row of each kind's contents, by number of the kind.
const NATIVE: [usize; SectionKind::NvDebugShared as usize + 1] = first_rows(Space::Native);
/// Row of each kind's clone; out of the table if it has none.
const CLONES: [usize; NATIVE.len()] = first_rows(Space::Mercury);

const fn first_rows(space: Space) -> [usize; SectionKind::NvDebugShared as usize + 1] {
    let mut rows = [CATALOG.len(); SectionKind::NvDebugShared as usize + 1];
    let mut at = CATALOG.len();
    while at > 0 {
        at -= 1;
        if let CatalogEntry { kind: Some(kind), form: None, space: of, .. } = CATALOG[at]
            && of as u8 == space as u8
        {
            rows[kind as usize] = at;
        }
    }
    rows
}

impl SectionKind {
    /// All kinds of debug section, in the order of the catalog.
    pub fn all() -> impl Iterator<Item = Self> {
        NATIVE.iter().filter_map(|at| CATALOG.get(*at)?.kind)
    }

    /// Returns the kind of a native debug section, given its name. A relocatable file's
    /// `.nv_debug_ptx_txt.N` is recognised too.
    ///
    /// [`SectionName`] knows the names of clones and of relocation sections too.
    pub fn from_name(name: &str) -> Option<Self> {
        contents().filter(|row| row.matches_name(name)).find_map(|row| row.kind)
    }

    /// Whether a dot and a number may follow the name of this section, as in `.nv_debug_ptx_txt.N`.
    pub const fn has_suffix(self) -> bool {
        matches!(self.entry().name_match, NameMatch::Numbered)
    }

    /// The catalog row of this kind of section.
    pub const fn entry(self) -> &'static CatalogEntry {
        &CATALOG[NATIVE[self as usize]]
    }

    /// The section's name.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// The catalog row of the section's Mercury clone; `None` if it has none.
    pub const fn mercury(self) -> Option<&'static CatalogEntry> {
        let at = CLONES[self as usize];
        if at < CATALOG.len() { Some(&CATALOG[at]) } else { None }
    }

    /// Name of the section's Mercury clone; `None` if it has none.
    pub const fn mercury_name(self) -> Option<&'static str> {
        match self.mercury() {
            Some(row) => Some(row.name),
            None => None,
        }
    }
}

/// The rows of native contents, which come first.
fn contents() -> impl Iterator<Item = &'static CatalogEntry> {
    CATALOG.iter().take_while(|row| row.is_native())
}

impl CatalogEntry {
    /// Whether the row describes a section of that name.
    fn matches_name(&self, name: &str) -> bool {
        name.strip_prefix(self.name).is_some_and(|rest| match self.name_match {
            NameMatch::Exact => rest.is_empty(),
            NameMatch::Numbered => rest.is_empty() || rest.starts_with('.'),
            NameMatch::Prefix => true,
        })
    }
}

/// Whether a native section belongs to debug information, by its name: `.debug_*`, `.nv_debug_*`
/// and `.nv_debug.shared`, known or not.
pub fn is_debug_section(name: &str) -> bool {
    contents().any(|row| row.matches_name(name))
}
