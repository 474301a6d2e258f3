//! The value of `--arch` where it chooses images.

use nv_debug_sections::arch::is_arch_name;

/// Expects the name of an architecture.
///
/// # Errors
///
/// It is not such a name.
pub(in crate::commands) fn parse_arch(text: &str) -> Result<String, String> {
    let expected = "expected sm_ and a number, such as sm_90 or sm_90a (also for PTX and LTO IR)";
    if is_arch_name(text) { Ok(text.to_owned()) } else { Err(expected.to_owned()) }
}
