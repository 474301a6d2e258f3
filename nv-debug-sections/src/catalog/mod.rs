//! The debug sections by name: what each holds, who writes it, and what its header says.
//!
//! One table, [`CATALOG`]; everything else about names is derived from it: [`SectionName`] takes a name apart, [`classify`] has the
//! classifiers that NVIDIA's tools are documented to have, [`Shape`] the header fields. FORMATS 0, 4 and 6; observed: ptxas and nvlink
//! 13.0.88, sm_75-sm_121.

pub mod classify;
mod name;
mod shape;

pub use name::{MERCURY_PREFIX, MERCURY_RELA_PREFIX, RelocForm, SectionName, Space};
pub use shape::Shape;

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
    /// `.nv_debug_info_ptx`
    NvDebugInfoPtx,
    /// `.nv_debug.shared`
    NvDebugShared,
}

/// Who makes a section's contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The assembler, from code and `.loc` directives.
    Assembler,
    /// The PTX file's `.section` block of that name, which the front end (cicc, LLVM, ...) wrote; the assembler copies and relocates it.
    Ptx,
}

/// What nvlink makes of the inputs' sections of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Linked {
    /// Joined into one section.
    Joined,
    /// Kept apart: the names differ by checksum.
    Apart,
}

/// One row of the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Which section.
    pub kind: SectionKind,
    /// Its name.
    pub name: &'static str,
    /// Name of its Mercury clone, which ptxas writes beside it from sm_100 on ([`Generation::Mercury`](crate::generation::Generation::Mercury)); `None` if it has none.
    pub mercury: Option<&'static str>,
    /// Who makes it.
    pub origin: Origin,
    /// What nvlink makes of it.
    pub linked: Linked,
    /// What it holds, in a few words.
    pub content: &'static str,
}

macro_rules! entry {
    ($kind:ident, $name:literal, $origin:ident, $content:literal) => {
        Entry {
            kind: SectionKind::$kind,
            name: $name,
            mercury: Some(concat!(".nv.merc", $name)),
            origin: Origin::$origin,
            linked: Linked::Joined,
            content: $content,
        }
    };
}

/// All rows, in the order ptxas gives the sections in a file (`.debug_abbrev` and later: the order of the PTX file).
pub const CATALOG: [Entry; 17] = [
    entry!(DebugFrame, ".debug_frame", Assembler, "call frame rules"),
    entry!(DebugLine, ".debug_line", Assembler, "SASS address to source line"),
    entry!(DebugStr, ".debug_str", Ptx, "names, of inlined functions above all"),
    entry!(NvDebugLineSass, ".nv_debug_line_sass", Assembler, "SASS address to PTX line"),
    Entry { linked: Linked::Apart, ..entry!(NvDebugPtxTxt, ".nv_debug_ptx_txt", Assembler, "the PTX text") },
    entry!(NvDebugInfoRegSass, ".nv_debug_info_reg_sass", Assembler, "PTX registers in SASS registers"),
    entry!(NvDebugInfoRegType, ".nv_debug_info_reg_type", Assembler, "types of those PTX registers"),
    entry!(DebugAbbrev, ".debug_abbrev", Ptx, "abbreviations of .debug_info"),
    entry!(DebugInfo, ".debug_info", Ptx, "debugging information entries"),
    entry!(DebugLoc, ".debug_loc", Ptx, "location lists"),
    entry!(DebugMacinfo, ".debug_macinfo", Ptx, "macro information"),
    entry!(DebugPubnames, ".debug_pubnames", Ptx, "lookup by global name"),
    entry!(DebugPubtypes, ".debug_pubtypes", Ptx, "lookup by type name"),
    entry!(DebugAranges, ".debug_aranges", Ptx, "lookup by address"),
    entry!(DebugRanges, ".debug_ranges", Ptx, "address ranges"),
    // Documented as written by ptxas; never seen to be. A `.section` of that name is copied.
    entry!(NvDebugInfoPtx, ".nv_debug_info_ptx", Ptx, "entries of PTX level"),
    Entry {
        mercury: None,
        ..entry!(NvDebugShared, ".nv_debug.shared", Assembler, "window of shared variables")
    },
];

impl SectionKind {
    /// The section a native name stands for; relocatable files' `.nv_debug_ptx_txt.N` included.
    ///
    /// [`SectionName`] knows the names of clones and of relocation sections too.
    pub fn from_name(name: &str) -> Option<Self> {
        let is = |entry: &&Entry| {
            let rest = name.strip_prefix(entry.name);
            rest.is_some_and(|rest| rest.is_empty() || entry.kind.has_suffix() && rest.starts_with('.'))
        };
        CATALOG.iter().find(is).map(|entry| entry.kind)
    }

    /// Whether a dot and a number may follow the name.
    pub const fn has_suffix(self) -> bool {
        matches!(self.entry().linked, Linked::Apart)
    }

    /// The row of this section.
    pub const fn entry(self) -> &'static Entry {
        // The enum and the table are in the same order; a test holds them together.
        &CATALOG[self as usize]
    }

    /// The section's name.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// Name of the section's Mercury clone.
    pub const fn mercury_name(self) -> Option<&'static str> {
        self.entry().mercury
    }
}

/// Beginnings of the names of debug sections, known or not (seed 003: ptxas takes names by them).
const PREFIXES: [&str; 2] = [".debug_", ".nv_debug_"];

/// Whether a native section belongs to debug information: `.debug_*`, `.nv_debug_*` and `.nv_debug.shared`, known or not.
pub fn is_debug_section(name: &str) -> bool {
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || name == SectionKind::NvDebugShared.name()
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
