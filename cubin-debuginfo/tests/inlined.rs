//! Chains of inlined calls against the tree of entries, walked as DWARF means it: from the unit
//! down, one address after the other.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is a failed test")]
#![allow(clippy::print_stderr, reason = "what was looked at must be seen")]

mod support;

use cubin_debuginfo::entries::{Entries, Value};
use cubin_debuginfo::symbolize::{FrameFunction, ResolvedAddress, SequenceRows, Symbolizer};
use cubin_debuginfo::variables::{InlinedCalls, Variables};
use dwarf2_reader::constants as dw;
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use std::path::Path;

/// Offset, file number and line of the calls that an address is in, outermost first.
fn calls(entries: &Entries<'_>, section: SectionIndex, offset: u64) -> Vec<(u64, u64, u64)> {
    let mut found = Vec::new();
    for entry in entries.iter() {
        let is_call = entry.tag() == dw::DW_TAG_inlined_subroutine;
        let has = |(of, code): (SectionIndex, std::ops::Range<u64>)| of == section && code.contains(&offset);
        if is_call && entry.code().is_some_and(has) {
            let number = |name| entry.unsigned(name).unwrap_or(0);
            found.push((entry.offset(), number(dw::DW_AT_call_file), number(dw::DW_AT_call_line)));
        }
    }
    found
}

/// The calls of the tree that an address belongs to, outermost first: some of those whose ranges it
/// is in, each with all calls around it.
fn own_calls(
    inlined: &InlinedCalls<'_>,
    entries: &Entries<'_>,
    place: &ResolvedAddress<'_>,
) -> Vec<(u64, u64, u64)> {
    let by_range = calls(entries, place.section.index, place.offset);
    let found = inlined.at(place.section.index, place.offset);
    let mut chain: Vec<usize> = found.map(|scope| scope.entry).collect();
    let above = |number: usize| {
        let mut above = entries.ancestors(number).filter(|entry| entry.number() != number);
        above.find(|entry| entry.tag() != dw::DW_TAG_lexical_block).unwrap()
    };
    for (index, entry) in chain.iter().enumerate() {
        let expected = chain.get(index + 1);
        let above = above(*entry);
        match expected {
            Some(caller) => assert_eq!(above.number(), *caller),
            None => assert_eq!(above.tag(), dw::DW_TAG_subprogram),
        }
    }
    chain.reverse();
    let of_offset = |entry: &usize| {
        let offset = entries.get(*entry).unwrap().offset();
        *by_range.iter().find(|(call, ..)| *call == offset).unwrap()
    };
    chain.iter().map(of_offset).collect()
}

