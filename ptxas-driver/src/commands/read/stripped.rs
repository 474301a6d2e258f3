//! Cubins whose debug sections were taken out.

use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::level::found::Found;

/// What is to be said where a file lacks debug sections because it was stripped: of `kind`, or of any.
///
/// Where all are gone and no symbol tells which there were, `kind` may have been among them.
pub(in crate::commands) fn stripped(cubin: &Cubin<'_>, kind: Option<SectionKind>) -> Option<&'static str> {
    let removed = Found::of(cubin).removed;
    let is_any = removed == [SectionKind::DebugFrame] || kind.is_none_or(|kind| removed.contains(&kind));
    (!removed.is_empty() && is_any)
        .then_some("debug sections were stripped; --debug-file names a file that has them")
}
