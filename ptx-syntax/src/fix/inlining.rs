//! Repairs of `function_name` and `inlined_at`.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use super::data::other_values;
use super::edit::{is_faulty, line_end};
use super::inlined_names::{function_names, holds_any};
use super::{Edit, FixSelection};
use crate::check::RuleId;
use crate::lexer::{Lexer, TokenKind};
use crate::limits::{MAX_CALL_CHAIN, MAX_COLUMNS};
use crate::loc::{InlinedAt, LocDirective};
use crate::module::{Item, Module};
use crate::parser::Parsed;
use crate::section::DataItem;
use crate::section::SectionBlock;
use crate::statement::Statement;
use crate::text_range::TextRange;
use crate::value::ValueKind;

/// The rules whose findings go with the attributes.
pub(super) const RULES: &[RuleId] = &[
    RuleId::GateSectionLabel,
    RuleId::GateInline,
    RuleId::CallSiteUnseen,
    RuleId::NameUnresolved,
    RuleId::NamesMissing,
    RuleId::InlinedCallCrash,
];

/// Takes the attributes out, and the names that nothing refers to then.
pub(super) fn drop_attributes(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let module = &parsed.module;
    let mut edits = attributes(parsed);
    // With `@@DWARF` nobody knows which lines are of a section.
    if !edits.is_empty() && !module.items.iter().any(|item| matches!(item, Item::AtDwarf(_))) {
        names(module, &mut edits);
    }
    edits
}

/// Takes the attributes out of each `.loc`.
pub(super) fn attributes(parsed: &Parsed<'_>) -> Vec<Edit> {
    let text = parsed.module.text;
    let mut edits = Vec::new();
    for body in parsed.module.functions().filter_map(|function| function.body.as_ref()) {
        for statement in &body.statements {
            let Statement::Loc(loc) = statement else { continue };
            if let Some(at) =
                loc.inlined_at.as_deref().filter(|_| !is_faulty(&parsed.errors, text, loc.range))
            {
                edits.push(Edit::new(TextRange::new(numbers_end(text, loc), at.range.end), ""));
            }
        }
    }
    edits
}

/// The end of `.loc FILE LINE COLUMN`.
fn numbers_end(text: &str, loc: &LocDirective<'_>) -> u32 {
    let mut lexer = Lexer::new(text, loc.range.start);
    [(); 4].map(|()| lexer.next_significant().range.end)[3]
}

/// The sections of the names of inlined functions; of those that something else may use, the labels
/// only that nothing else names.
fn names(module: &Module<'_>, edits: &mut Vec<Edit>) {
    let functions = function_names(module);
    let mut used: HashSet<&str> = HashSet::new();
    for value in module.sections().flat_map(other_values) {
        match value.kind {
            ValueKind::Symbol { name, .. } => used.extend([name.text]),
            ValueKind::Difference { left, right } => used.extend([left.text, right.text]),
            ValueKind::Integer(_) => {}
        }
    }
    // An offset into `.debug_str` may be written as a number.
    let has_entries = module.sections().any(|section| section.name.text == ".debug_info");
    let is_label_used =
        |item: DataItem<'_>| matches!(item, DataItem::Label(label) if used.contains(label.text));
    let is_used = |section: &SectionBlock<'_>| {
        has_entries || used.contains(section.name.text) || section.items().any(is_label_used)
    };
    let is_whole = |section: &SectionBlock<'_>| !section.close.is_empty();
    let goes =
        |section: &SectionBlock<'_>| is_whole(section) && holds_any(section, &functions) && !is_used(section);
    // ptxas refuses `debug` without a section.
    let mut one_stays = module.is_debug() && module.sections().all(goes);
    for section in module.sections().filter(|section| is_whole(section) && holds_any(section, &functions)) {
        if goes(section) {
            let content = TextRange::new(section.open.end, section.close.start);
            edits.push(if one_stays {
                Edit::new(content, line_end(module.text))
            } else {
                Edit::delete(module.text, section.range)
            });
            one_stays = false;
            continue;
        }
        for item in section.items() {
            let DataItem::Label(label) = item else { continue };
            let colon = Lexer::new(module.text, label.range.end).next_significant();
            if colon.kind == TokenKind::Colon && !used.contains(label.text) {
                let range = TextRange::new(label.range.start, colon.range.end);
                edits.push(Edit::delete(module.text, range));
            }
        }
    }
}

/// Writes the `.loc` of each call site that none before has, before the first that is inlined
/// there.
pub(super) fn insert_call_sites(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let text = parsed.module.text;
    let mut edits = Vec::new();
    let mut seen: HashSet<Place> = HashSet::new();
    for body in parsed.module.functions().filter_map(|function| function.body.as_ref()) {
        let locs: Vec<&LocDirective<'_>> = body
            .statements
            .iter()
            .filter_map(|statement| match statement {
                Statement::Loc(loc) => Some(loc),
                _ => None,
            })
            .collect();
        if locs.iter().all(|loc| loc.inlined_at.is_none()) {
            seen.extend(locs.iter().map(|loc| Place::of(loc)));
            continue;
        }
        let places = Places::new(&locs);
        for (index, loc) in locs.iter().enumerate() {
            if let Some(at) = loc.inlined_at.as_deref()
                && !is_faulty(&parsed.errors, text, loc.range)
            {
                let lines = places.missing(Place::of_call(at), index, &mut seen);
                if !lines.is_empty() {
                    let between = format!("{}{}", line_end(text), indent(text, loc.range.start));
                    let lines: String = lines.into_iter().map(|line| line + &between).collect();
                    edits.push(Edit::insert(loc.range.start, lines));
                }
            }
            seen.insert(Place::of(loc));
        }
    }
    edits
}

