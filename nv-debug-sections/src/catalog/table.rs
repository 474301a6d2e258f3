//! The rows of the catalog of debug sections.

use super::SectionKind::{
    DebugAbbrev, DebugAranges, DebugFrame, DebugInfo, DebugLine, DebugLoc, DebugMacinfo, DebugPubnames,
    DebugPubtypes, DebugRanges, DebugStr, NvDebugInfoPtx, NvDebugInfoRegSass, NvDebugInfoRegType,
    NvDebugLineSass, NvDebugPtxTxt, NvDebugShared, TileirDebugLine, TileirDebugTxt,
};
use super::classify::Classifier;
use super::{
    CatalogEntry, LinkerAction, NameMatch, RelocForm, SectionHeaderFields, SectionKind, SectionLinks,
    SectionOrigin, Space,
};
use crate::cuda_elf::{SHF_MERCURY as MERCURY, sht};
use crate::generation::Generation;
use object::elf;

// Short names for the columns.
const PROGBITS: u32 = elf::SHT_PROGBITS.0;
const NOBITS: u32 = elf::SHT_NOBITS.0;
const REL: u32 = elf::SHT_REL.0;
const RELA: u32 = elf::SHT_RELA.0;
const MERC_RELA: u32 = sht::MERC_RELA;
const CUDA_SHARED: u32 = sht::CUDA_SHARED;
const INFO_LINK: u64 = elf::SHF_INFO_LINK.0;
const WRITE: u64 = elf::SHF_WRITE.0;
const ALLOC: u64 = elf::SHF_ALLOC.0;

/// First generation, last generation.
type Sms = (Generation, Generation);
const ALL: Sms = (Generation::PreMercury, Generation::Mercury);
const LEGACY: Sms = (Generation::PreMercury, Generation::PreMercury);
const SM_90: Sms = (Generation::HiddenMercury, Generation::Mercury);
const SM_100: Sms = (Generation::Mercury, Generation::Mercury);

/// Who makes the contents, what nvlink makes of the inputs' sections, what may follow the name,
/// whether the file keeps the PTX's order.
type Made = (SectionOrigin, LinkerAction, NameMatch, bool);
const CODE: Made = (SectionOrigin::Assembler, LinkerAction::Join, NameMatch::Exact, false);
const TEXT: Made = (SectionOrigin::Assembler, LinkerAction::KeepSeparate, NameMatch::Numbered, false);
const PTX_FIRST: Made = (SectionOrigin::Ptx, LinkerAction::Join, NameMatch::Exact, false);
const PTX: Made = (SectionOrigin::Ptx, LinkerAction::Join, NameMatch::Exact, true);
const PTX_OTHER: Made = (SectionOrigin::Ptx, LinkerAction::Join, NameMatch::Prefix, true);
const RELOC_PTX: Made = (SectionOrigin::Assembler, LinkerAction::Join, NameMatch::Exact, true);
const RELOC_OTHER: Made = (SectionOrigin::Assembler, LinkerAction::Join, NameMatch::Prefix, true);

/// Which documented classifiers know it.
type Known = &'static [Classifier];
const SASS: Known = &[Classifier::Sass, Classifier::Unified, Classifier::Standard];
const UNIFIED: Known = &[Classifier::Unified, Classifier::Standard];
const NVLINK: Known = &[Classifier::Standard];
const MERC: Known = &[Classifier::Mercury];
const NONE: Known = &[];

const RELOCS: &str = "relocations";
const SAME_BYTES: &str = "the native section's bytes";
const MERC_ADDRESSES: &str = "the native section's facts, by Mercury address";

