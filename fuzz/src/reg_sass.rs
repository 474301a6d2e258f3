//! `.nv_debug_info_reg_sass`: bytes -> functions and register ranges -> the same bytes.

use crate::support::exact;
use nv_debug_sections::reg_sass;

/// Decodes `data` and encodes what it says.
///
/// # Panics
///
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
    exact(data, reg_sass::decode(data), |functions| reg_sass::encode(functions));
}
