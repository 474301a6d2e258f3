//! The source locations of Mercury code whose PTX lines are known, from which `merc clone` builds
//! line tables.

use super::ptx_facts::PtxFacts;
use merc_capsule::CodeMap;
use merc_capsule::loc_streams::{LocStream, LocStreams};
use nv_debug_sections::catalog::CODE_PREFIX;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::line_table::{EntryRow, FunctionStart, LocatedInstruction, entry_rows};
use nv_debug_sections::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Returns the source locations that the `.loc` directives of a PTX give to the code of a cubin.
/// `ptx` are the PTX lines of the cubin's Mercury code.
///
/// # Errors
///
/// Code is from a line that this PTX has no instruction at, or a function opens at another: the
/// cubin was made from another PTX.
pub fn mercury_lines<'l>(
    facts: &'l PtxFacts<'_>,
    cubin: &Cubin<'_>,
    maps: &[CodeMap],
    ptx: &LocStreams<'_>,
) -> Result<LocStreams<'l>> {
    let mut all = LocStreams::new();
    let maps: HashMap<_, _> = maps.iter().map(|code| (code.native, code)).collect();
    for (native, lines) in ptx {
        let Some(code) = maps.get(native) else { continue };
        let section = cubin.section_name(*native);
        let starts = function_starts(facts, cubin, code);
        let lines = lines_of(facts, lines, &starts).map_err(|why| {
            let text = format!("the cubin was made from another PTX: {why}");
            Error::in_section(section, ErrorKind::Disagreement(text))
        })?;
        let located = lines
            .into_iter()
            .map(|(address, line)| LocatedInstruction { address, loc: facts.loc_at_line(line) });
        let starts: Vec<FunctionStart> = starts.into_iter().map(|(_, start)| start).collect();
        let entries = entry_rows(&starts);
        all.insert(
            *native,
            LocStream { locs: Cow::Borrowed(&facts.locs), located: located.collect(), entries },
        );
    }
    Ok(all)
}

/// The functions of a code section by address in Mercury code, with their names in the PTX.
fn function_starts<'c>(
    facts: &PtxFacts<'_>,
    cubin: &'c Cubin<'_>,
    code: &CodeMap,
) -> Vec<(&'c str, FunctionStart)> {
    let own = cubin.section_name(code.native).strip_prefix(CODE_PREFIX).unwrap_or_default();
    let folded = format!("${own}$");
    let mut functions = code.functions.clone();
    functions.sort_by_key(|function| (function.mercury.value, function.symbol));
    let start = |function: &merc_capsule::FunctionMap| {
        let name = cubin.symbol_name(function.symbol);
        let name = name.strip_prefix(&folded).unwrap_or(name);
        let facts = facts.functions.get(name);
        let start = FunctionStart {
            address: function.mercury.value,
            first_loc: facts.and_then(|facts| facts.first_loc),
            ptx_line: facts.map(|facts| facts.open_line),
        };
        (name, start)
    };
    functions.iter().map(start).collect()
}

/// Address and PTX line wherever the line changes, without the rows that open functions but for
/// code on their line.
///
/// # Errors
///
/// How the PTX differs from the one that the code was made of.
fn lines_of(
    facts: &PtxFacts<'_>,
    stream: &LocStream<'_>,
    starts: &[(&str, FunctionStart)],
) -> Result<Vec<(u64, u32)>, String> {
    let line =
        |loc: nv_debug_sections::line_table::LocId| stream.locs.get(loc.0 as usize).map_or(0, |loc| loc.line);
    let mut lines: Vec<(u64, u32)> =
        stream.located.iter().filter_map(|located| Some((located.address, line(located.loc?)))).collect();
    // Without a capsule, rows on the line of a `{` are those that open functions, and of code that
    // comes from no PTX instruction.
    let open_lines: HashSet<u32> = starts.iter().filter_map(|(_, start)| start.ptx_line).collect();
    lines.retain(|(_, line)| facts.has_code_at(*line) || !open_lines.contains(line));
    for &(address, line) in &lines {
        if !facts.has_code_at(line) {
            let count = facts.line_count;
            return Err(format!(
                "{address:#x} is from PTX line {line}, where this PTX ({count} lines) has no instruction"
            ));
        }
    }
    // By address, of several at one the first.
    let mut known: Vec<_> = starts.iter().filter(|(_, start)| start.ptx_line.is_some()).collect();
    known.dedup_by_key(|(_, start)| start.address);
    let mut opening = Vec::new();
    for &EntryRow { address, loc, .. } in &stream.entries {
        let own = known.binary_search_by_key(&address, |(_, start)| start.address);
        let Some((name, start)) = own.ok().and_then(|number| known.get(number)) else { continue };
        let open_line = line(loc);
        if start.ptx_line != Some(open_line) {
            let expected = start.ptx_line.unwrap_or(0);
            return Err(format!(
                "function {name} opens at PTX line {open_line}, in this PTX at line {expected}"
            ));
        }
        // Code of that line has no other row: it is here unless code of another line is, or its own
        // begins later.
        let next = lines.get(lines.partition_point(|(at, _)| *at < address));
        let is_code = next.is_none_or(|next| next.0 != address && next.1 != open_line);
        if is_code && facts.opens_with_code(name, open_line, true) {
            opening.push((address, open_line));
        }
    }
    lines.extend(opening);
    lines.sort_by_key(|(address, _)| *address);
    lines.dedup();
    Ok(lines)
}
