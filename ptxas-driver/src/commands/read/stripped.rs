//! Cubins without debug sections: those that were stripped, and those that may be.

use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::{Cubin, SymbolIndex};
use nv_debug_sections::level::found::removed_sections;

/// What is to be said where a file lacks debug sections because it was stripped: of `kind`, or of any.
///
/// Symbols tell which ones there were; where they are gone too, `kind` may have been among them.
pub(in crate::commands) fn stripped(cubin: &Cubin<'_>, kind: Option<SectionKind>) -> Option<&'static str> {
    if removed_sections(cubin).is_empty() {
        return None;
    }
    let marks = (0..).map(SymbolIndex).zip(cubin.symbols()).filter(|(_, symbol)| symbol.is_local_undefined());
    let names = marks.map(|(index, _)| SectionName::parse(cubin.symbol_name(index)));
    let gone: Vec<SectionKind> =
        names.filter(SectionName::is_debug_contents).filter_map(|name| name.kind()).collect();
    let may_be_gone = gone.is_empty() || kind.is_none_or(|kind| gone.contains(&kind));
    may_be_gone.then_some("debug sections were stripped; --debug-file names a file that has them")
}

/// What is to be said of a file without debug sections that shows no sign of what took them out.
pub(in crate::commands) fn bare(cubin: &Cubin<'_>) -> Option<&'static str> {
    let has_debug = cubin.iter().any(|(_, name, _)| SectionName::parse(name).is_debug());
    (!has_debug && removed_sections(cubin).is_empty()).then_some(NO_DEBUG_SECTIONS)
}

/// [`stripped`] of any kind, else [`bare`].
pub(in crate::commands) fn no_debug_sections(cubin: &Cubin<'_>) -> Option<&'static str> {
    stripped(cubin, None).or_else(|| bare(cubin))
}

/// Of a file without debug sections that may never have had any.
pub(in crate::commands) const NO_DEBUG_SECTIONS: &str = "no debug sections (stripped, or compiled without)";
