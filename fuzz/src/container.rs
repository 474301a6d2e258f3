//! A file -> its images: each lies in the file, and becomes no more than the limit; NVVM headers round-trip.

use nv_debug_sections::container::fatbin::Fatbins;
use nv_debug_sections::container::nvvm::Header;
use nv_debug_sections::container::{Container, Entry, FileKind, Flags};

/// How much a payload may grow here: enough for real code, and fast.
const MAX_EXPANSION: u64 = 100;

/// Lists `data` as a file and as a section of fatbins, and takes every image out.
///
/// # Panics
///
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
    nvvm(data);
    fatbins(data);
    match Container::parse(data) {
        Err(error) => assert!(error.section().len() + error.offset() as usize <= 2 * data.len() + 64),
        Ok(container) => {
            assert_eq!(FileKind::of(data), Some(container.kind()));
            let mut stored = 0;
            for entry in container.entries() {
                match entry {
                    Ok(entry) => stored += image(&entry),
                    Err(error) => assert!(error.offset() <= data.len() as u64, "{error}"),
                }
            }
            assert!(stored <= data.len());
        }
    }
}

/// Takes an image out; its size in the file.
fn image(entry: &Entry<'_>) -> usize {
    let stored = entry.stored().len();
    match entry.payload_within(MAX_EXPANSION) {
        Ok(payload) => {
            assert!(!entry.flags.has(Flags::OBFUSCATED));
            assert!(payload.len() as u64 <= entry.size());
            assert!(payload.len() as u64 <= stored as u64 * MAX_EXPANSION);
            if !entry.kind.is_text() {
                assert_eq!(payload.len() as u64, entry.size());
            }
        }
        Err(error) => {
            assert_eq!((error.section(), error.offset()), (&*entry.place.label(), entry.place.offset));
        }
    }
    let _ = (entry.debug_info(), entry.kind.name());
    stored
}

/// Fatbins ascend, and so do the entries of each, and none lies in another.
fn fatbins(data: &[u8]) {
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

fn nvvm(data: &[u8]) {
    match Header::decode(data) {
        Ok(header) => assert_eq!(header.encode().expect("what was decoded can be encoded"), data),
        Err(error) => assert!(error.offset() <= data.len() as u64, "{error}"),
    }
}
