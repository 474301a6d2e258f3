//! The name of a file or image in an answer, and the facts that every answer about a cubin has.

use nv_debug_sections::cubin::{CodeLocation, Cubin};

/// The name of the file, or of the image in one, that a result is about.
#[derive(Debug, Clone, Default)]
pub struct InputName {
    /// The name to show; by it an operand chooses the image alone.
    pub name: String,
    /// Where it is from, for the heading of one of several; `None` for the only one.
    pub origin: Option<String>,
    /// The end of the name that chooses the image in its file, such as `sm_90:2`; `None` for the
    /// file itself.
    pub number: Option<String>,
}

/// The facts about a cubin that every result about it has: its SM number, and where its machine
/// code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CubinKind {
    /// SM number: 90 for sm_90.
    pub sm: u32,
    /// Where the machine code is.
    pub code: CodeLocation,
}

impl From<&Cubin<'_>> for CubinKind {
    fn from(cubin: &Cubin<'_>) -> Self {
        Self { sm: cubin.header.sm(), code: cubin.code_location() }
    }
}
