//! Whether a section belongs to debug information.

use super::native_rows;

/// Whether a native section belongs to debug information, by its name: `.debug_*`, `.nv_debug_*`
/// and `.nv_debug.shared`, known or not.
pub fn is_debug_section(name: &str) -> bool {
    native_rows().any(|row| row.matches_name(name))
}