/// How many addresses have a chain, after all of a cubin were compared; `None` if it has no inlined
/// call.
fn compare(path: &Path) -> Option<usize> {
    let bytes = std::fs::read(path).unwrap();
    let cubin = Cubin::parse(&bytes).unwrap();
    let entries = Entries::read(&cubin).unwrap();
    let has_calls = entries.iter().any(|entry| entry.tag() == dw::DW_TAG_inlined_subroutine);
    assert!(!has_calls || InlinedCalls::can_be_in(&cubin), "{}", path.display());
    if !has_calls {
        return None;
    }
    let variables = Variables::read(&cubin, &entries).unwrap();
    let symbolizer = Symbolizer::new(&cubin).unwrap();
    let inlined = InlinedCalls::of(&variables, &symbolizer);
    assert!(!inlined.is_truncated());
    let mut chains = 0;
    for section in symbolizer.sections() {
        // No corpus file has one sequence with contexts and another without in a section.
        let mut sequences = symbolizer.source_rows().of(section.index);
        let unit = sequences.next().map(|(_, rows)| rows.unit());
        let of_unit = |(_, rows): &(u64, SequenceRows<'_>)| Some(rows.unit()) == unit;
        let all = symbolizer.sections().iter().flat_map(|section| symbolizer.source_rows().of(section.index));
        let has_contexts = all.filter(of_unit).any(|(_, rows)| rows.rows().any(|row| row.context != 0));
        for offset in (0..section.size).step_by(16) {
            let place = symbolizer.locate(section.index, offset).unwrap();
            let expected = own_calls(&inlined, &entries, &place);
            let at = || format!("{} {}+{offset:#x}", path.display(), section.name);
            chains += usize::from(check_frames(&inlined, (place, has_contexts), &expected, &at));
        }
    }
    Some(chains)
}

/// Whether the frames of a place come from entries; they are what the calls say.
fn check_frames(
    inlined: &InlinedCalls<'_>,
    (place, has_contexts): (ResolvedAddress<'_>, bool),
    expected: &[(u64, u64, u64)],
    at: &dyn Fn() -> String,
) -> bool {
    let frames: Vec<_> = inlined.frames(place).collect();
    assert_eq!(frames.len(), inlined.depth(&place), "{}", at());
    if expected.is_empty() || place.depth() != 1 || has_contexts {
        assert!(place.frames().eq(frames), "{}", at());
        return false;
    }
    assert_eq!(frames.len(), expected.len() + 1, "{}", at());
    // The row's own file and line come first; after that those of the calls, from the innermost.
    let row = place.frames().next().unwrap();
    assert_eq!((frames[0].file, frames[0].line), (row.file, row.line), "{}", at());
    for (frame, (entry, _, line)) in frames[1..].iter().zip(expected.iter().rev()) {
        assert_eq!(u64::from(frame.line), *line, "{} call {entry:#x}", at());
    }
    for (frame, (offset, ..)) in frames.iter().zip(expected.iter().rev()) {
        let FrameFunction::InlinedEntry(entry) = frame.function else { panic!("{}", at()) };
        assert_eq!(entry.offset, *offset, "{}", at());
    }
    assert_eq!(frames.last().unwrap().function, FrameFunction::Physical(place.function), "{}", at());
    true
}

#[test]
fn calls_of_the_corpus_are_those_of_the_tree() {
    let (mut cubins, mut chains) = (0, 0);
    let corpus = support::cubins();
    for path in &corpus {
        if let Some(found) = compare(path) {
            (cubins, chains) = (cubins + 1, chains + found);
        }
    }
    eprintln!(
        "{cubins} cubins with inlined calls in .debug_info, {chains} instructions in them that the line table does not tell"
    );
    let at_least = support::corpus_root::at_least;
    assert!(cubins > at_least(30) && chains > at_least(10_000), "{cubins} {chains}");
}

/// `examples/saxpy`: `saxpy` calls `fused` in line 10, which calls `clamp01` in line 13 of its
/// header.
#[test]
fn the_chain_of_the_example_is_that_of_its_source() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/saxpy/saxpy-debug.cubin");
    assert!(compare(&path).unwrap() > 0);
    let bytes = std::fs::read(path).unwrap();
    let cubin = Cubin::parse(&bytes).unwrap();
    let entries = Entries::read(&cubin).unwrap();
    let symbolizer = Symbolizer::new(&cubin).unwrap();
    let inlined = InlinedCalls::read(&cubin, &entries, &symbolizer).unwrap();
    let section = symbolizer.sections()[0].index;
    let mut chains = Vec::new();
    for offset in (0..symbolizer.sections()[0].size).step_by(16) {
        let frames = inlined.frames(symbolizer.locate(section, offset).unwrap());
        let chain: Vec<_> = frames
            .map(|frame| match frame.function {
                FrameFunction::InlinedEntry(entry) => {
                    (String::from_utf8_lossy(entry.name.unwrap()).into_owned(), 0)
                }
                FrameFunction::Physical(function) => (function.unwrap().name.to_owned(), frame.line),
                FrameFunction::Inlined(_) => panic!("code compiled with -G has no contexts"),
            })
            .collect();
        if chain.len() > 1 && chains.last() != Some(&chain) {
            chains.push(chain);
        }
    }
    let name = |name: &str, line| (name.to_owned(), line);
    let (saxpy, fused, clamp) = (name("saxpy", 10), name("_Z5fusedfff", 0), name("_Z7clamp01f", 0));
    let outer = vec![fused.clone(), saxpy.clone()];
    assert_eq!(chains, [outer.clone(), vec![clamp, fused, saxpy], outer]);
}

/// The offset of an attribute's string is not the call's: names come from the abstract function.
#[test]
fn names_are_those_of_the_function_that_was_called() {
    let corpus = support::cubins();
    for path in corpus {
        let bytes = std::fs::read(&path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        if !InlinedCalls::can_be_in(&cubin) {
            continue;
        }
        let entries = Entries::read(&cubin).unwrap();
        let variables = Variables::read(&cubin, &entries).unwrap();
        let symbolizer = Symbolizer::new(&cubin).unwrap();
        let inlined = InlinedCalls::of(&variables, &symbolizer);
        for (section, offset) in
            symbolizer.sections().iter().flat_map(|s| (0..s.size).step_by(64).map(|at| (s.index, at)))
        {
            for frame in inlined.frames(symbolizer.locate(section, offset).unwrap()) {
                let FrameFunction::InlinedEntry(found) = frame.function else { continue };
                let entry = entries.get(entries.at(found.offset).unwrap()).unwrap();
                let Some(Value::Entry(origin)) = entry.value(dw::DW_AT_abstract_origin) else {
                    panic!("{}", path.display())
                };
                let origin = entries.get(entries.at(origin).unwrap()).unwrap();
                let linkage = origin
                    .string(dw::DW_AT_MIPS_linkage_name)
                    .or_else(|| origin.string(dw::DW_AT_linkage_name));
                let name = linkage.or_else(|| origin.name()).unwrap();
                assert_eq!(String::from_utf8_lossy(found.name.unwrap()), name, "{}", path.display());
            }
        }
    }
}
