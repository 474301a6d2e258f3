//! The bytes of shared memory that the system keeps.

use crate::generation::Generation;
use crate::release::Target;

/// Returns how many bytes at the start of the shared window the system keeps. The first shared
/// variable has this offset.
///
/// Observed: ptxas 13.0.88, 0 on sm_75-sm_89, 0x400 on sm_90 and later
/// (docs/formats/relocations.md, what a name in PTX becomes).
pub fn shared_window_reserve(target: Target) -> u64 {
    if target.generation() >= Generation::HiddenMercury { 0x400 } else { 0 }
}
