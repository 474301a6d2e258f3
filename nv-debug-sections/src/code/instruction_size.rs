//! The size of a native instruction.

/// First SM with instructions of 128 bits.
pub(super) const FIRST_WIDE_SM: u32 = 70;

/// Returns the size of a native instruction in bytes. Code offsets are multiples of it. Observed:
/// ptxas 13.0.88, all code of 679 cubins; earlier SMs by the listings of cuobjdump.
pub const fn instruction_size(sm: u32) -> u64 {
    if sm >= FIRST_WIDE_SM { 16 } else { 8 }
}
