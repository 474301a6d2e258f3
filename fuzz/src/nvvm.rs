//! The header of NVVM IR: bytes -> header -> the same bytes.

use nv_debug_sections::container::nvvm::Header;

/// Decodes `data` and encodes what it says.
///
/// # Panics
///
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
    match Header::decode(data) {
        Ok(header) => assert_eq!(header.encode().expect("what was decoded can be encoded"), data),
        Err(error) => assert!(error.offset() <= data.len() as u64, "{error}"),
    }
}