/// All rows of the catalog of debug sections, in the order in which ptxas puts the sections into a
/// file.
///
/// Columns: section, name, (type, flags, alignment, entry size), SMs, who makes it, known to, what
/// it holds. What `sh_link` and `sh_info` say, and whether it is a clone or holds relocations,
/// follows from type and flags.
#[rustfmt::skip]
pub const CATALOG: [CatalogEntry; 89] = [
    // Contents. The `debug_` and `nv_debug_` at the end: whatever else the PTX brings,
    // `.debug_types` for one.
    row(Some(DebugFrame),         ".debug_frame",                     (PROGBITS, 0, 1, 0),                    ALL,     CODE,      SASS,    "call frame rules"),
    row(Some(DebugLine),          ".debug_line",                      (PROGBITS, 0, 1, 0),                    ALL,     CODE,      SASS,    "SASS address to source line"),
    row(Some(DebugStr),           ".debug_str",                       (PROGBITS, 0, 1, 0),                    ALL,     PTX_FIRST, SASS,    "names, of inlined functions above all"),
    row(Some(NvDebugLineSass),    ".nv_debug_line_sass",              (PROGBITS, 0, 1, 0),                    ALL,     CODE,      UNIFIED, "SASS address to PTX line"),
    row(Some(TileirDebugLine),    ".nv.tileir.debug_line",            (PROGBITS, 0, 1, 0),                    ALL,     CODE,      NONE,    "SASS address to line of an intermediate language"),
    row(Some(NvDebugPtxTxt),      ".nv_debug_ptx_txt",                (PROGBITS, 0, 1, 0),                    ALL,     TEXT,      NVLINK,  "the PTX text"),
    row(Some(TileirDebugTxt),     ".nv.tileir.debug_txt",             (PROGBITS, 0, 1, 0),                    ALL,     TEXT,      NONE,    "text of the intermediate language"),
    row(Some(NvDebugInfoRegSass), ".nv_debug_info_reg_sass",          (PROGBITS, 0, 1, 0),                    ALL,     CODE,      SASS,    "PTX registers in SASS registers"),
    row(Some(NvDebugInfoRegType), ".nv_debug_info_reg_type",          (PROGBITS, 0, 1, 0),                    ALL,     CODE,      UNIFIED, "types of those PTX registers"),
    row(Some(DebugAbbrev),        ".debug_abbrev",                    (PROGBITS, 0, 1, 0),                    ALL,     PTX_FIRST, SASS,    "abbreviations of .debug_info"),
    row(Some(DebugInfo),          ".debug_info",                      (PROGBITS, 0, 1, 0),                    ALL,     PTX,       SASS,    "debugging information entries"),
    row(Some(DebugLoc),           ".debug_loc",                       (PROGBITS, 0, 1, 0),                    ALL,     PTX,       SASS,    "location lists"),
    row(Some(DebugMacinfo),       ".debug_macinfo",                   (PROGBITS, 0, 1, 0),                    ALL,     PTX,       SASS,    "macro information"),
    row(Some(DebugPubnames),      ".debug_pubnames",                  (PROGBITS, 0, 1, 0),                    ALL,     PTX,       SASS,    "lookup by global name"),
    row(Some(DebugPubtypes),      ".debug_pubtypes",                  (PROGBITS, 0, 1, 0),                    ALL,     PTX,       NVLINK,  "lookup by type name"),
    row(Some(DebugAranges),       ".debug_aranges",                   (PROGBITS, 0, 1, 0),                    ALL,     PTX,       SASS,    "lookup by address"),
    row(Some(DebugRanges),        ".debug_ranges",                    (PROGBITS, 0, 1, 0),                    ALL,     PTX,       NVLINK,  "address ranges"),
    row(Some(NvDebugInfoPtx),     ".nv_debug_info_ptx",               (PROGBITS, 0, 1, 0),                    ALL,     PTX,       NONE,    "entries of PTX level"),
    row(None,                     ".debug_",                          (PROGBITS, 0, 1, 0),                    ALL,     PTX_OTHER, NONE,    "another section of the PTX"),
    row(None,                     ".nv_debug_",                       (PROGBITS, 0, 1, 0),                    ALL,     PTX_OTHER, NONE,    "another section of the PTX"),
    // Loaded, and thus after the relocations in a file: in programs, and in what is to be linked.
    row(Some(NvDebugShared),      ".nv_debug.shared",                 (NOBITS, WRITE | ALLOC, 0, 0),          ALL,     CODE,      NONE,    "window of shared variables"),
    row(Some(NvDebugShared),      ".nv_debug.shared",                 (CUDA_SHARED, WRITE | ALLOC, 0, 0),     ALL,     CODE,      NONE,    "window of shared variables"),
    // Their relocations. REL ends where Mercury code begins to be what ptxas makes
    // (docs/formats/relocations.md, REL and RELA).
    row(Some(DebugLine),          ".rela.debug_line",                 (RELA, INFO_LINK, 8, 24),               ALL,     CODE,      NONE,    RELOCS),
    row(Some(DebugLine),          ".rel.debug_line",                  (REL, INFO_LINK, 8, 16),                LEGACY,  CODE,      NONE,    RELOCS),
    row(Some(NvDebugLineSass),    ".rel.nv_debug_line_sass",          (REL, INFO_LINK, 8, 16),                LEGACY,  CODE,      NONE,    RELOCS),
    row(Some(NvDebugLineSass),    ".rela.nv_debug_line_sass",         (RELA, INFO_LINK, 8, 24),               SM_90,   CODE,      NONE,    RELOCS),
    row(Some(TileirDebugLine),    ".rel.nv.tileir.debug_line",        (REL, INFO_LINK, 8, 16),                LEGACY,  CODE,      NONE,    RELOCS),
    row(Some(TileirDebugLine),    ".rela.nv.tileir.debug_line",       (RELA, INFO_LINK, 8, 24),               SM_90,   CODE,      NONE,    RELOCS),
    row(Some(DebugStr),           ".rel.debug_str",                   (REL, INFO_LINK, 8, 16),                LEGACY,  CODE,      NONE,    RELOCS),
    row(Some(DebugStr),           ".rela.debug_str",                  (RELA, INFO_LINK, 8, 24),               ALL,     CODE,      NONE,    RELOCS),
    row(Some(DebugAbbrev),        ".rel.debug_abbrev",                (REL, INFO_LINK, 8, 16),                LEGACY,  CODE,      NONE,    RELOCS),
    row(Some(DebugAbbrev),        ".rela.debug_abbrev",               (RELA, INFO_LINK, 8, 24),               ALL,     CODE,      NONE,    RELOCS),
    row(Some(DebugInfo),          ".rela.debug_info",                 (RELA, INFO_LINK, 8, 24),               ALL,     RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugLoc),           ".rel.debug_loc",                   (REL, INFO_LINK, 8, 16),                LEGACY,  RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugLoc),           ".rela.debug_loc",                  (RELA, INFO_LINK, 8, 24),               ALL,     RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugMacinfo),       ".rel.debug_macinfo",               (REL, INFO_LINK, 8, 16),                LEGACY,  RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugMacinfo),       ".rela.debug_macinfo",              (RELA, INFO_LINK, 8, 24),               ALL,     RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugPubnames),      ".rel.debug_pubnames",              (REL, INFO_LINK, 8, 16),                LEGACY,  RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugPubnames),      ".rela.debug_pubnames",             (RELA, INFO_LINK, 8, 24),               ALL,     RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugPubtypes),      ".rel.debug_pubtypes",              (REL, INFO_LINK, 8, 16),                LEGACY,  RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugPubtypes),      ".rela.debug_pubtypes",             (RELA, INFO_LINK, 8, 24),               ALL,     RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugAranges),       ".rel.debug_aranges",               (REL, INFO_LINK, 8, 16),                LEGACY,  RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugAranges),       ".rela.debug_aranges",              (RELA, INFO_LINK, 8, 24),               ALL,     RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugRanges),        ".rel.debug_ranges",                (REL, INFO_LINK, 8, 16),                LEGACY,  RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugRanges),        ".rela.debug_ranges",               (RELA, INFO_LINK, 8, 24),               ALL,     RELOC_PTX, NONE,    RELOCS),
    row(Some(NvDebugInfoPtx),     ".rel.nv_debug_info_ptx",           (REL, INFO_LINK, 8, 16),                LEGACY,  RELOC_PTX, NONE,    RELOCS),
    row(Some(NvDebugInfoPtx),     ".rela.nv_debug_info_ptx",          (RELA, INFO_LINK, 8, 24),               ALL,     RELOC_PTX, NONE,    RELOCS),
    row(None,                     ".rel.debug_",                      (REL, INFO_LINK, 8, 16),                LEGACY,  RELOC_OTHER, NONE,    RELOCS),
    row(None,                     ".rela.debug_",                     (RELA, INFO_LINK, 8, 24),               ALL,     RELOC_OTHER, NONE,    RELOCS),
    row(None,                     ".rel.nv_debug_",                   (REL, INFO_LINK, 8, 16),                LEGACY,  RELOC_OTHER, NONE,    RELOCS),
    row(None,                     ".rela.nv_debug_",                  (RELA, INFO_LINK, 8, 24),               ALL,     RELOC_OTHER, NONE,    RELOCS),
    row(Some(DebugFrame),         ".rel.debug_frame",                 (REL, INFO_LINK, 8, 16),                LEGACY,  CODE,      NONE,    RELOCS),
    row(Some(DebugFrame),         ".rela.debug_frame",                (RELA, INFO_LINK, 8, 24),               ALL,     CODE,      NONE,    RELOCS),
    // Clones.
    row(Some(DebugFrame),         ".nv.merc.debug_frame",             (PROGBITS, MERCURY, 1, 0),              SM_100,  CODE,      MERC,    MERC_ADDRESSES),
    row(Some(DebugLine),          ".nv.merc.debug_line",              (PROGBITS, MERCURY, 1, 0),              SM_100,  CODE,      MERC,    MERC_ADDRESSES),
    row(Some(DebugStr),           ".nv.merc.debug_str",               (PROGBITS, MERCURY, 1, 0),              SM_100,  PTX_FIRST, MERC,    SAME_BYTES),
    row(Some(NvDebugLineSass),    ".nv.merc.nv_debug_line_sass",      (PROGBITS, MERCURY, 1, 0),              SM_100,  CODE,      MERC,    MERC_ADDRESSES),
    row(Some(TileirDebugLine),    ".nv.merc.nv.tileir.debug_line",    (PROGBITS, MERCURY, 1, 0),              SM_100,  CODE,      NONE,    MERC_ADDRESSES),
    row(Some(NvDebugPtxTxt),      ".nv.merc.nv_debug_ptx_txt",        (PROGBITS, MERCURY, 1, 0),              SM_100,  TEXT,      MERC,    SAME_BYTES),
    row(Some(TileirDebugTxt),     ".nv.merc.nv.tileir.debug_txt",     (PROGBITS, MERCURY, 1, 0),              SM_100,  TEXT,      NONE,    SAME_BYTES),
    row(Some(NvDebugInfoRegSass), ".nv.merc.nv_debug_info_reg_sass",  (PROGBITS, MERCURY, 1, 0),              SM_100,  CODE,      MERC,    MERC_ADDRESSES),
    row(Some(NvDebugInfoRegType), ".nv.merc.nv_debug_info_reg_type",  (PROGBITS, MERCURY, 1, 0),              SM_100,  CODE,      MERC,    MERC_ADDRESSES),
    row(Some(DebugAbbrev),        ".nv.merc.debug_abbrev",            (PROGBITS, MERCURY, 1, 0),              SM_100,  PTX_FIRST, MERC,    SAME_BYTES),
    row(Some(DebugInfo),          ".nv.merc.debug_info",              (PROGBITS, MERCURY, 1, 0),              SM_100,  PTX,       MERC,    SAME_BYTES),
    row(Some(DebugLoc),           ".nv.merc.debug_loc",               (PROGBITS, MERCURY, 1, 0),              SM_100,  PTX,       MERC,    SAME_BYTES),
    row(Some(DebugMacinfo),       ".nv.merc.debug_macinfo",           (PROGBITS, MERCURY, 1, 0),              SM_100,  PTX,       MERC,    SAME_BYTES),
    row(Some(DebugPubnames),      ".nv.merc.debug_pubnames",          (PROGBITS, MERCURY, 1, 0),              SM_100,  PTX,       MERC,    SAME_BYTES),
    row(Some(DebugPubtypes),      ".nv.merc.debug_pubtypes",          (PROGBITS, MERCURY, 1, 0),              SM_100,  PTX,       MERC,    SAME_BYTES),
    row(Some(DebugAranges),       ".nv.merc.debug_aranges",           (PROGBITS, MERCURY, 1, 0),              SM_100,  PTX,       MERC,    SAME_BYTES),
    row(Some(DebugRanges),        ".nv.merc.debug_ranges",            (PROGBITS, MERCURY, 1, 0),              SM_100,  PTX,       MERC,    SAME_BYTES),
    row(Some(NvDebugInfoPtx),     ".nv.merc.nv_debug_info_ptx",       (PROGBITS, MERCURY, 1, 0),              SM_100,  PTX,       NONE,    SAME_BYTES),
    row(None,                     ".nv.merc.debug_",                  (PROGBITS, MERCURY, 1, 0),              SM_100,  PTX_OTHER, NONE,    SAME_BYTES),
    row(None,                     ".nv.merc.nv_debug_",               (PROGBITS, MERCURY, 1, 0),              SM_100,  PTX_OTHER, NONE,    SAME_BYTES),
    // Relocations of clones.
    row(Some(DebugLine),          ".nv.merc.rela.debug_line",         (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  CODE,      NONE,    RELOCS),
    row(Some(NvDebugLineSass),    ".nv.merc.rela.nv_debug_line_sass", (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  CODE,      NONE,    RELOCS),
    row(Some(TileirDebugLine),    ".nv.merc.rela.nv.tileir.debug_line", (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100, CODE,    NONE,    RELOCS),
    row(Some(DebugStr),           ".nv.merc.rela.debug_str",          (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  CODE,      NONE,    RELOCS),
    row(Some(DebugAbbrev),        ".nv.merc.rela.debug_abbrev",       (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  CODE,      NONE,    RELOCS),
    row(Some(DebugInfo),          ".nv.merc.rela.debug_info",         (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugLoc),           ".nv.merc.rela.debug_loc",          (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugMacinfo),       ".nv.merc.rela.debug_macinfo",      (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugPubnames),      ".nv.merc.rela.debug_pubnames",     (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugPubtypes),      ".nv.merc.rela.debug_pubtypes",     (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugAranges),       ".nv.merc.rela.debug_aranges",      (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  RELOC_PTX, NONE,    RELOCS),
    row(Some(DebugRanges),        ".nv.merc.rela.debug_ranges",       (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  RELOC_PTX, NONE,    RELOCS),
    row(Some(NvDebugInfoPtx),     ".nv.merc.rela.nv_debug_info_ptx",  (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  RELOC_PTX, NONE,    RELOCS),
    row(None,                     ".nv.merc.rela.debug_",             (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  RELOC_OTHER, NONE,    RELOCS),
    row(None,                     ".nv.merc.rela.nv_debug_",          (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  RELOC_OTHER, NONE,    RELOCS),
    row(Some(DebugFrame),         ".nv.merc.rela.debug_frame",        (MERC_RELA, INFO_LINK | MERCURY, 8, 24), SM_100,  CODE,      NONE,    RELOCS),
];

/// `sh_type`, `sh_flags`, `sh_addralign`, `sh_entsize`.
type Header = (u32, u64, u64, u64);

const fn row(
    kind: Option<SectionKind>,
    name: &'static str,
    (sh_type, flags, align, entsize): Header,
    (since, until): Sms,
    (origin, linked, extent, in_text_order): Made,
    classifiers: Known,
    content: &'static str,
) -> CatalogEntry {
    let space = if flags & MERCURY == 0 { Space::Native } else { Space::Mercury };
    let (form, links) = match (sh_type, space) {
        (REL, _) => (Some(RelocForm::Rel), SectionLinks::SYMTAB),
        (RELA, _) => (Some(RelocForm::Rela), SectionLinks::SYMTAB),
        (MERC_RELA, _) => (Some(RelocForm::Rela), SectionLinks::MERCURY_SYMTAB),
        _ => (None, SectionLinks::None),
    };
    let shape = SectionHeaderFields { sh_type, flags, align, entsize };
    CatalogEntry {
        kind,
        name,
        name_match: extent,
        space,
        form,
        header: shape,
        links,
        since,
        until,
        origin,
        linker_action: linked,
        in_text_order,
        classifiers,
        content,
    }
}