fn loc_text(place: Place, caller: Option<&InlinedAt<'_>>) -> String {
    let Some(at) = caller else { return format!(".loc {place}") };
    let (name, site) = (at.function_name.text, Place::of_call(at));
    let offset = if at.name_offset == 0 { String::new() } else { format!("+{}", at.name_offset) };
    format!(".loc {place}, function_name {name}{offset}, inlined_at {site}")
}

/// The blanks before a directive that begins its line.
fn indent(text: &str, at: u32) -> &str {
    let line = text.get(..at as usize).and_then(|before| before.rsplit('\n').next());
    line.filter(|line| line.bytes().all(|b| matches!(b, b' ' | b'\t'))).unwrap_or("")
}

/// File, line and column, in the bits that ptxas compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Place {
    file: u16,
    line: u32,
    column: u32,
}

impl Place {
    fn new(file: u64, line: u64, column: u64) -> Self {
        Self { file: file as u16, line: line as u32, column: column as u32 }
    }

    fn of(loc: &LocDirective<'_>) -> Self {
        Self::new(loc.file, loc.line, loc.column)
    }

    fn of_call(at: &InlinedAt<'_>) -> Self {
        Self::new(at.file, at.line, at.column)
    }

    fn with_column(self, column: u32) -> Self {
        Self { column, ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.file, self.line, self.column)
    }
}

/// The `.loc` of a function by their places.
struct Places<'l, 'a> {
    locs: &'l [&'l LocDirective<'a>],
    /// The indices of the `.loc` of each place, ascending.
    by_place: BTreeMap<Place, Vec<usize>>,
}

impl<'l, 'a> Places<'l, 'a> {
    fn new(locs: &'l [&'l LocDirective<'a>]) -> Self {
        let mut by_place: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
        for (index, loc) in locs.iter().enumerate() {
            by_place.entry(Place::of(loc)).or_default().push(index);
        }
        Self { locs, by_place }
    }

    /// The `.loc` to write before the one of an index, so that its call site and those of that one
    /// have been seen: the outermost first.
    fn missing(&self, site: Place, index: usize, seen: &mut HashSet<Place>) -> Vec<String> {
        let mut chain: Vec<(Place, Option<&InlinedAt<'a>>)> = Vec::new();
        let mut next = Some(site);
        while let Some(place) = next.filter(|place| !seen.contains(place)) {
            // A call through itself ends, and so does a chain without end.
            if chain.len() == MAX_CALL_CHAIN || chain.iter().any(|&(before, _)| before == place) {
                chain.last_mut().into_iter().for_each(|(_, caller)| *caller = None);
                break;
            }
            let caller = self.inlined_at(place, index);
            chain.push((place, caller));
            next = caller.map(Place::of_call);
        }
        seen.extend(chain.iter().map(|&(place, _)| place));
        chain.into_iter().rev().map(|(place, caller)| loc_text(place, caller)).collect()
    }

    /// The call through which the code of a place was inlined, by what the function says of the
    /// same place, of its line, or of the lines before and after it, if both say the same.
    fn inlined_at(&self, place: Place, index: usize) -> Option<&'l InlinedAt<'a>> {
        let of_place = |place| Self::nearest(self.by_place.get(&place)?, index);
        let line = place.with_column(0)..=place.with_column(u32::MAX);
        let of_line = || {
            let columns = self.by_place.range(line.clone()).take(MAX_COLUMNS);
            let nearest = columns.filter_map(|(_, indices)| Self::nearest(indices, index));
            nearest.min_by_key(|&found| found.abs_diff(index))
        };
        let attributes = |found: usize| self.locs.get(found).and_then(|loc| loc.inlined_at.as_deref());
        if let Some(found) = of_place(place).or_else(of_line) {
            return attributes(found);
        }
        let file = Place { line: 0, ..place }.with_column(0);
        let end = Place { line: u32::MAX, ..place }.with_column(u32::MAX);
        let before = self.by_place.range(file..*line.start()).next_back();
        let after = self.by_place.range(*line.end()..=end).next();
        let [before, after] = [before, after]
            .map(|found| found.and_then(|(_, indices)| Self::nearest(indices, index)).and_then(attributes));
        let (before, after) = (before?, after?);
        let key = |at: &InlinedAt<'_>| (Place::of_call(at), at.name_offset);
        (key(before) == key(after) && before.function_name.text == after.function_name.text).then_some(before)
    }

    /// Of ascending indices the one nearest to another.
    fn nearest(indices: &[usize], index: usize) -> Option<usize> {
        let after = indices.partition_point(|&at| at < index);
        let around = [after.checked_sub(1), Some(after)];
        let around = around.into_iter().flatten().filter_map(|at| indices.get(at).copied());
        around.min_by_key(|&at| at.abs_diff(index))
    }
}
