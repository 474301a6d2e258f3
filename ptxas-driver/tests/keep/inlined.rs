//! Inlined calls that only entries know: `compile --debug-opt keep` and the repair
//! `strip-to-lines`, after which ptxas makes the same code, give each instruction the same chain.

use super::{keep, sampled};
use crate::support::{self, Entry, corpus_root, oracle};
use cubin_debuginfo::entries::Entries;
use cubin_debuginfo::symbolize::Symbolizer;
use cubin_debuginfo::variables::InlinedCalls;
use nv_debug_sections::cubin::Cubin;
use ptx_syntax::fix::{FixSelection, Repair, fix};
use ptx_syntax::{CallSite, CallSites, LineIndex, Parsed, Statement, parse};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The lines of call sites, outermost first.
type Chain = Vec<u64>;

/// The chain of each instruction of a text, in its order, as the `.loc` directives say it.
fn by_locs(parsed: &Parsed<'_>) -> Vec<Chain> {
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

/// The chains of the lines of a PTX; none of a line with several.
fn by_line(text: &str) -> HashMap<u32, Chain> {
    let parsed = parse(text);
    let lines = LineIndex::new(text);
    let bodies = parsed.module.functions().filter_map(|function| function.body.as_ref());
    let instructions = bodies.flat_map(|body| &body.statements).filter_map(|statement| match statement {
        Statement::Instruction(instruction) => Some(lines.line(instruction.range.start)),
        _ => None,
    });
    let mut by_line: HashMap<u32, Option<Chain>> = HashMap::new();
    for (line, chain) in instructions.zip(by_locs(&parsed)) {
        let known = by_line.entry(line).or_insert_with(|| Some(chain.clone()));
        if known.as_ref() != Some(&chain) {
            *known = None;
        }
    }
    by_line.into_iter().filter_map(|(line, chain)| Some((line, chain?))).collect()
}

/// A version that ptxas 13.0 does not have is set back.
fn for_ptxas_13_0(text: &str) -> String {
    let version = text.lines().find(|line| line.starts_with(".version")).unwrap_or_default();
    match version.split_whitespace().nth(1).and_then(|version| version.strip_prefix("9.")) {
        Some("0") | None => text.to_owned(),
        Some(_) => text.replacen(version, ".version 9.0", 1),
    }
}

/// Whether a module has inlined calls in its entries, and none in its `.loc` directives.
fn has_calls_in_entries(text: &str) -> bool {
    text.contains(".debug_info")
        && !text.contains("inlined_at")
        && !ptx_syntax::InlinedCalls::of(&parse(text).module).is_empty()
}

#[derive(Debug, Default)]
struct Counts {
    modules: usize,
    /// Instructions whose PTX line has one chain, and those of them that are inlined.
    instructions: usize,
    inlined: usize,
    /// Instructions with the same chain as in the stripped PTX, and as in the table that ptxas
    /// makes of it, where it drops some calls.
    equal: usize,
    equal_in_table: usize,
}

fn compare(entry: &Entry, text: &str, folder: &Path, counts: &mut Counts) {
    let name = entry.name();
    let [ptx, stripped, output] = ["in.ptx", "stripped.ptx", "out.cubin"].map(|file| folder.join(file));
    let repair = FixSelection::of(&[Repair::StripToLines]);
    let lines_only = fix(text, &repair).text;
    fs::write(&ptx, text).unwrap();
    fs::write(&stripped, &lines_only).unwrap();
    let parsed = parse(text);
    let target = parsed.module.target().and_then(|target| target.arch()).unwrap().text;
    let arch = if target.starts_with(&entry.arch) { target } else { &entry.arch };
    let kept = keep(&ptx, arch, &output, &[]);
    let mut ptxas = Command::new(oracle::tool("ptxas").unwrap());
    ptxas.args(["-O3", "-lineinfo", "-arch", arch]).arg(&stripped).arg("-o").arg(&output);
    assert!(ptxas.output().unwrap().status.success(), "{name}");
    let theirs = fs::read(&output).unwrap();

    let (kept, theirs) = (Cubin::parse(&kept).unwrap(), Cubin::parse(&theirs).unwrap());
    let (entries, symbolizer) = (Entries::read(&kept).unwrap(), Symbolizer::new(&kept).unwrap());
    let calls = InlinedCalls::read(&kept, &entries, &symbolizer).unwrap();
    let of_lines = Symbolizer::new(&theirs).unwrap();
    let chains = by_line(&lines_only);
    let lines = |frames: Vec<u64>| frames.into_iter().rev().collect::<Chain>();
    for section in symbolizer.sections() {
        let index = theirs.section_by_name(section.name).unwrap();
        assert!(kept.bytes(section.index).unwrap() == theirs.bytes(index).unwrap(), "{name}: other code");
        for offset in (0..section.size).step_by(16) {
            let (Some(place), Some(other)) =
                (symbolizer.locate(section.index, offset), of_lines.locate(index, offset))
            else {
                continue;
            };
            let Some(expected) = other.ptx().and_then(|ptx| chains.get(&ptx.line)) else { continue };
            let chain = lines(calls.frames(place).skip(1).map(|frame| frame.line.into()).collect());
            let in_table = lines(other.frames().skip(1).map(|frame| frame.line.into()).collect());
            counts.instructions += 1;
            counts.inlined += usize::from(!expected.is_empty());
            counts.equal += usize::from(chain == *expected);
            counts.equal_in_table += usize::from(chain == in_table);
        }
    }
    counts.modules += 1;
}

#[test]
fn kept_calls_are_those_of_the_stripped_text() {
    if oracle::tool("ptxas").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut counts = Counts::default();
    let mut seen = HashSet::new();
    let entries = support::corpus(|entry| entry.ptx.is_some());
    let texts: Vec<(Entry, String)> = entries
        .into_iter()
        .filter(|entry| seen.insert(entry.ptx.clone()))
        .map(|entry| {
            let text = fs::read(entry.ptx.as_ref().unwrap()).unwrap();
            (entry, String::from_utf8_lossy(&text).into_owned())
        })
        .filter(|(_, text)| has_calls_in_entries(text))
        .collect();
    let found = texts.len();
    for (entry, text) in sampled(texts, 6) {
        compare(&entry, &for_ptxas_13_0(&text), folder.path(), &mut counts);
    }
    println!("{found} modules with calls in entries only: {counts:?}");
    assert!(found >= corpus_root::at_least(40) && counts.inlined > 0);
    assert!(counts.equal * 100 >= counts.instructions * 99);
}
