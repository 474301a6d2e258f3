//! Fuzz target: a section of fatbins. Fatbins and entries ascend, and none lies in another.

use crate::Target;
use crate::seeds::files;
use nv_debug_sections::container::fatbin::Fatbins;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 200);
    target.run_on_damaged(20_000, &files("fatbin"));
}

/// Lists the fatbins of `data` and their entries.
pub(crate) fn run(data: &[u8]) {
    let mut end = 0;
    for fatbin in Fatbins::new(".nv_fatbin", data) {
        let Ok(fatbin) = fatbin.map_err(|error| assert!(error.offset() <= data.len() as u64, "{error}"))
        else {
            continue;
        };
        assert!(fatbin.offset() >= end);
        end = fatbin.offset() + 16;
        for entry in fatbin.entries().flatten() {
            assert!(entry.position.offset >= end);
            end = entry.position.offset + 64 + entry.stored().len() as u64;
        }
        assert!(end <= data.len() as u64);
    }
}
