//! The name of a file or image in an answer, and the facts that every answer about a cubin has.

use nv_debug_sections::cubin::{CodeLocation, Cubin};

/// The name of the file, or of the image in one, that a result is about.
#[derive(Debug, Clone, Default)]
pub struct InputName {
    /// The name that is shown for the file or image. As an operand of a command it selects this
    /// image alone.
    pub name: String,
    /// The archive member or source file that an image comes from, for the heading above its
    /// result; empty if it is not known. `None` if the result is the only one.
    pub origin: Option<String>,
    /// The end of the name that selects the image in its file, such as `sm_90:2`; `None` for the
    /// file itself.
    pub number: Option<String>,
}

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
