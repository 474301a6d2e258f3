//! A section of fatbins -> fatbins -> entries: they ascend, and none lies in another.

use nv_debug_sections::container::fatbin::Fatbins;

/// Lists the fatbins of `data` and their entries.
///
/// # Panics
///
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
    let mut end = 0;
    for fatbin in Fatbins::new(".nv_fatbin", data) {
        let Ok(fatbin) = fatbin.map_err(|error| assert!(error.offset() <= data.len() as u64, "{error}"))
        else {
            continue;
        };
        assert!(fatbin.offset() >= end);
        end = fatbin.offset() + 16;
        for entry in fatbin.entries().flatten() {
            assert!(entry.place.offset >= end);
            end = entry.place.offset + 64 + entry.stored().len() as u64;
        }
        assert!(end <= data.len() as u64);
    }
}
