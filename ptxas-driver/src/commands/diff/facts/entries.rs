//! Entries of `.debug_info`, tables of names, registers, call frame rules: decoded by `dump`, here without offsets.

use super::Collector;
use crate::commands::diff::keys::Key;
use crate::commands::dump::{Contents, Die, FrameEntry, InfoUnit, Lookup, Register, Registers, Source};
use nv_debug_sections::catalog::SectionKind;
use std::collections::HashMap;

/// Registers of each function, by place.
pub(super) fn registers(functions: Vec<Registers>, facts: &mut Collector) {
    for function in functions {
        let words = |range: &Register| {
            let part = if range.part == 0 { String::new() } else { format!(".{}", range.part) };
            let kind = range.r#type.as_deref().unwrap_or("?");
            format!(
                "{}{part} .{kind} in {} from {:#x} to {:#x}",
                range.ptx, range.sass, range.start, range.end
            )
        };
        let mut all: Vec<String> = function.ranges.iter().map(words).collect();
        all.sort_unstable();
        facts.listed(Key::Registers, &function.function, all);
    }
}

/// Call frame rules of each function; those of its CIE first.
pub(super) fn frames(entries: Vec<FrameEntry>, facts: &mut Collector) {
    let mut common = Vec::new();
    for entry in entries {
        let FrameEntry { entry, header, rules, .. } = entry;
        if entry == "CIE" {
            let header = header.split_once(": ").map_or(&*header, |(_, words)| words);
            common = std::iter::once(header.to_owned()).chain(rules).collect();
            continue;
        }
        // `.text.f+0x10, 0x80 bytes, CIE 3`
        let (place, words) = header.split_once(", ").unwrap_or((&header, ""));
        let words = words.rsplit_once(", CIE").map_or(words, |(words, _)| words);
        let own = std::iter::once(words.to_owned()).chain(rules);
        facts.listed(Key::Frame, place, common.iter().cloned().chain(own));
    }
}

/// What offsets in `.debug_info` and `.debug_loc` mean.
struct Meanings {
    entries: HashMap<u64, String>,
    lists: HashMap<u64, String>,
    files: HashMap<u64, String>,
}

/// The tree of each unit, a line an attribute.
pub(super) fn info(source: &Source<'_, '_>, units: &[InfoUnit], facts: &mut Collector) {
    let meanings = Meanings {
        entries: units
            .iter()
            .flat_map(|unit| &unit.entries)
            .map(|die| (die.at.offset, description(die)))
            .collect(),
        lists: lists(source),
        files: files(source),
    };
    for (number, unit) in units.iter().enumerate() {
        let subject =
            unit.entries.first().and_then(name).map_or_else(|| format!("unit {number}"), str::to_owned);
        for die in &unit.entries {
            if facts.room.is_none() {
                return;
            }
            let indent = "  ".repeat(die.depth.min(40));
            facts.listed(Key::Entries, &subject, [format!("{indent}{}", description(die))]);
            let attributes = die
                .attributes
                .iter()
                .filter(|attribute| !["DW_AT_sibling", "DW_AT_name"].contains(&&*attribute.name));
            let words = attributes.map(|attribute| {
                let value = meanings.value(&attribute.name, &attribute.value);
                format!("{indent}  {} {}: {value}", description(die), attribute.name)
            });
            facts.listed(Key::Entries, &subject, words);
        }
    }
}

/// A table of names: which entries they lead to.
pub(super) fn lookup(source: &Source<'_, '_>, subject: &str, names: Vec<Lookup>, facts: &mut Collector) {
    let entries = entries_by_offset(source);
    for Lookup { name, die, .. } in names {
        let entry = entries.get(&die).cloned().unwrap_or_else(|| "no entry".to_owned());
        facts.named(Key::Entries, subject, name, entry);
    }
}

fn entries_by_offset(source: &Source<'_, '_>) -> HashMap<u64, String> {
    match source.first(SectionKind::DebugInfo).map(|index| source.decode(index).contents) {
        Some(Contents::Info(units)) => {
            units.iter().flat_map(|unit| &unit.entries).map(|die| (die.at.offset, description(die))).collect()
        }
        _ => HashMap::new(),
    }
}

fn name(die: &Die) -> Option<&str> {
    let attribute = die.attributes.iter().find(|attribute| attribute.name == "DW_AT_name")?;
    Some(attribute.value.trim_matches('"'))
}

/// `DW_TAG_variable x`
fn description(die: &Die) -> String {
    match name(die) {
        Some(name) => format!("{} {name}", die.tag),
        None => die.tag.to_string(),
    }
}

impl Meanings {
    /// An attribute's value in words that stay when sections move.
    fn value(&self, attribute: &str, value: &str) -> String {
        let offset = |prefix: &str, suffix: &str| {
            let digits = value.strip_prefix(prefix)?.strip_suffix(suffix)?;
            u64::from_str_radix(digits, 16).ok()
        };
        let entry = offset("<0x", ">").and_then(|at| self.entries.get(&at));
        let list = offset(".debug_loc+0x", "").and_then(|at| self.lists.get(&at));
        let file = attribute
            .ends_with("_file")
            .then(|| value.trim_start_matches("file ").parse().ok())
            .flatten()
            .and_then(|number: u64| self.files.get(&number));
        entry.or(list).or(file).map_or_else(|| value.to_owned(), Clone::clone)
    }
}

/// Location lists by the offset of their first entry.
fn lists(source: &Source<'_, '_>) -> HashMap<u64, String> {
    let contents = source.first(SectionKind::DebugLoc).map(|index| source.decode(index).contents);
    let Some(Contents::Locations(entries)) = contents else { return HashMap::new() };
    let mut lists = HashMap::new();
    for list in entries.split_inclusive(|entry| entry.last) {
        let Some(first) = list.first() else { continue };
        let words: Vec<String> = list
            .iter()
            .map(|entry| {
                let expression = entry.expression.as_deref().unwrap_or_default();
                format!("{} to {}: {expression}", entry.start, entry.end)
            })
            .collect();
        lists.insert(first.at.offset, format!("[{}]", words.join("; ")));
    }
    lists
}

/// Paths by file number, where the file has one table of them.
fn files(source: &Source<'_, '_>) -> HashMap<u64, String> {
    let contents = source.first(SectionKind::DebugLine).map(|index| source.decode(index).contents);
    match contents {
        Some(Contents::Lines(units)) if units.len() == 1 => {
            units.into_iter().flat_map(|unit| unit.files).map(|file| (file.number, file.path)).collect()
        }
        _ => HashMap::new(),
    }
}
