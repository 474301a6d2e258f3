//! `.nv_debug_info_reg_type`: bytes -> functions and register types -> the same bytes.

use crate::support::exact;
use nv_debug_sections::reg_type;

/// Decodes `data` and encodes what it says.
///
/// # Panics
///
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
    exact(data, reg_type::decode(data), |functions| reg_type::encode(functions));
}
