//! Fuzz target: the header of NVVM IR. It is written again to the same bytes.

use crate::Target;
use crate::seeds::NVVM;
use nv_debug_sections::container::nvvm::Header;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 100);
    target.run_on_damaged(60_000, &[NVVM.to_vec()]);
}

/// Decodes `data` and encodes what it says.
pub(crate) fn run(data: &[u8]) {
    match Header::decode(data) {
        Ok(header) => assert_eq!(header.encode().expect("what was decoded can be encoded"), data),
        Err(error) => assert!(error.offset() <= data.len() as u64, "{error}"),
    }
}
