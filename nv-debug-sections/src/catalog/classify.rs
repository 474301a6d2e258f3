//! The names of sections that ptxas and nvlink 13.0.88 are documented to take for debug
//! information: five classifiers, which compare prefixes of names.
//!
//! They follow the description from which this project began, and disagree with each other and with
//! the files:
//!
//! | classifier | names | of a file with all sections it leaves out |
//! |---|---|---|
//! | [`is_sass`], ptxas | 10 | `.nv_debug_line_sass`, `.nv_debug_info_reg_type`, `.nv_debug_ptx_txt`, `.debug_pubtypes`, `.debug_ranges` |
//! | [`unified`], ptxas, native | 12 | `.nv_debug_ptx_txt`, `.debug_pubtypes`, `.debug_ranges` |
//! | [`is_mercury`], ptxas; [`unified`], Mercury | 15 | `.nv.merc.nv_debug_ptx_txt.N` (names are compared whole) |
//! | [`standard`], [`mercury`], nvlink | 15 | nothing that the tools make |
//!
//! None knows `.nv_debug_info_ptx`, `.nv_debug.shared` or relocations.
//! [`SectionName::entry`](super::SectionName::entry) is what this crate itself goes by: it knows
//! every section that was seen in a file or can be brought by a PTX, relocations included, since
//! strip, edit and compare must miss none of them. Which names a classifier knows is a column of
//! the [catalog](super).
//!
//! ```
//! use nv_debug_sections::catalog::{SectionKind, Space, classify};
//! let (progbits, mercury) = (1, 0x1000_0000);
//! assert!(classify::is_sass(".debug_line") && !classify::is_sass(".nv_debug_line_sass"));
//! assert_eq!(classify::standard(progbits, ".nv_debug_ptx_txt.42"), Some(SectionKind::NvDebugPtxTxt));
//! assert_eq!(classify::mercury(progbits, mercury, ".nv.merc.debug_line"), Some(SectionKind::DebugLine));
//! assert_eq!(classify::mercury(progbits, 0, ".nv.merc.debug_line"), None); // the flag is missing
//! let native = Some((Space::Native, SectionKind::DebugLine));
//! assert_eq!(classify::unified(0, ".debug_line", true), native);
//! assert_eq!(classify::unified(0, ".debug_line", false), None); // a release build
//! ```

use super::{CATALOG, CatalogEntry, SectionKind, Space};
use crate::cuda_elf::SHF_MERCURY;
use object::elf;

impl Classifier {
    /// The catalog rows of the sections that this classifier recognises.
    pub fn entries(self) -> impl Iterator<Item = &'static CatalogEntry> {
        CATALOG.iter().filter(move |row| row.classifiers.contains(&self))
    }

    /// Names are compared whole.
    fn whole(self, name: &str) -> Option<SectionKind> {
        self.entries().find(|row| row.name == name)?.kind
    }

    /// The same, but that of the PTX text as a prefix, whatever follows.
    fn with_prefix(self, name: &str) -> Option<SectionKind> {
        let takes = |row: &&CatalogEntry| {
            let rest = name.strip_prefix(row.name);
            rest.is_some_and(|rest| rest.is_empty() || row.kind.is_some_and(SectionKind::has_suffix))
        };
        self.entries().find(takes)?.kind
    }
}

/// The bit mask of section types that nvlink's classifiers test before they compare names, as its
/// documentation has it.
pub const TYPE_MASK: u32 = 0x5d05;

/// The type that bit 0 of [`TYPE_MASK`] stands for. An inference: the seed does not say, and bits
/// that stood for `sh_type` itself would leave out `PROGBITS`, the only type that debug sections
/// have in the corpus; NVIDIA's own types begin at `0x7000_0000`.
const TYPE_MASK_BASE: u32 = 0x7000_0006;

/// Whether nvlink's classifiers compare the names of sections of this type: `PROGBITS`, and
/// NVIDIA's types in [`TYPE_MASK`].
pub fn passes_type_mask(sh_type: u32) -> bool {
    let in_mask = |bit: u32| bit < u32::BITS && TYPE_MASK >> bit & 1 != 0;
    sh_type == elf::SHT_PROGBITS.0 || sh_type.checked_sub(TYPE_MASK_BASE).is_some_and(in_mask)
}

/// Whether the documentation of ptxas counts a section of this name as a native debug section
/// (table "SASS Classifier").
pub fn is_sass(name: &str) -> bool {
    Classifier::Sass.whole(name).is_some()
}

/// Whether the documentation of ptxas counts a section of this name as a Mercury debug section
/// (table "Mercury Classifier"). Flags are not tested.
pub fn is_mercury(name: &str) -> bool {
    Classifier::Mercury.whole(name).is_some()
}

