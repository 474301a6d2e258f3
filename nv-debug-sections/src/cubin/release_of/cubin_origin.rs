//! The architecture and the release of a cubin, as answers show them.

use super::ReleaseSource;
use schemars::JsonSchema;
use serde::Serialize;

/// The architecture, the ABI version and the release of a cubin, as answers show them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CubinOrigin {
    /// The architecture that the code was compiled for, with its suffix if the file tells it:
    /// `sm_90a`.
    pub arch: String,
    /// `EI_ABIVERSION` of the ELF header: 7 or 8.
    pub abi_version: u8,
    /// The toolkit release by whose rules the file is read: `13.0`.
    pub release: &'static str,
    /// How the release is known.
    pub release_source: ReleaseSource,
}
