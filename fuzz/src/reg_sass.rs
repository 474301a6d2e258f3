//! Fuzz target: the bytes of `.nv_debug_info_reg_sass`. Functions and register ranges are written
//! again to the same bytes.

use crate::Target;
use crate::seeds::sections_of;
use crate::support::exact;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::reg_sass;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 100);
    target.run_on_damaged(30_000, &sections_of(&[SectionKind::NvDebugInfoRegSass]));
}

/// Decodes `data` and encodes what it says.
pub(crate) fn run(data: &[u8]) {
    exact(data, reg_sass::decode(data), |functions| reg_sass::encode(functions));
}
