//! Facts of the line tables: what they say of each address.

use super::{Collector, text};
use crate::diff::compare::{Facts, Ranges, Words};
use crate::diff::difference_kind::DifferenceKind;
use crate::names::demangle;
use crate::symbolize::{FrameFunction, MAX_FRAMES, ResolvedAddress, Symbolizer, TableFileName};
use nv_debug_sections::Result;
use nv_debug_sections::code::Function;
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use std::collections::HashMap;

/// Offset and size of functions, and what is true there, by key.
type AtPlace = ((u64, u64), [(DifferenceKind, Ranges); 2]);

/// Lines of every function, and of code that belongs to none.
///
/// # Errors
///
/// A table cannot be read.
pub(super) fn lines(cubin: &Cubin<'_>, facts: &mut Collector<'_>) -> Result<()> {
    let symbolizer = Symbolizer::new(cubin)?;
    let mut names = HashMap::new();
    for section in symbolizer.sections() {
        let cuts = cuts(&symbolizer, section.index);
        // What is true of the last place at which functions are.
        let mut last: Option<AtPlace> = None;
        for function in symbolizer.functions_of(section.index) {
            let end = function.offset.saturating_add(function.size);
            let first = cuts.partition_point(|at| *at < function.offset);
            let own = cuts.get(first..cuts.partition_point(|at| *at <= end)).unwrap_or_default();
            let place = (function.offset, function.size);
            let known = last.take().filter(|(at, _)| *at == place);
            let (_, all) = last.insert(known.unwrap_or_else(|| {
                let of_key = |key| {
                    let words = |place: &ResolvedAddress<'_>| match key {
                        DifferenceKind::Lines => source_words(place, &mut names),
                        _ => ptx_words(place),
                    };
                    let ranges = ranges(&symbolizer, function, own, facts, words);
                    (key, facts.ranges(ranges))
                };
                (place, [DifferenceKind::Lines, DifferenceKind::PtxLines].map(of_key))
            }));
            for (key, ranges) in all.iter().filter(|(_, ranges)| !ranges.all.is_empty()) {
                facts.put(*key, function.name, Facts::Ranges(ranges.clone()));
            }
            if facts.room.is_none() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Where anything may change in a section, ascending: rows, functions.
fn cuts(symbolizer: &Symbolizer<'_>, section: SectionIndex) -> Vec<u64> {
    let mut cuts = Vec::new();
    for table in [symbolizer.source_rows(), symbolizer.ptx_rows()] {
        for (base, rows) in table.of(section) {
            let places = rows.ranges().flat_map(|(start, end, _)| [start, end]);
            cuts.extend(places.map(|at| at.saturating_add(base)));
        }
    }
    let functions = symbolizer.functions_of(section).iter();
    cuts.extend(functions.flat_map(|f| [f.offset, f.offset.saturating_add(f.size)]));
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// Ranges of a function with offsets from its start; none where they take more room than there is.
fn ranges(
    symbolizer: &Symbolizer<'_>,
    function: &Function<'_>,
    cuts: &[u64],
    facts: &mut Collector<'_>,
    mut words: impl FnMut(&ResolvedAddress<'_>) -> Option<String>,
) -> Vec<(u64, u64, Words)> {
    let mut ranges: Vec<(u64, u64, Words)> = Vec::new();
    for (&start, &end) in cuts.iter().zip(cuts.iter().skip(1)) {
        let Some(words) = symbolizer.locate(function.section, start).as_ref().and_then(&mut words) else {
            continue;
        };
        let words = facts.words(words);
        let (start, end) = (start - function.offset, end - function.offset);
        match ranges.last_mut() {
            Some((_, last, before)) if *last == start && *before == words => *last = end,
            _ if facts.takes(size_of::<(u64, u64, Words)>()) => ranges.push((start, end, words)),
            _ => return Vec::new(),
        }
    }
    ranges
}

/// Demangled names of callees by their bytes.
type Names = HashMap<Vec<u8>, String>;

/// `a.h:3 in f, a.cu:20`: innermost first, at most [`MAX_FRAMES`].
fn source_words(place: &ResolvedAddress<'_>, names: &mut Names) -> Option<String> {
    let frames: Vec<String> = place
        .frames()
        .take(MAX_FRAMES)
        .map(|frame| {
            let file = match frame.file {
                TableFileName::Path(path) => path.to_owned(),
                TableFileName::Undeclared(number) => format!("file {number}"),
            };
            let column = if frame.column == 0 { String::new() } else { format!(":{}", frame.column) };
            let callee = match frame.function {
                FrameFunction::Physical(_) | FrameFunction::InlinedEntry(_) => String::new(),
                FrameFunction::Inlined(callee) => format!(" in {}", callee_name(callee.name, names)),
            };
            format!("{file}:{}{column}{callee}", frame.line)
        })
        .collect();
    (!frames.is_empty()).then(|| frames.join(", "))
}

fn callee_name<'n>(name: Option<&[u8]>, names: &'n mut Names) -> &'n str {
    let Some(name) = name else { return "??" };
    if !names.contains_key(name) {
        let plain = text(name);
        names.insert(name.to_vec(), demangle(&plain).unwrap_or(plain));
    }
    names.get(name).map_or("??", String::as_str)
}

fn ptx_words(place: &ResolvedAddress<'_>) -> Option<String> {
    let ptx = place.ptx()?;
    let line = ptx.text.map_or(String::new(), |line| format!(": {}", text(line)));
    Some(format!("{}{line}", ptx.line))
}
