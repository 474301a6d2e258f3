//! The versions in the header of NVVM IR.

use super::nvvm::{Compatibility, Header, Version, debug_compatibility};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// The versions in the header of NVVM IR.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct IrVersions {
    /// The version of the container.
    container_version: String,
    /// The version of NVVM IR.
    ir_version: String,
    /// The version of the debug metadata.
    debug_version: String,
    /// The version of LLVM that it follows, such as `3.2`.
    llvm_version: String,
    /// Whether tools of 13.0.88 read the debug metadata: its major number is 3.
    debug_compatible: bool,
    #[serde(skip)]
    debug: Version,
}

impl IrVersions {
    pub(super) fn new(header: &Header<'_>) -> Self {
        Self {
            container_version: header.container_version.to_string(),
            ir_version: header.ir_version.to_string(),
            debug_version: header.debug_version.to_string(),
            llvm_version: header.llvm_version.to_string(),
            debug_compatible: debug_compatibility(Some(header.debug_version)) != Compatibility::Incompatible,
            debug: header.debug_version,
        }
    }

    /// Returns the version of the debug metadata, and whether the tools of 13.0.88 can read it.
    pub fn debug(&self) -> (Version, Compatibility) {
        (self.debug, debug_compatibility(Some(self.debug)))
    }
}

impl fmt::Display for IrVersions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ir_version, debug_version, llvm_version, .. } = self;
        write!(f, "NVVM IR {ir_version}, debug metadata {debug_version}, LLVM {llvm_version}")
    }
}
