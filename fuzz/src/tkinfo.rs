//! Fuzz target: the bytes of `.note.nv.tkinfo`. The texts of its notes lie in the bytes.

use crate::Target;
use crate::seeds::sections_where;
use crate::support::decoded;
use nv_debug_sections::tkinfo;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 100);
    let notes = sections_where(|name, _| name == tkinfo::NAME);
    target.run_on_damaged(30_000, &notes);
}

/// Reads the notes of `data`.
pub(crate) fn run(data: &[u8]) {
    for tool in decoded(data, tkinfo::decode(data)).into_iter().flatten() {
        for text in [tool.object, tool.tool, tool.version, tool.build, tool.options] {
            assert!(data.as_ptr_range().contains(&text.as_ptr()) || text.is_empty());
            assert!(!text.contains(&0));
        }
        let number = tool.version_number();
        assert!(number.is_none_or(|number| tool.version.ends_with(number.as_bytes())));
    }
}
