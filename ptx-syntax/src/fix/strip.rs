//! The repair that removes debug text.

use super::inlined_names::{drop_other_strings, function_names, holds_any, is_strings};
use super::target::remove_debug;
use super::{Edit, FixSelection, inlined_locs, inlining, intermediate, versions};
use crate::check::{RuleId, gate_of};
use crate::module::{Item, Module};
use crate::parser::Parsed;
use crate::section::SectionBlock;
use crate::statement::Statement;
use crate::text_range::TextRange;

pub(super) fn all(parsed: &Parsed<'_>, fixes: &FixSelection) -> Vec<Edit> {
    let mut strip = Strip::new(parsed, fixes);
    for item in &parsed.module.items {
        match item {
            Item::File(_) | Item::Section(_) | Item::AtDwarf(_) => strip.take(item.range()),
            // `.loc` outside of functions is an error, but no less debug text.
            Item::Unknown(range) if is_loc(range.slice(strip.text)) => strip.take(*range),
            _ => {}
        }
    }
    for statement in statements(&parsed.module) {
        if matches!(statement, Statement::Loc(_) | Statement::File(_) | Statement::Section(_)) {
            strip.take(statement.range());
        }
    }
    for range in intermediate::ranges(parsed) {
        strip.take(range);
    }
    strip.edits
}

pub(super) fn to_lines(parsed: &Parsed<'_>, fixes: &FixSelection) -> Vec<Edit> {
    let mut strip = Strip::new(parsed, fixes);
    let names = function_names(&parsed.module);
    let of_bodies = statements(&parsed.module).filter_map(|statement| match statement {
        Statement::Section(section) => Some(&**section),
        _ => None,
    });
    let of_module = parsed.module.items.iter().filter_map(|item| match item {
        Item::Section(section) => Some(section),
        _ => None,
    });
    let sections = of_module.chain(of_bodies);
    let (kept, mut stripped): (Vec<&SectionBlock<'_>>, Vec<_>) =
        sections.partition(|section| holds_any(section, &names) || !names.is_empty() && is_strings(section));
    let inlined = inlined_locs::edits(parsed, kept.iter().copied());
    let is_too_old = || {
        let least = gate_of(RuleId::GateInline).and_then(|gate| gate.enforced);
        versions::version(&parsed.module).zip(least).is_some_and(|(version, least)| version < least)
    };
    // Calls that only entries have raise the version; without them it stays, and what it is too old
    // for goes.
    if !names.is_empty() && inlined.is_empty() && is_too_old() {
        strip.edits.extend(inlining::attributes(parsed));
        stripped.extend(kept);
    } else {
        strip.edits.extend(drop_other_strings(&parsed.module, &kept));
    }
    for section in stripped {
        strip.take(section.range);
    }
    for item in &parsed.module.items {
        if let Item::AtDwarf(line) = item {
            strip.take(line.range);
        }
    }
    strip.edits.extend(inlined);
    strip.edits
}

/// Whether a text begins with a `.loc`, and not with a longer word.
fn is_loc(text: &str) -> bool {
    text.strip_prefix(".loc").is_some_and(|rest| !rest.starts_with('_'))
}

fn statements<'m, 'a>(module: &'m Module<'a>) -> impl Iterator<Item = &'m Statement<'a>> {
    module.functions().filter_map(|function| function.body.as_ref()).flat_map(|body| &body.statements)
}

struct Strip<'a> {
    text: &'a str,
    edits: Vec<Edit>,
}

impl<'a> Strip<'a> {
    fn new(parsed: &Parsed<'a>, fixes: &FixSelection) -> Self {
        Self { text: parsed.module.text, edits: remove_debug(parsed, fixes) }
    }

    fn take(&mut self, range: TextRange) {
        self.edits.push(Edit::delete(self.text, range));
    }
}
