//! Cubins whose debug sections were taken out.

use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::{Cubin, SymbolIndex};
use nv_debug_sections::level::found::Found;

/// What is to be said where a file lacks debug sections because it was stripped: of `kind`, or of any.
///
/// Symbols tell which ones there were; where they are gone too, `kind` may have been among them.
pub(in crate::commands) fn stripped(cubin: &Cubin<'_>, kind: Option<SectionKind>) -> Option<&'static str> {
    if Found::of(cubin).removed.is_empty() {
        return None;
    }
    let marks = (0..).map(SymbolIndex).zip(cubin.symbols()).filter(|(_, symbol)| symbol.marks_removed());
    let names = marks.map(|(index, _)| SectionName::parse(cubin.symbol_name(index)));
    let gone: Vec<SectionKind> =
        names.filter(SectionName::is_debug_contents).filter_map(|name| name.kind()).collect();
    let may_be_gone = gone.is_empty() || kind.is_none_or(|kind| gone.contains(&kind));
    may_be_gone.then_some("debug sections were stripped; --debug-file names a file that has them")
}
