//! Inlined calls that only entries know: what `lines` says of the optimised code is what
//! `strip-to-lines` writes into the `.loc` directives of its PTX.

use super::{keep, sampled};
use crate::support::{self, Entry, oracle};
use cubin_debuginfo::entries::Entries;
use cubin_debuginfo::symbolize::Symbolizer;
use cubin_debuginfo::variables::InlinedCalls;
use nv_debug_sections::cubin::Cubin;
use ptx_syntax::fix::{FixSelection, Repair, fix};
use ptx_syntax::{CallSite, CallSites, LineIndex, Statement, parse};
use std::collections::HashMap;

/// The lines of call sites, outermost first.
type Chain = Vec<u64>;

/// The chain of each instruction of a text, in its order, as the `.loc` directives say it.
fn by_locs(text: &str) -> Vec<Chain> {
    let parsed = parse(text);
    let mut sites = CallSites::of(&parsed.module);
    let mut locs: Vec<(Chain, u64)> = Vec::new();
    let mut chains = Vec::new();
    for function in parsed.module.functions() {
        sites.begin_function();
        let mut current = Chain::new();
        for statement in function.body.iter().flat_map(|body| &body.statements) {
            match statement {
                Statement::Loc(loc) => {
                    current = match sites.take(loc) {
                        Some(CallSite::Here(number)) => {
                            let (chain, line) = &locs[number as usize];
                            chain.iter().chain([line]).copied().collect()
                        }
                        None => Chain::new(),
                        other => panic!("{loc:?}: {other:?}"),
                    };
                    locs.push((current.clone(), loc.line));
                }
                Statement::Instruction(_) => chains.push(current.clone()),
                _ => {}
            }
        }
    }
    chains
}

/// The chains of a PTX by line, as the stripped text has them; none of a line with several.
fn by_line(text: &str) -> HashMap<u32, Chain> {
    let stripped = fix(text, &FixSelection::of(&[Repair::StripToLines])).text;
    let parsed = parse(text);
    let lines = LineIndex::new(text);
    let bodies = parsed.module.functions().filter_map(|function| function.body.as_ref());
    let instructions = bodies.flat_map(|body| &body.statements).filter_map(|statement| match statement {
        Statement::Instruction(instruction) => Some(lines.line(instruction.range.start)),
        _ => None,
    });
    let instructions: Vec<u32> = instructions.collect();
    let chains = by_locs(&stripped);
    assert_eq!(instructions.len(), chains.len());
    let mut by_line = HashMap::new();
    let mut several = Vec::new();
    for (line, chain) in instructions.into_iter().zip(chains) {
        if by_line.insert(line, chain).is_some() {
            several.push(line);
        }
    }
    by_line.retain(|line, _| !several.contains(line));
    by_line
}

#[test]
fn calls_of_entries_are_those_of_the_stripped_text() {
    if oracle::tool("ptxas").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let is_wanted = |entry: &Entry| {
        let text = entry.ptx.as_ref().and_then(|ptx| std::fs::read_to_string(ptx).ok()).unwrap_or_default();
        let has_calls = !text.contains("inlined_at") && text.contains(".debug_info");
        entry.ok && entry.written_by_ptxas_13_0 && has_calls && text.contains(", debug")
    };
    let (mut files, mut equal, mut inlined, mut all) = (0, 0, 0, 0);
    for entry in sampled(support::corpus(is_wanted), 6) {
        let text = std::fs::read_to_string(entry.ptx.as_ref().unwrap()).unwrap();
        let expected = by_line(&text);
        if expected.values().all(Vec::is_empty) {
            continue;
        }
        let ptx = folder.path().join("in.ptx");
        std::fs::write(&ptx, &text).unwrap();
        let parsed = parse(&text);
        let target = parsed.module.target().and_then(|target| target.arch()).unwrap().text;
        let arch = if target.starts_with(&entry.arch) { target } else { &entry.arch };
        let data = keep(&ptx, arch, &folder.path().join("out.cubin"), &[]);
        let cubin = Cubin::parse(&data).unwrap();
        let (entries, symbolizer) = (Entries::read(&cubin).unwrap(), Symbolizer::new(&cubin).unwrap());
        let calls = InlinedCalls::read(&cubin, &entries, &symbolizer).unwrap();
        files += 1;
        for section in symbolizer.sections() {
            for offset in (0..section.size).step_by(16) {
                let place = symbolizer.locate(section.index, offset).unwrap();
                let Some(expected) = place.ptx().and_then(|ptx| expected.get(&ptx.line)) else { continue };
                let mut chain: Chain = calls.frames(place).skip(1).map(|frame| frame.line.into()).collect();
                chain.reverse();
                all += 1;
                inlined += usize::from(!expected.is_empty());
                equal += usize::from(chain == *expected);
            }
        }
    }
    println!("{files} files: {equal} of {all} instructions have the same chain, {inlined} are inlined");
    assert!(files == 0 || inlined > 0 && equal * 100 >= all * 99);
}