/// Returns the space, native or Mercury, and the section kind that the documentation of ptxas gives
/// to a debug section (table "Unified Classifier"). [`SHF_MERCURY`] decides with which names the
/// section's name is compared. `device_debug` is `-g`; without `-g` the native `.debug_frame` and
/// `.debug_line` are suppressed.
///
/// The tool writes both all the same (`docs/conformance.md`).
pub fn unified(flags: u64, name: &str, device_debug: bool) -> Option<(Space, SectionKind)> {
    if flags & SHF_MERCURY != 0 {
        return Some((Space::Mercury, Classifier::Mercury.whole(name)?));
    }
    let kind = Classifier::Unified.whole(name)?;
    let suppressed = matches!(kind, SectionKind::DebugFrame | SectionKind::DebugLine) && !device_debug;
    (!suppressed).then_some((Space::Native, kind))
}

/// Returns the section kind that the documentation of nvlink gives to a native debug section (table
/// "Standard Debug Classifier"). The type is tested, then the name.
pub fn standard(sh_type: u32, name: &str) -> Option<SectionKind> {
    passes_type_mask(sh_type).then(|| Classifier::Standard.with_prefix(name)).flatten()
}

/// Returns the section kind that the documentation of nvlink gives to a Mercury debug section
/// (table "Mercury Debug Classifier"). The type is tested, then [`SHF_MERCURY`], then the name.
pub fn mercury(sh_type: u32, flags: u64, name: &str) -> Option<SectionKind> {
    let looks = passes_type_mask(sh_type) && flags & SHF_MERCURY != 0;
    looks.then(|| Classifier::Mercury.with_prefix(name)).flatten()
}

