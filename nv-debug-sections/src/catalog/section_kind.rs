//! The debug sections that the catalog knows, each by a kind.

use super::{CATALOG, CatalogEntry, NameMatch, Space, native_rows};

/// The kind of a debug section, one for each section name that the catalog knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SectionKind {
    /// `.debug_frame`: call frame rules
    DebugFrame,
    /// `.debug_line`: source lines of the code
    DebugLine,
    /// `.debug_str`: strings
    DebugStr,
    /// `.nv_debug_line_sass`: PTX lines of the code
    NvDebugLineSass,
    /// `.nv.tileir.debug_line`: lines of an intermediate language, of the code
    TileirDebugLine,
    /// `.nv_debug_ptx_txt`: the PTX text. In relocatable files a dot and a checksum follow the
    /// name.
    NvDebugPtxTxt,
    /// `.nv.tileir.debug_txt`: a text of an intermediate language. A dot and the name of a file
    /// follow the name.
    TileirDebugTxt,
    /// `.nv_debug_info_reg_sass`: the SASS registers of PTX registers
    NvDebugInfoRegSass,
    /// `.nv_debug_info_reg_type`: the types of PTX registers
    NvDebugInfoRegType,
    /// `.debug_abbrev`: abbreviations of `.debug_info`
    DebugAbbrev,
    /// `.debug_info`: debug entries (DIEs)
    DebugInfo,
    /// `.debug_loc`: location lists
    DebugLoc,
    /// `.debug_macinfo`: macros
    DebugMacinfo,
    /// `.debug_pubnames`: names of entries
    DebugPubnames,
    /// `.debug_pubtypes`: names of types
    DebugPubtypes,
    /// `.debug_aranges`: address ranges of units
    DebugAranges,
    /// `.debug_ranges`: range lists
    DebugRanges,
    /// `.nv_debug_info_ptx`, which no tool writes, but which a PTX file can define
    NvDebugInfoPtx,
    /// `.nv_debug.shared`: the window of shared memory
    NvDebugShared,
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
    /// Iterates over all kinds of debug section, in the order of the catalog.
    pub fn all() -> impl Iterator<Item = Self> {
        NATIVE.iter().filter_map(|at| CATALOG.get(*at)?.kind)
    }

    /// Returns the kind of a native debug section, given its name. The name `.nv_debug_ptx_txt.N`
    /// of a relocatable file is recognised too.
    ///
    /// [`SectionName`](super::SectionName) knows the names of clones and of relocation sections
    /// too.
    pub fn from_name(name: &str) -> Option<Self> {
        native_rows().filter(|row| row.matches_name(name)).find_map(|row| row.kind)
    }

    /// Whether sections of this kind are line tables, with line programs of native or Mercury code.
    pub const fn is_line_table(self) -> bool {
        matches!(self, Self::DebugLine | Self::NvDebugLineSass | Self::TileirDebugLine)
    }

    /// Whether a dot and more may follow the name of this section, as in `.nv_debug_ptx_txt.N`.
    pub const fn has_suffix(self) -> bool {
        matches!(self.entry().name_match, NameMatch::Numbered)
    }

    /// The catalog row of this kind of section.
    pub const fn entry(self) -> &'static CatalogEntry {
        &CATALOG[NATIVE[self as usize]]
    }

    /// The name of the native section.
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
