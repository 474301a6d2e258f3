//! Fuzz target: the bytes of `.nv_debug_info_reg_type`. Functions and register types are written
//! again to the same bytes.

use crate::Target;
use crate::seeds::sections_of;
use crate::support::exact;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::reg_type;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 100);
    target.run_on_damaged(30_000, &sections_of(&[SectionKind::NvDebugInfoRegType]));
}

/// Decodes `data` and encodes what it says.
pub(crate) fn run(data: &[u8]) {
    exact(data, reg_type::decode(data), |functions| reg_type::encode(functions));
}
