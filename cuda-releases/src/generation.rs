//! The differences between SM generations that matter to debug information.

use std::ops::RangeInclusive;

/// A range of SM numbers whose cubins follow the same rules. The borders are the same in all
/// releases.
///
/// Observed: ptxas 11.7.99 to 13.5.37, sm_50-sm_121 (docs/formats/container.md, generations of
/// chips).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// The SMs up to sm_89. Line tables are made from the code itself (docs/formats/line-tables.md,
    /// rows made from .loc), addends stand in the fields of REL sections
    /// (docs/formats/relocations.md, fields), shared variables start at 0, and the ELF layout is
    /// that of the earlier toolkits (docs/formats/container.md, layout).
    PreMercury,
    /// The SMs from sm_90 to sm_99. Code goes through Mercury, an intermediate form that the file
    /// does not keep. Line tables are made from those of the Mercury code
    /// (docs/formats/line-tables.md, rows from sm_90 on), sequences follow the symbol table
    /// (docs/formats/line-tables.md, sequences), every relocation is RELA with stale bytes in its
    /// field (docs/formats/relocations.md, fields), the system keeps the first 0x400 bytes of
    /// shared memory, and the ELF layout leaves room for Mercury names (docs/formats/container.md,
    /// layout).
    HiddenMercury,
    /// The SMs from sm_100 on. The rules are those of [`HiddenMercury`](Self::HiddenMercury), and
    /// the file keeps its Mercury code and a `.nv.merc.` copy of each debug section
    /// (docs/formats/capsule.md, sections); the low byte of `e_flags` is 2 instead of 4
    /// (docs/formats/container.md, file header).
    Mercury,
}

impl Generation {
    /// Returns the generation of an SM, given by its number: 75 for sm_75.
    pub const fn of_sm(sm: u32) -> Self {
        match sm {
            0..90 => Self::PreMercury,
            90..100 => Self::HiddenMercury,
            100.. => Self::Mercury,
        }
    }

    /// The range of SM numbers of the generation. Not every number in it is a chip.
    pub const fn sms(self) -> RangeInclusive<u32> {
        match self {
            Self::PreMercury => 0..=89,
            Self::HiddenMercury => 90..=99,
            Self::Mercury => 100..=u32::MAX,
        }
    }
}
