//! Facts of `.debug_info` entries, name tables, registers and frame rules. They are decoded by
//! `dump` and written without offsets.

use super::{Collector, Full};
use crate::diff::difference_kind::DifferenceKind;
use crate::dump::{
    Contents, Die, DumpSource, FrameEntry, InfoUnit, ItemStream, NameLookup, OpenSection, Register, Registers,
};
use crate::limits::MAX_INDENTED_DEPTH;
use nv_debug_sections::catalog::SectionKind;
use std::collections::HashMap;
use std::convert::Infallible;

/// Registers of a function, by place.
pub(super) fn registers(function: &Registers<'_>, facts: &mut Collector<'_>) {
    let words = |range: &Register<'_>| {
        let part = if range.part == 0 { String::new() } else { format!(".{}", range.part) };
        let kind = range.r#type.as_deref().unwrap_or("?");
        format!("{}{part} .{kind} in {} from {:#x} to {:#x}", range.ptx, range.sass, range.start, range.end)
    };
    let mut all: Vec<String> = function.ranges.collect().iter().map(words).collect();
    all.sort_unstable();
    facts.listed(DifferenceKind::Registers, &function.function, all);
}

/// Call frame rules of each function; those of its CIE first.
///
/// # Errors
///
/// There is no room for more.
pub(super) fn frames(entries: &ItemStream<'_, FrameEntry>, facts: &mut Collector<'_>) -> Result<(), Full> {
    let mut common = Vec::new();
    entries.try_each(|entry| {
        let FrameEntry { entry, header, rules, .. } = entry;
        if entry == "CIE" {
            let header = header.split_once(": ").map_or(&*header, |(_, words)| words);
            common = std::iter::once(header.to_owned()).chain(rules).collect();
            return Ok(());
        }
        // `.text.f+0x10, 0x80 bytes, CIE 3`
        let (place, words) = header.split_once(", ").unwrap_or((&header, ""));
        let words = words.rsplit_once(", CIE").map_or(words, |(words, _)| words);
        let own = std::iter::once(words.to_owned()).chain(rules);
        facts.listed(DifferenceKind::Frame, place, common.iter().cloned().chain(own));
        facts.go_on()
    })
}

/// What offsets in `.debug_info` and `.debug_loc` mean.
struct Meanings<'m, 'c, 'd> {
    entries: Descriptions<'m, 'c, 'd>,
    lists: HashMap<u64, String>,
    files: HashMap<u64, String>,
}

/// The entries of `.debug_info` by offset, in words.
struct Descriptions<'m, 'c, 'd> {
    source: &'m DumpSource<'c, 'd>,
    opened: &'m OpenSection<'c>,
    /// For each byte of the section whether an entry starts there.
    starts: Vec<u8>,
}

impl<'m, 'c, 'd> Descriptions<'m, 'c, 'd> {
    fn new(
        source: &'m DumpSource<'c, 'd>,
        opened: &'m OpenSection<'c>,
        units: &ItemStream<'_, InfoUnit<'_>>,
    ) -> Self {
        let mut starts = Vec::new();
        let _ = units.try_each(|unit| {
            unit.entries.try_each(|die| {
                let byte = (die.at.offset / 8) as usize;
                if starts.len() <= byte {
                    starts.resize(byte + 1, 0);
                }
                if let Some(byte) = starts.get_mut(byte) {
                    *byte |= 1 << (die.at.offset % 8);
                }
                Ok::<_, Infallible>(())
            })
        });
        Self { source, opened, starts }
    }

    fn at(&self, offset: u64) -> Option<String> {
        let byte = self.starts.get(usize::try_from(offset / 8).ok()?)?;
        (byte >> (offset % 8) & 1 == 1).then_some(())?;
        let (tag, name) = self.source.entry_words(self.opened, offset)?;
        Some(words(&tag, name.as_deref().map(unquoted)))
    }
}

/// The tree of each unit, a line an attribute.
///
/// # Errors
///
/// There is no room for more.
pub(super) fn info<'c>(
    source: &DumpSource<'c, '_>,
    opened: &OpenSection<'c>,
    units: &ItemStream<'_, InfoUnit<'_>>,
    facts: &mut Collector<'_>,
) -> Result<(), Full> {
    let entries = Descriptions::new(source, opened, units);
    let meanings = Meanings { entries, lists: lists(source), files: files(source) };
    let mut number = 0;
    units.try_each(|unit| {
        let subject = unit.entries.find_map(|die| Some(name(&die)));
        let subject = subject.flatten().unwrap_or_else(|| format!("unit {number}"));
        number += 1;
        unit.entries.try_each(|die| {
            let indent = "  ".repeat(die.depth.min(MAX_INDENTED_DEPTH));
            let description = words(&die.tag, name(&die).as_deref());
            facts.listed(DifferenceKind::Entries, &subject, [format!("{indent}{description}")]);
            die.attributes.try_each(|attribute| {
                if !["DW_AT_sibling", "DW_AT_name"].contains(&&*attribute.name) {
                    let value = meanings.value(&attribute.name, &attribute.value);
                    let words = format!("{indent}  {description} {}: {value}", attribute.name);
                    facts.listed(DifferenceKind::Entries, &subject, [words]);
                }
                facts.go_on()
            })?;
            facts.go_on()
        })
    })
}

