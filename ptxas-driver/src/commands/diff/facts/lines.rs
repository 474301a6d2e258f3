//! What the line tables say of each address.

use super::Collector;
use crate::commands::diff::compare::Facts;
use crate::commands::diff::keys::Key;
use crate::commands::read::{demangle, text};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::symbolize::{FileName, FrameFunction, Function, Place, Symbolizer};
use std::collections::BTreeSet;

/// Lines of every function, and of code that belongs to none; `false` where a table cannot be read.
pub(super) fn lines(cubin: &Cubin<'_>, facts: &mut Collector) -> bool {
    let Ok(symbolizer) = Symbolizer::new(cubin) else { return false };
    for function in symbolizer.functions() {
        let mut cuts = BTreeSet::from([function.offset, function.offset.saturating_add(function.size)]);
        for table in [symbolizer.source_rows(), symbolizer.ptx_rows()] {
            for (base, rows) in table.of(function.section) {
                let places = rows.ranges().flat_map(|(start, end, _)| [start, end]);
                cuts.extend(places.map(|at| at.saturating_add(*base)));
            }
        }
        let end = function.offset.saturating_add(function.size);
        let cuts: Vec<u64> = cuts.range(function.offset..=end).copied().collect();
        let of_key = |words: fn(&Place<'_>) -> Option<String>| ranges(&symbolizer, function, &cuts, words);
        let source = of_key(source_words);
        let ptx = of_key(ptx_words);
        for (key, ranges) in [(Key::Lines, source), (Key::PtxLines, ptx)] {
            if !ranges.is_empty() {
                facts.put(key, function.name, Facts::Ranges(ranges));
            }
        }
    }
    true
}

/// Ranges of a function with offsets from its start.
fn ranges(
    symbolizer: &Symbolizer<'_>,
    function: &Function<'_>,
    cuts: &[u64],
    words: fn(&Place<'_>) -> Option<String>,
) -> Vec<(u64, u64, String)> {
    let mut ranges: Vec<(u64, u64, String)> = Vec::new();
    for (&start, &end) in cuts.iter().zip(cuts.iter().skip(1)) {
        let Some(words) = symbolizer.locate(function.section, start).as_ref().and_then(words) else {
            continue;
        };
        let (start, end) = (start - function.offset, end - function.offset);
        match ranges.last_mut() {
            Some((_, last, before)) if *last == start && *before == words => *last = end,
            _ => ranges.push((start, end, words)),
        }
    }
    ranges
}

/// `a.h:3 in f, a.cu:20`: innermost first.
fn source_words(place: &Place<'_>) -> Option<String> {
    let frames: Vec<String> = place
        .frames()
        .map(|frame| {
            let file = match frame.file {
                FileName::Path(path) => path.to_owned(),
                FileName::Undeclared(number) => format!("file {number}"),
            };
            let column = if frame.column == 0 { String::new() } else { format!(":{}", frame.column) };
            let callee = match frame.function {
                FrameFunction::Physical(_) => String::new(),
                FrameFunction::Inlined(callee) => {
                    let name = callee.name.map_or_else(|| "??".to_owned(), text);
                    format!(" in {}", demangle(&name).unwrap_or(name))
                }
            };
            format!("{file}:{}{column}{callee}", frame.line)
        })
        .collect();
    (!frames.is_empty()).then(|| frames.join(", "))
}

fn ptx_words(place: &Place<'_>) -> Option<String> {
    let ptx = place.ptx()?;
    let line = ptx.text.map_or(String::new(), |line| format!(": {}", text(line)));
    Some(format!("{}{line}", ptx.line))
}
