//! Fuzz target: a host program, an object, an archive or a loose fatbin. The images that it holds
//! lie in the file.
//!
//! Payloads have the size of their headers and stay within the limit. Faults lie in the file.

use crate::Target;
use crate::seeds::containers;
use nv_debug_sections::container::{Container, Entry, FileKind, Flags};

/// How much a payload may grow here: enough for real code, and fast.
const MAX_EXPANSION: u64 = 100;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 200);
    target.run_on_damaged(20_000, &containers());
}

/// Lists the images of `data` and takes every one out.
pub(crate) fn run(data: &[u8]) {
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
            assert_eq!((error.section(), error.offset()), (&*entry.position.label(), entry.position.offset));
        }
    }
    let _ = (entry.debug_info(), entry.kind.name());
    stored
}
