//! The messages about cubins without debug sections: those that were stripped, and those that may
//! be.

use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::code::Code;
use nv_debug_sections::cubin::{CodeLocation, Cubin};
use nv_debug_sections::level::detected::{is_bare, is_stripped};

/// What is to be said where a file lacks debug sections because it was stripped: of `kind`, or of
/// any.
pub(in crate::commands) fn stripped(cubin: &Cubin<'_>, kind: Option<SectionKind>) -> Option<&'static str> {
    let words = "debug sections were stripped; --debug-file or --debug-dir says where they are";
    is_stripped(cubin, kind).then_some(words)
}

fn bare(cubin: &Cubin<'_>) -> Option<&'static str> {
    is_bare(cubin).then_some(NO_DEBUG_SECTIONS)
}

/// Whether a file has no code, here or elsewhere, as nvlink puts one into each program. It misses
/// no debug sections.
pub(in crate::commands) fn is_without_code(cubin: &Cubin<'_>) -> bool {
    cubin.code_location() == CodeLocation::Here && Code::new(cubin).sections().is_empty()
}

/// [`stripped`] of `kind` or of any, else what is to be said of a file without debug sections that
/// shows no sign of what took them out. `None` if it has no code.
pub(in crate::commands) fn no_debug_sections(
    cubin: &Cubin<'_>,
    kind: Option<SectionKind>,
) -> Option<&'static str> {
    stripped(cubin, kind).or_else(|| bare(cubin)).filter(|_| !is_without_code(cubin))
}

/// Of a file without debug sections that may never have had any.
pub(in crate::commands) const NO_DEBUG_SECTIONS: &str = "no debug sections (stripped, or compiled without)";