/// A list of section names that the documentation gives to one of NVIDIA's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Classifier {
    /// The list "SASS Classifier" in the documentation of ptxas (seed 001): 10 native section
    /// names.
    Sass,
    /// The list "Unified Classifier" in the documentation of ptxas (seed 001): the standard names
    /// of [`Sass`](Self::Sass) and three "additional NVIDIA extensions".
    Unified,
    /// The list "Standard Debug Classifier" in the documentation of nvlink (seed 003): 15 native
    /// section names.
    Standard,
    /// The lists "Mercury Classifier" in the documentation of ptxas (seed 001) and "Mercury Debug
    /// Classifier" in that of nvlink (seed 003): the names of [`Standard`](Self::Standard) with
    /// `.nv.merc` before them. Seed 001 names only nine of them "and additional variants"; seed 003
    /// names all.
    Mercury,
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGBITS: u32 = elf::SHT_PROGBITS.0;

    /// Seed 001, "SASS Classifier": "Returns 1 (is-debug-section) for", and "Plus the NVIDIA
    /// extension".
    const SEED_SASS: &str = ".debug_abbrev .debug_aranges .debug_frame .debug_info .debug_loc .debug_macinfo .debug_pubnames .debug_str \
                             .debug_line .nv_debug_info_reg_sass";

    /// Seed 001, "Unified Classifier", item 4.
    const SEED_EXTENSIONS: &str = ".nv_debug_line_sass .nv_debug_info_reg_sass .nv_debug_info_reg_type";

    /// Seed 003, "Standard Debug Classifier".
    const SEED_STANDARD: &str = ".debug_abbrev .debug_aranges .debug_frame .debug_info .debug_loc .debug_macinfo .debug_pubnames \
                                 .debug_pubtypes .debug_ranges .debug_str .nv_debug_info_reg_sass .nv_debug_info_reg_type \
                                 .nv_debug_ptx_txt .debug_line .nv_debug_line_sass";

    /// Seed 001, "Mercury Namespace Variants": the nine that it names.
    const SEED_VARIANTS: &str = ".nv.merc.debug_abbrev .nv.merc.debug_aranges .nv.merc.debug_frame .nv.merc.debug_info .nv.merc.debug_loc \
                                 .nv.merc.debug_macinfo .nv.merc.debug_pubnames .nv.merc.debug_str .nv.merc.debug_line";

    /// Seed 003, "Mercury Section Inventory": all 15.
    const SEED_MERCURY: &str = ".nv.merc.debug_line .nv.merc.debug_info .nv.merc.debug_abbrev .nv.merc.debug_str .nv.merc.debug_frame \
                                .nv.merc.debug_loc .nv.merc.nv_debug_line_sass .nv.merc.nv_debug_info_reg_sass \
                                .nv.merc.nv_debug_ptx_txt .nv.merc.nv_debug_info_reg_type .nv.merc.debug_aranges .nv.merc.debug_ranges \
                                .nv.merc.debug_macinfo .nv.merc.debug_pubnames .nv.merc.debug_pubtypes";

    fn sorted<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
        let mut names: Vec<_> = names.into_iter().collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn each_list_is_the_seeds() {
        let standard_names = SEED_SASS.split(' ').filter(|name| name.starts_with(".debug_"));
        let unified: Vec<&str> = standard_names.chain(SEED_EXTENSIONS.split(' ')).collect();
        for (classifier, stated, count) in [
            (Classifier::Sass, SEED_SASS.split(' ').collect(), 10),
            (Classifier::Unified, unified, 12),
            (Classifier::Standard, SEED_STANDARD.split(' ').collect(), 15),
            (Classifier::Mercury, SEED_MERCURY.split(' ').collect(), 15),
        ] {
            assert_eq!(sorted(classifier.entries().map(|row| row.name)), sorted(stated), "{classifier:?}");
            assert_eq!(classifier.entries().count(), count);
        }
        assert!(SEED_VARIANTS.split(' ').all(is_mercury));
    }

    /// Every name of the catalog, and near misses, by all classifiers.
    #[test]
    fn every_classifier_takes_its_names_and_no_other() {
        let misses = [
            ".text.f",
            ".debug",
            ".debug_line.42",
            ".debug_lines",
            ".debug_types",
            ".nv.merc",
            "",
            ".nv.merc.text.f",
        ];
        for name in CATALOG.iter().map(|row| row.name).chain(misses) {
            let stated = |list: &str| list.split(' ').any(|other| other == name);
            assert_eq!(is_sass(name), stated(SEED_SASS), "{name}");
            assert_eq!(is_mercury(name), stated(SEED_MERCURY), "{name}");
            let in_unified = stated(SEED_SASS) || stated(SEED_EXTENSIONS);
            let found = unified(0, name, true);
            assert_eq!(
                found,
                SectionKind::from_name(name).filter(|_| in_unified).map(|kind| (Space::Native, kind)),
                "{name}"
            );
            assert_eq!(unified(SHF_MERCURY, name, false).is_some(), stated(SEED_MERCURY), "{name}");
            assert_eq!(
                standard(PROGBITS, name),
                SectionKind::from_name(name).filter(|_| stated(SEED_STANDARD)),
                "{name}"
            );
            assert_eq!(mercury(PROGBITS, SHF_MERCURY, name).is_some(), stated(SEED_MERCURY), "{name}");
        }
    }

    #[test]
    fn the_flag_says_which_names_count() {
        let line = SectionKind::DebugLine;
        assert_eq!(mercury(PROGBITS, SHF_MERCURY | 2, ".nv.merc.debug_line"), Some(line));
        assert_eq!(mercury(PROGBITS, 0, ".nv.merc.debug_line"), None);
        assert_eq!(mercury(PROGBITS, SHF_MERCURY, ".debug_line"), None);
        assert_eq!(unified(SHF_MERCURY | 2, ".nv.merc.debug_line", true), Some((Space::Mercury, line)));
        assert_eq!(unified(SHF_MERCURY, ".debug_line", true), None);
        assert_eq!(unified(0, ".nv.merc.debug_line", true), None);
    }

    /// Seed 001: "suppress .debug_frame and .debug_line when debug info is not requested".
    #[test]
    fn without_g_two_names_are_suppressed() {
        let suppressed = Classifier::Unified.entries().filter(|row| unified(0, row.name, false).is_none());
        assert_eq!(sorted(suppressed.map(|row| row.name)), [".debug_frame", ".debug_line"]);
    }

    /// Seed 003: "prefix match", but ptxas' chain of string comparisons.
    #[test]
    fn the_ptx_text_is_a_prefix_for_nvlink_only() {
        let text = Some(SectionKind::NvDebugPtxTxt);
        for rest in ["", ".42", "ual"] {
            let (native, clone) =
                (format!(".nv_debug_ptx_txt{rest}"), format!(".nv.merc.nv_debug_ptx_txt{rest}"));
            assert_eq!((standard(PROGBITS, &native), mercury(PROGBITS, SHF_MERCURY, &clone)), (text, text));
            assert_eq!(is_mercury(&clone), rest.is_empty());
            assert_eq!(unified(0, &native, true), None);
        }
    }

    #[test]
    fn types_outside_the_mask_are_not_looked_at() {
        let outside = [elf::SHT_REL, elf::SHT_RELA, elf::SHT_NOBITS, elf::SHT_NULL].map(|sh_type| sh_type.0);
        for sh_type in outside.into_iter().chain([0x7000_0007, 0x7000_0082, u32::MAX]) {
            assert!(!passes_type_mask(sh_type), "{sh_type:#x}");
            assert_eq!(standard(sh_type, ".debug_line"), None);
            assert_eq!(mercury(sh_type, SHF_MERCURY, ".nv.merc.debug_line"), None);
        }
        for bit in 0..u32::BITS {
            assert_eq!(passes_type_mask(TYPE_MASK_BASE + bit), TYPE_MASK & (1 << bit) != 0);
        }
    }
}
