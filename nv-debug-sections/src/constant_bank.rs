//! Where kernel parameters lie in constant bank 0: the "address" of a parameter in debug information.

/// First byte of kernel parameters in constant bank 0, by the first SM it holds for.
///
/// sm_75 and later observed: ptxas 13.0.88 (FORMATS 4); earlier ones: `EIATTR_PARAM_CBANK` of cubins of older toolkits.
const PARAMETER_BASES: [(u32, u64); 4] = [(50, 0x140), (70, 0x160), (90, 0x210), (100, 0x380)];

/// Byte offset in constant bank 0 of a kernel's first parameter.
pub fn parameter_base(sm: u32) -> u64 {
    let known = PARAMETER_BASES.iter().rev().find(|(first, _)| sm >= *first);
    known.map_or(PARAMETER_BASES[0].1, |(_, base)| *base)
}
