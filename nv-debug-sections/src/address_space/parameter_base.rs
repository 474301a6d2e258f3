//! The address of a kernel's first parameter.

use crate::generation::Generation;
use crate::release::Target;

/// First SM whose kernel parameters begin at 0x160.
pub(super) const VOLTA: u32 = 70;

/// Returns the byte offset of a kernel's first parameter in constant bank 0.
///
/// sm_75 and later observed: ptxas 13.0.88
/// (docs/formats/relocations.md, what a name in PTX becomes); earlier ones: `EIATTR_PARAM_CBANK` of
/// cubins of older toolkits.
pub fn parameter_base(target: Target) -> u64 {
    match target.generation() {
        Generation::Mercury => 0x380,
        Generation::HiddenMercury => 0x210,
        Generation::PreMercury if target.sm >= VOLTA => 0x160,
        Generation::PreMercury => 0x140,
    }
}
