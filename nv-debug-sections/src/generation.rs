//! What changes from one generation of SMs to the next, in debug information.

/// A span of SMs whose files are made by the same rules.
///
/// Observed: ptxas 13.0.88, sm_75-sm_121 (FORMATS; SMs below 75 are taken for [`Legacy`](Self::Legacy)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// Up to sm_89. Line tables are made from the code itself (FORMATS 1.5), addends stand in the fields of REL sections (FORMATS 4),
    /// shared variables start at 0, and the ELF layout is that of the earlier toolkits (FORMATS 6).
    Legacy,
    /// From sm_90 on. Code goes through Mercury, an intermediate form, which sm_90 files do not keep. Line tables are transcoded from
    /// Mercury's (FORMATS 1.6), sequences follow the symbol table (FORMATS 1.3), every relocation is RELA with stale bytes in its field
    /// (FORMATS 4), the system keeps the first 0x400 bytes of shared memory, and the ELF layout leaves room for Mercury names (FORMATS 6).
    Transcoded,
    /// From sm_100 on. As [`Transcoded`](Self::Transcoded), and the file keeps its Mercury code and a `.nv.merc.` copy of each debug
    /// section (FORMATS 7); the low byte of `e_flags` is 2 instead of 4 (FORMATS 6).
    Mercury,
}

impl Generation {
    /// The first SM of [`Transcoded`](Self::Transcoded).
    pub const FIRST_TRANSCODED_SM: u32 = 90;
    /// The first SM of [`Mercury`](Self::Mercury).
    pub const FIRST_MERCURY_SM: u32 = 100;

    /// The generation of an SM number: 75 for sm_75.
    pub fn of(sm: u32) -> Self {
        match sm {
            Self::FIRST_MERCURY_SM.. => Self::Mercury,
            Self::FIRST_TRANSCODED_SM.. => Self::Transcoded,
            _ => Self::Legacy,
        }
    }
}

/// First SM with instructions of 128 bits.
const FIRST_WIDE_SM: u32 = 70;

/// Bytes of an instruction of native code: places in code are multiples of it. Observed: ptxas 13.0.88, all code of 679 cubins; earlier SMs by
/// the listings of cuobjdump.
pub const fn instruction_size(sm: u32) -> u64 {
    if sm >= FIRST_WIDE_SM { 16 } else { 8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sm_of_ptxas_13_0_has_its_generation() {
        for (generation, sms) in [
            (Generation::Legacy, &[75, 80, 86, 87, 88, 89][..]),
            (Generation::Transcoded, &[90]),
            (Generation::Mercury, &[100, 103, 110, 120, 121]),
        ] {
            assert!(sms.iter().all(|&sm| Generation::of(sm) == generation), "{generation:?}");
        }
        assert!(Generation::Legacy < Generation::Transcoded && Generation::Transcoded < Generation::Mercury);
    }

    // Maxwell's listings count 0x8, 0x10, 0x18; Volta's 0x0, 0x10, 0x20.
    #[test]
    fn instructions_have_128_bits_since_volta() {
        let sizes = [52, 62, 70, 75, 121].map(instruction_size);
        assert_eq!(sizes, [8, 8, 16, 16, 16]);
    }
}
