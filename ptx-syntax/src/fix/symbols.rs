//! Repairs of names with dots.

use std::collections::HashSet;

use super::data::other_values;
use super::{Edit, FixSelection};
use crate::dotted_names::{DeclaredNames, MangledNames, dotted_symbol, is_section_name, whole_name};
use crate::error::SyntaxErrorKind;
use crate::parser::Parsed;
use crate::text_range::TextRange;
use crate::value::ValueKind;

/// A name with dots gets the declared name that [`crate::check`] takes it for. Where it is declared
/// with its dots itself, it gets a new name wherever it stands, but for kernels and functions: a
/// host or another module looks these up by their names.
pub(super) fn mangle(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let mangled = MangledNames::of(parsed);
    let renamed = mangled.iter().filter(|word| !word.is_function);
    let mut edits: Vec<Edit> = renamed.map(|word| Edit::new(word.range, &*word.name)).collect();
    let found = dotted(parsed);
    if found.is_empty() {
        return edits;
    }
    let names = DeclaredNames::new(&parsed.module);
    let others = found.iter().filter(|range| mangled.at(**range).is_none());
    edits.extend(others.filter_map(|&range| {
        let name = names.meant(range.slice(parsed.module.text))?;
        Some(Edit::new(range, name))
    }));
    edits.sort_by_key(|edit| edit.range);
    edits
}

/// Names with dots that the parser stumbled over, and those in sections that begin with one,
/// ascending and disjoint.
fn dotted(parsed: &Parsed<'_>) -> Vec<TextRange> {
    let text = parsed.module.text;
    let mut found: Vec<TextRange> = Vec::new();
    for error in &parsed.errors {
        let stumbled = matches!(error.kind, SyntaxErrorKind::Expected { .. });
        let seen = found.last().is_some_and(|last| error.range.start < last.end);
        if stumbled && !seen && error.range.slice(text).starts_with('.') {
            found.extend(dotted_symbol(text, error.range));
        }
    }
    let sections: HashSet<&str> = parsed.module.sections().map(|section| section.name.text).collect();
    let in_sections = parsed.module.sections().flat_map(other_values);
    found.extend(in_sections.filter_map(|value| match value.kind {
        ValueKind::Symbol { name, .. }
            if name.text.starts_with('.') && !is_section_name(name.text) && !sections.contains(name.text) =>
        {
            Some(whole_name(text, name.range))
        }
        _ => None,
    }));
    found.sort_unstable();
    found.dedup();
    found
}
