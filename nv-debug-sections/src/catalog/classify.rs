//! The classifiers that the notes this project started from describe in ptxas and nvlink 13.0.88 (seeds 001 and 003).
//!
//! They say what those tools are documented to take for debug information; [`SectionName`] is what this crate itself goes by, and knows
//! more names. Each is a list of rows of the [catalog](super) and a few conditions on the section header.

use super::{Linked, SectionKind, SectionName, Space};
use crate::cubin::SHF_MERCURY;
use object::elf;

/// Names that ptxas' classifier of native sections knows, in the order of the description (seed 001, "SASS Classifier").
pub const SASS: [SectionKind; 10] = [
    SectionKind::DebugAbbrev,
    SectionKind::DebugAranges,
    SectionKind::DebugFrame,
    SectionKind::DebugInfo,
    SectionKind::DebugLoc,
    SectionKind::DebugMacinfo,
    SectionKind::DebugPubnames,
    SectionKind::DebugStr,
    SectionKind::DebugLine,
    SectionKind::NvDebugInfoRegSass,
];

/// Names that nvlink's two classifiers know, natively and with [`MERCURY_PREFIX`](super::MERCURY_PREFIX), in the order of the checks
/// (seed 003, "Standard Debug Classifier").
pub const STANDARD: [SectionKind; 15] = [
    SectionKind::DebugAbbrev,
    SectionKind::DebugAranges,
    SectionKind::DebugFrame,
    SectionKind::DebugInfo,
    SectionKind::DebugLoc,
    SectionKind::DebugMacinfo,
    SectionKind::DebugPubnames,
    SectionKind::DebugPubtypes,
    SectionKind::DebugRanges,
    SectionKind::DebugStr,
    SectionKind::NvDebugInfoRegSass,
    SectionKind::NvDebugInfoRegType,
    SectionKind::NvDebugPtxTxt,
    SectionKind::DebugLine,
    SectionKind::NvDebugLineSass,
];

/// The bit mask over section types that nvlink's classifiers ask before names (seed 003).
pub const TYPE_MASK: u32 = 0x5d05;

/// The type that bit 0 of [`TYPE_MASK`] stands for. An inference: the seed does not say, and bits that stood for `sh_type` itself would
/// leave out `PROGBITS`, the only type that debug sections have in the corpus; NVIDIA's own types begin at `0x7000_0000`.
const TYPE_MASK_BASE: u32 = 0x7000_0006;

/// Whether nvlink's classifiers look at the names of sections of this type: `PROGBITS`, and NVIDIA's types in [`TYPE_MASK`].
pub fn passes_type_mask(sh_type: u32) -> bool {
    let in_mask = |bit: u32| bit < u32::BITS && TYPE_MASK >> bit & 1 != 0;
    sh_type == elf::SHT_PROGBITS.0 || sh_type.checked_sub(TYPE_MASK_BASE).is_some_and(in_mask)
}

/// Names are compared whole; only that of the PTX text as a prefix, whatever follows.
fn among(kinds: &[SectionKind], base: &str) -> Option<SectionKind> {
    let is = |kind: &&SectionKind| {
        let rest = base.strip_prefix(kind.name());
        rest.is_some_and(|rest| rest.is_empty() || kind.entry().linked == Linked::Apart)
    };
    kinds.iter().find(is).copied()
}

/// ptxas' classifier of native sections: whether it is one of [`SASS`].
pub fn is_sass(name: &str) -> bool {
    SASS.iter().any(|kind| kind.name() == name)
}

/// nvlink's classifier of native sections: one of [`STANDARD`], of a type that passes.
pub fn standard(sh_type: u32, name: &str) -> Option<SectionKind> {
    passes_type_mask(sh_type).then(|| among(&STANDARD, name)).flatten()
}

