//! The differences between SM generations that matter to debug information.

/// A range of SMs whose files follow the same rules. A release decides which SMs these are
/// ([`Release::generation`](crate::release::Release::generation)).
///
/// Observed: ptxas 13.0.88, sm_75-sm_121 (docs/formats/container.md, generations of chips; SMs
/// below 75 are taken for [`PreMercury`](Self::PreMercury)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// Up to sm_89. Line tables are made from the code itself
    /// (docs/formats/line-tables.md, rows made from .loc), addends stand in the fields of REL
    /// sections (docs/formats/relocations.md, fields),
    /// shared variables start at 0, and the ELF layout is that of the earlier toolkits
    /// (docs/formats/container.md, layout).
    PreMercury,
    /// From sm_90 on. Code goes through Mercury, an intermediate form, which sm_90 files do not
    /// keep. Line tables are made from Mercury's (docs/formats/line-tables.md, rows from sm_90 on),
    /// sequences follow the symbol table (docs/formats/line-tables.md, sequences), every relocation
    /// is RELA with stale bytes in its field (docs/formats/relocations.md, fields), the system
    /// keeps the first 0x400 bytes of shared memory, and the ELF layout leaves room for Mercury
    /// names (docs/formats/container.md, layout).
    HiddenMercury,
    /// From sm_100 on. As [`HiddenMercury`](Self::HiddenMercury), and the file keeps its Mercury
    /// code and a `.nv.merc.` copy of each debug section (docs/formats/capsule.md, sections); the
    /// low byte of `e_flags` is 2 instead of 4 (docs/formats/container.md, file header).
    Mercury,
}

/// First SM with instructions of 128 bits.
const FIRST_WIDE_SM: u32 = 70;

/// Returns the bytes of a native instruction. Code offsets are multiples of it. Observed: ptxas
/// 13.0.88, all code of 679 cubins; earlier SMs by the listings of cuobjdump.
pub const fn instruction_size(sm: u32) -> u64 {
    if sm >= FIRST_WIDE_SM { 16 } else { 8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Maxwell's listings count 0x8, 0x10, 0x18; Volta's 0x0, 0x10, 0x20.
    #[test]
    fn instructions_have_128_bits_since_volta() {
        let sizes = [52, 62, 70, 75, 121].map(instruction_size);
        assert_eq!(sizes, [8, 8, 16, 16, 16]);
    }
}
