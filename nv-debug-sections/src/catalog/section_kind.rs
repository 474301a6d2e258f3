//! The debug sections that the catalog knows, each by a kind.

use super::{CATALOG, CatalogEntry, NameMatch, Space, native_rows};

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
        native_rows().filter(|row| row.matches_name(name)).find_map(|row| row.kind)
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