/// nvlink's classifier of Mercury sections: the names of [`STANDARD`] behind `.nv.merc`, a type that passes, and [`SHF_MERCURY`] set.
pub fn mercury(sh_type: u32, flags: u64, name: &str) -> Option<SectionKind> {
    let parsed = SectionName::parse(name);
    let looks = passes_type_mask(sh_type) && flags & SHF_MERCURY != 0;
    let is_clone = parsed.space == Space::Mercury && parsed.form.is_none();
    (looks && is_clone).then(|| among(&STANDARD, &parsed.base)).flatten()
}

/// ptxas' classifier of both: the flag decides which names are asked (seed 001, "Unified Classifier").
///
/// Documented to leave out `.debug_frame` and `.debug_line` without `-g`; they are in such files all the same (`docs/conformance.md`),
/// so this does not.
pub fn unified(sh_type: u32, flags: u64, name: &str) -> Option<(Space, SectionKind)> {
    if flags & SHF_MERCURY != 0 {
        Some((Space::Mercury, mercury(sh_type, flags, name)?))
    } else {
        Some((Space::Native, standard(sh_type, name)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{CATALOG, Origin};

    const PROGBITS: u32 = elf::SHT_PROGBITS.0;

    #[test]
    fn the_flag_says_which_names_count() {
        let line = Some(SectionKind::DebugLine);
        assert_eq!(standard(PROGBITS, ".debug_line"), line);
        assert_eq!(standard(PROGBITS, ".nv.merc.debug_line"), None);
        assert_eq!(mercury(PROGBITS, SHF_MERCURY, ".nv.merc.debug_line"), line);
        assert_eq!(mercury(PROGBITS, 0, ".nv.merc.debug_line"), None);
        assert_eq!(mercury(PROGBITS, SHF_MERCURY, ".debug_line"), None);
        assert_eq!(mercury(PROGBITS, SHF_MERCURY, ".nv.merc.rela.debug_line"), None);
        assert_eq!(
            unified(PROGBITS, SHF_MERCURY | 2, ".nv.merc.debug_line"),
            Some((Space::Mercury, SectionKind::DebugLine))
        );
        assert_eq!(unified(PROGBITS, 0, ".debug_line"), Some((Space::Native, SectionKind::DebugLine)));
        assert_eq!(unified(PROGBITS, SHF_MERCURY, ".debug_line"), None);
        assert_eq!(unified(PROGBITS, 0, ".text.f"), None);
    }

    #[test]
    fn the_ptx_text_is_a_prefix_and_the_others_are_not() {
        for name in [".nv_debug_ptx_txt", ".nv_debug_ptx_txt.42", ".nv_debug_ptx_txtual"] {
            assert_eq!(standard(PROGBITS, name), Some(SectionKind::NvDebugPtxTxt));
        }
        assert_eq!(standard(PROGBITS, ".debug_line.42"), None);
    }

    #[test]
    fn types_outside_the_mask_are_not_looked_at() {
        for sh_type in [
            elf::SHT_REL.0,
            elf::SHT_RELA.0,
            elf::SHT_NOBITS.0,
            elf::SHT_NULL.0,
            0x7000_0007,
            0x7000_0082,
            u32::MAX,
        ] {
            assert!(!passes_type_mask(sh_type), "{sh_type:#x}");
            assert_eq!(standard(sh_type, ".debug_line"), None);
        }
        for bit in 0..u32::BITS {
            assert_eq!(passes_type_mask(TYPE_MASK_BASE + bit), TYPE_MASK & (1 << bit) != 0);
        }
    }

    /// Which known sections the documented lists leave out.
    #[test]
    fn lists_have_each_name_once() {
        for list in [&SASS[..], &STANDARD] {
            let mut sorted = list.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), list.len());
        }
        let left_out: Vec<_> =
            CATALOG.iter().map(|entry| entry.kind).filter(|kind| !STANDARD.contains(kind)).collect();
        assert_eq!(left_out, [SectionKind::NvDebugInfoPtx, SectionKind::NvDebugShared]);
        assert!(SASS.iter().all(|kind| STANDARD.contains(kind)));
        let by_ptxas = |kind: &&SectionKind| kind.entry().origin == Origin::Assembler;
        assert_eq!(SASS.iter().filter(by_ptxas).count(), 3);
    }
}
