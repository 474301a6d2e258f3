//! The facts about a cubin that every answer about it has.

use nv_debug_sections::cubin::{CodeLocation, Cubin};

/// The facts that every result about a cubin contains: its SM number, and where its machine code
/// is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CubinKind {
    /// The SM number of the cubin: 90 for sm_90.
    pub sm: u32,
    /// Where the machine code of the cubin is.
    pub code: CodeLocation,
}

impl From<&Cubin<'_>> for CubinKind {
    fn from(cubin: &Cubin<'_>) -> Self {
        Self { sm: cubin.header.sm(), code: cubin.code_location() }
    }
}
