//! The debug sections by name: what each holds and who writes it.
//!
//! One table; everything else about names is derived from it. FORMATS 0 and 4; observed: ptxas 13.0.88, sm_75-sm_121.

/// A debug section this crate knows.
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
    /// `.nv_debug_ptx_txt`, in relocatable files with `.` and a checksum behind
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
    /// `.nv_debug.shared`
    NvDebugShared,
}

/// Who makes a section's contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The assembler, from code and `.loc` directives.
    Assembler,
    /// The PTX file's `.section` block of that name.
    Ptx,
}

/// One row of the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Which section.
    pub kind: SectionKind,
    /// Its name.
    pub name: &'static str,
    /// Who makes it.
    pub origin: Origin,
    /// What it holds, in a few words.
    pub content: &'static str,
}

const fn entry(kind: SectionKind, name: &'static str, origin: Origin, content: &'static str) -> Entry {
    Entry { kind, name, origin, content }
}

/// All rows, in the order ptxas gives the sections in a file (`.debug_abbrev` and later: the order of the PTX file).
pub const CATALOG: [Entry; 16] = [
    entry(SectionKind::DebugFrame, ".debug_frame", Origin::Assembler, "call frame rules"),
    entry(SectionKind::DebugLine, ".debug_line", Origin::Assembler, "SASS address to source line"),
    entry(SectionKind::DebugStr, ".debug_str", Origin::Ptx, "names, of inlined functions above all"),
    entry(SectionKind::NvDebugLineSass, ".nv_debug_line_sass", Origin::Assembler, "SASS address to PTX line"),
    entry(SectionKind::NvDebugPtxTxt, ".nv_debug_ptx_txt", Origin::Assembler, "the PTX text"),
    entry(
        SectionKind::NvDebugInfoRegSass,
        ".nv_debug_info_reg_sass",
        Origin::Assembler,
        "PTX registers in SASS registers",
    ),
    entry(
        SectionKind::NvDebugInfoRegType,
        ".nv_debug_info_reg_type",
        Origin::Assembler,
        "types of those PTX registers",
    ),
    entry(SectionKind::DebugAbbrev, ".debug_abbrev", Origin::Ptx, "abbreviations of .debug_info"),
    entry(SectionKind::DebugInfo, ".debug_info", Origin::Ptx, "debugging information entries"),
    entry(SectionKind::DebugLoc, ".debug_loc", Origin::Ptx, "location lists"),
    entry(SectionKind::DebugMacinfo, ".debug_macinfo", Origin::Ptx, "macro information"),
    entry(SectionKind::DebugPubnames, ".debug_pubnames", Origin::Ptx, "lookup by global name"),
    entry(SectionKind::DebugPubtypes, ".debug_pubtypes", Origin::Ptx, "lookup by type name"),
    entry(SectionKind::DebugAranges, ".debug_aranges", Origin::Ptx, "lookup by address"),
    entry(SectionKind::DebugRanges, ".debug_ranges", Origin::Ptx, "address ranges"),
    entry(SectionKind::NvDebugShared, ".nv_debug.shared", Origin::Assembler, "window of shared variables"),
];

impl SectionKind {
    /// The section a name stands for; relocatable files' `.nv_debug_ptx_txt.N` included.
    pub fn from_name(name: &str) -> Option<Self> {
        CATALOG
            .iter()
            .find(|entry| {
                name.strip_prefix(entry.name).is_some_and(|rest| {
                    rest.is_empty() || entry.kind == Self::NvDebugPtxTxt && rest.starts_with('.')
                })
            })
            .map(|entry| entry.kind)
    }

    /// The row of this section.
    pub fn entry(self) -> &'static Entry {
        // The enum and the table are in the same order; a test holds them together.
        &CATALOG[self as usize]
    }

    /// The section's name.
    pub fn name(self) -> &'static str {
        self.entry().name
    }
}

/// Whether a section belongs to debug information: `.debug_*`, `.nv_debug_*` and `.nv_debug.shared`, known or not.
pub fn is_debug_section(name: &str) -> bool {
    name.starts_with(".debug_") || name.starts_with(".nv_debug_") || name == SectionKind::NvDebugShared.name()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_in_enum_order_and_names_lead_back() {
        for (index, entry) in CATALOG.iter().enumerate() {
            assert_eq!(entry.kind as usize, index);
            assert_eq!(SectionKind::from_name(entry.name), Some(entry.kind));
            assert!(is_debug_section(entry.name));
        }
    }

    #[test]
    fn only_the_ptx_text_has_a_suffix() {
        assert_eq!(SectionKind::from_name(".nv_debug_ptx_txt.123"), Some(SectionKind::NvDebugPtxTxt));
        assert_eq!(SectionKind::from_name(".debug_line.123"), None);
        assert_eq!(SectionKind::from_name(".nv_debug_ptx_txtual"), None);
    }
}
