//! `.note.nv.tkinfo`: bytes -> notes, whose texts lie in the bytes.

use crate::support::decoded;
use nv_debug_sections::tkinfo;

/// Reads the notes of `data`.
///
/// # Panics
///
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
    for tool in decoded(data, tkinfo::decode(data)).into_iter().flatten() {
        for text in [tool.object, tool.tool, tool.version, tool.build, tool.options] {
            assert!(data.as_ptr_range().contains(&text.as_ptr()) || text.is_empty());
            assert!(!text.contains(&0));
        }
        let number = tool.version_number();
        assert!(number.is_none_or(|number| tool.version.ends_with(number.as_bytes())));
    }
}