/// A table of names: which entries they lead to.
///
/// # Errors
///
/// There is no room for more.
pub(super) fn lookup(
    source: &DumpSource<'_, '_>,
    subject: &str,
    names: &ItemStream<'_, NameLookup<'_>>,
    facts: &mut Collector<'_>,
) -> Result<(), Full> {
    let opened = source.first(SectionKind::DebugInfo).map(|index| source.open(index));
    let section = opened.as_ref().map(|opened| (opened, source.decode(opened).contents));
    let entries = match &section {
        Some((opened, Contents::Info(units))) => Some(Descriptions::new(source, opened, units)),
        _ => None,
    };
    names.try_each(|NameLookup { name, die, .. }| {
        let entry = entries.as_ref().and_then(|entries| entries.at(die));
        facts.named(DifferenceKind::Entries, subject, name, entry.unwrap_or_else(|| "no entry".to_owned()));
        facts.go_on()
    })
}

fn name(die: &Die<'_>) -> Option<String> {
    let mut attributes =
        die.attributes.find_map(|attribute| (attribute.name == "DW_AT_name").then_some(attribute));
    attributes.take().map(|attribute| unquoted(&attribute.value).to_owned())
}

fn unquoted(name: &str) -> &str {
    name.trim_matches('"')
}

/// `DW_TAG_variable x`
fn words(tag: &str, name: Option<&str>) -> String {
    name.map_or_else(|| tag.to_owned(), |name| format!("{tag} {name}"))
}

impl Meanings<'_, '_, '_> {
    /// An attribute's value in words that stay when sections move.
    fn value(&self, attribute: &str, value: &str) -> String {
        let offset = |prefix: &str, suffix: &str| {
            let digits = value.strip_prefix(prefix)?.strip_suffix(suffix)?;
            u64::from_str_radix(digits, 16).ok()
        };
        let entry = offset("<0x", ">").and_then(|at| self.entries.at(at));
        let list = offset(".debug_loc+0x", "").and_then(|at| self.lists.get(&at));
        let file = attribute
            .ends_with("_file")
            .then(|| value.trim_start_matches("file ").parse().ok())
            .flatten()
            .and_then(|number: u64| self.files.get(&number));
        entry.unwrap_or_else(|| list.or(file).map_or(value, String::as_str).to_owned())
    }
}

/// Location lists by the offset of their first entry.
fn lists(source: &DumpSource<'_, '_>) -> HashMap<u64, String> {
    let mut lists = HashMap::new();
    let Some(opened) = source.first(SectionKind::DebugLoc).map(|index| source.open(index)) else {
        return lists;
    };
    let Contents::Locations(entries) = source.decode(&opened).contents else { return lists };
    let mut open: Option<(u64, String)> = None;
    let _ = entries.try_each(|entry| {
        let expression = entry.expression.as_deref().unwrap_or_default();
        let words = format!("{} to {}: {expression}", entry.start, entry.end);
        match &mut open {
            Some((_, list)) => {
                list.push_str("; ");
                list.push_str(&words);
            }
            None => open = Some((entry.at.offset, format!("[{words}"))),
        }
        if entry.last {
            lists.extend(open.take().map(|(at, list)| (at, list + "]")));
        }
        Ok::<_, Infallible>(())
    });
    lists.extend(open.map(|(at, list)| (at, list + "]")));
    lists
}

/// The paths by file number, if the cubin has exactly one file table.
fn files(source: &DumpSource<'_, '_>) -> HashMap<u64, String> {
    let mut files = HashMap::new();
    let Some(opened) = source.first(SectionKind::DebugLine).map(|index| source.open(index)) else {
        return files;
    };
    let Contents::Lines(units) = source.decode(&opened).contents else { return files };
    let mut count = 0;
    let _ = units.try_each(|unit| {
        count += 1;
        if count > 1 {
            files.clear();
            return Err(());
        }
        unit.files.try_each(|file| {
            files.insert(file.number, file.path);
            Ok(())
        })
    });
    files
}
