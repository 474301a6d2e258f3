//! Repairs of `debug` in `.target`, and of the section that it requires.

use super::edit::line_end;
use super::{Edit, FixSelection};
use crate::header::TargetDirective;
use crate::lexer::{Lexer, TokenKind};
use crate::module::{Item, Module};
use crate::parser::Parsed;
use crate::text_range::TextRange;

/// Whether there is what `debug` asks for.
fn has_section(module: &Module<'_>) -> bool {
    module.items.iter().any(|item| matches!(item, Item::Section(_) | Item::AtDwarf(_)))
}

pub(super) fn drop_debug(parsed: &Parsed<'_>, fixes: &FixSelection) -> Vec<Edit> {
    if has_section(&parsed.module) { Vec::new() } else { remove_debug(parsed, fixes) }
}

/// Takes out each `, debug`, and a `.target debug` after the first `.target`, which has an
/// architecture first.
pub(super) fn remove_debug(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let module = &parsed.module;
    let is_alone =
        |target: &&TargetDirective<'_>| matches!(&*target.specifiers, [word] if word.text == "debug");
    let mut edits: Vec<_> =
        module.targets().skip(1).filter(is_alone).map(|target| Edit::new(target.range, "")).collect();
    for pair in module.targets().flat_map(|target| target.specifiers.windows(2)) {
        let [before, word] = pair else { continue };
        let comma = Lexer::new(module.text, before.range.end).next_significant();
        if word.text != "debug" || comma.kind != TokenKind::Comma {
            continue;
        }
        let between = TextRange::new(comma.range.end, word.range.start);
        if between.slice(module.text).trim().is_empty() {
            edits.push(Edit::new(TextRange::new(comma.range.start, word.range.end), ""));
        } else {
            edits.extend([comma.range, word.range].map(|range| Edit::new(range, "")));
        }
    }
    edits
}

pub(super) fn add_debug(parsed: &Parsed<'_>, fixes: &FixSelection) -> Vec<Edit> {
    let module = &parsed.module;
    let last = module.target().and_then(|target| target.specifiers.last());
    let Some(last) = last.filter(|_| !module.is_debug() && !fixes.takes_debug_out()) else {
        return Vec::new();
    };
    let mut edits = vec![Edit::insert(last.range.end, ", debug")];
    if !has_section(module) {
        if !parsed.errors.is_empty() {
            return Vec::new(); // where the text ends a section may not begin
        }
        edits.push(empty_section(module.text));
    }
    edits
}

pub(super) fn add_section(parsed: &Parsed<'_>, fixes: &FixSelection) -> Vec<Edit> {
    let module = &parsed.module;
    if !module.is_debug() || has_section(module) || fixes.takes_debug_out() || !parsed.errors.is_empty() {
        return Vec::new();
    }
    vec![empty_section(module.text)]
}

/// What clang writes to the same end.
fn empty_section(text: &str) -> Edit {
    let end = line_end(text);
    let before = if text.is_empty() || text.ends_with('\n') { "" } else { end };
    Edit::insert(text.len() as u32, format!("{before}.section .debug_loc{end}{{{end}}}{end}"))
}
