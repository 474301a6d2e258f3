//! Fixed places of NVIDIA's address spaces that debug information refers to.

/// First byte of kernel parameters in constant bank 0, by the first SM it holds for.
///
/// sm_75 and later observed: ptxas 13.0.88 (FORMATS 4); earlier ones: `EIATTR_PARAM_CBANK` of cubins of older toolkits.
const PARAMETER_BASES: [(u32, u64); 4] = [(50, 0x140), (70, 0x160), (90, 0x210), (100, 0x380)];

/// Byte offset in constant bank 0 of a kernel's first parameter.
pub fn parameter_base(sm: u32) -> u64 {
    let known = PARAMETER_BASES.iter().rev().find(|(first, _)| sm >= *first);
    known.map_or(PARAMETER_BASES[0].1, |(_, base)| *base)
}

/// First SM that keeps the start of the shared window for itself.
const FIRST_RESERVING_SM: u32 = 90;

/// Bytes at the start of the shared window that the system keeps: the offset of the first shared variable.
///
/// Observed: ptxas 13.0.88, 0 on sm_75-sm_89, 0x400 on sm_90 and later (FORMATS 4).
pub fn shared_window_reserve(sm: u32) -> u64 {
    if sm >= FIRST_RESERVING_SM { 0x400 } else { 0 }
}
