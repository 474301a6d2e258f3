//! The first difference of a section, in words.

use crate::commands::dump::{self, Source};
use nv_debug_sections::cubin::{Cubin, Relocation, SectionIndex};

/// The first thing that our section says otherwise than theirs.
pub(super) fn first_difference(
    (ours, ours_at): (&Cubin<'_>, Option<SectionIndex>),
    (theirs, theirs_at): (&Cubin<'_>, SectionIndex),
) -> String {
    let Some(ours_at) = ours_at else { return "ours has no such section".to_owned() };
    let (our_words, their_words) = (words(ours, ours_at), words(theirs, theirs_at));
    let first = our_words.iter().zip(&their_words).position(|(a, b)| a != b);
    let first = first.unwrap_or(our_words.len().min(their_words.len()));
    let line = |words: &[String]| {
        words.get(first).map_or_else(|| "nothing more".to_owned(), |line| line.trim().to_owned())
    };
    if first < our_words.len().max(their_words.len()) {
        return format!("line {}: ours `{}`, ptxas' `{}`", first + 1, line(&our_words), line(&their_words));
    }
    let (a, b) = (ours.bytes(ours_at).unwrap_or_default(), theirs.bytes(theirs_at).unwrap_or_default());
    format!("{}, and means the same", first_byte(&a, &b))
}

/// Where bytes differ first.
pub(super) fn first_byte(a: &[u8], b: &[u8]) -> String {
    let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
    format!("byte {at:#x} is other")
}

/// A section as `dump` shows it, without the line that has its size; of relocations one line each.
fn words(cubin: &Cubin<'_>, index: SectionIndex) -> Vec<String> {
    let Ok(section) = cubin.section(index) else { return Vec::new() };
    if let Some(relocations) = section.relocations() {
        let table = SectionIndex(section.link);
        let word = |relocation: &Relocation| {
            let symbol = cubin.symbol_name_in(table, relocation.symbol);
            let addend = relocation.addend.map_or(String::new(), |addend| format!("{addend:+#x}"));
            format!("{:#x}: type {:#x} {symbol}{addend}", relocation.offset, relocation.r_type)
        };
        return relocations.iter().map(word).collect();
    }
    let source = Source::new(cubin, None, None);
    let opened = source.open(index);
    dump::words(&source.decode(&opened)).into_iter().skip(1).collect()
}
