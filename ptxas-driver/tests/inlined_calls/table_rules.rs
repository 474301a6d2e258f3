//! The rules by which `check` predicts lost calls, against those that write line tables.

use crate::support::corpus_root;
use crate::support::random::Random;
use nv_debug_sections::catalog::Space;
use nv_debug_sections::line::{DWARF2_PARAMS, LineOp, LineRow, LineTable, Sequence};
use nv_debug_sections::line_table::{
    AddressPair, EntryRow, Loc, LocId, LocatedInstruction, line_program_from_locs, mercury_to_native,
};
use nv_debug_sections::release::Release;
use ptx_syntax::dropped_calls::{LineTableRules, LocRow, TableFrame, loc_frames, table_frames};
use ptx_syntax::{CallSite, CallSites, FunctionKind, Statement};
use std::fs;

/// Bytes of a native instruction, and of most in Mercury space.
const NATIVE: u64 = 16;
const MERCURY: u64 = 32;

/// The frames that the tables of `nv_debug_sections` have, read as a reader does.
fn written(locs: &[LocRow], code: &[usize], rules: LineTableRules, starts: bool) -> Vec<Vec<TableFrame>> {
    let all: Vec<Loc> = locs
        .iter()
        .map(|loc| Loc {
            file: loc.file.into(),
            line: loc.line,
            name: loc.name,
            parent: loc.call_site.map(|site| LocId(site as u32)),
        })
        .collect();
    let step = |index: usize| (index + usize::from(!starts)) as u64;
    let is_mercury = rules == LineTableRules::FromMercury;
    let (space, size) = if is_mercury { (Space::Mercury, MERCURY) } else { (Space::Native, NATIVE) };
    let instructions: Vec<_> = code
        .iter()
        .enumerate()
        .map(|(index, &loc)| LocatedInstruction { address: size * step(index), loc: Some(LocId(loc as u32)) })
        .collect();
    let entry = locs.first().filter(|first| first.line != 0);
    let entry: Vec<_> =
        entry.map(|_| EntryRow { address: 0, loc: LocId(0), flagged: true }).into_iter().collect();
    let mut ops = line_program_from_locs(&all, &instructions, &entry, space, Release::default());
    if is_mercury {
        let mut pairs: Vec<AddressPair> =
            (!starts).then_some(AddressPair { native: 0, mercury: 0 }).into_iter().collect();
        let pair = |index| AddressPair { native: NATIVE * step(index), mercury: MERCURY * step(index) };
        pairs.extend((0..code.len()).map(pair));
        ops = mercury_to_native(&ops, 0, &pairs, &[0], 0x10_0000);
    }
    let rows = rows(ops);
    // A row that repeats the one before has no number.
    let repeats = |pair: &[LineRow]| (pair[0].address, pair[0].line) == (pair[1].address, pair[1].line);
    let mut numbered: Vec<LineRow> = rows.first().copied().into_iter().collect();
    numbered.extend(rows.windows(2).filter(|pair| !repeats(pair)).map(|pair| pair[1]));
    let at = |address: u64| rows.partition_point(|row| row.address <= address);
    (0..code.len()).map(|index| frames(&numbered, rows[..at(NATIVE * step(index))].last())).collect()
}

fn rows(ops: Vec<LineOp>) -> Vec<LineRow> {
    let sequence = Sequence { base: 0, base_offset: 0, ops, end: 0x10_0000 };
    let table = LineTable {
        params: DWARF2_PARAMS,
        directories: Vec::new(),
        files: Vec::new(),
        debug_str_base: None,
        has_lone_end: false,
        sequences: Vec::new(),
    };
    table.rows(&sequence).collect()
}

/// The frames of a row.
fn frames(numbered: &[LineRow], row: Option<&LineRow>) -> Vec<TableFrame> {
    let mut next = row.copied();
    let mut frames = Vec::new();
    while let Some(row) = next {
        let callee = (row.context != 0).then_some(row.name as u32);
        frames.push(TableFrame { callee, file: row.file as u16, line: row.line });
        next = (row.context as usize).checked_sub(1).and_then(|index| numbered.get(index)).copied();
    }
    frames
}

/// Compares both, and counts the chains, and those that are not what the `.loc` says.
fn compare(locs: &[LocRow], code: &[usize], starts: bool, counts: &mut [usize; 2]) {
    for rules in [LineTableRules::FromLocs, LineTableRules::FromMercury] {
        let ours = table_frames(locs, code, rules, starts);
        assert_eq!(ours, written(locs, code, rules, starts), "{rules:?} {starts} {code:?} {locs:#?}");
        counts[0] += code.len();
        let lost = code.iter().zip(&ours).filter(|(loc, shown)| loc_frames(locs, **loc) != **shown);
        counts[1] += lost.count();
    }
}

#[test]
fn random_functions_have_the_chains_of_their_tables() {
    let mut random = Random(25);
    let mut counts = [0; 2];
    for _ in 0..20_000 {
        let mut below = |limit: u32| random.below(limit);
        let mut locs: Vec<LocRow> = Vec::new();
        for index in 0..=below(12) as usize {
            let site = below(index as u32 + 3) as usize;
            locs.push(LocRow {
                file: 1 + below(2) as u16,
                line: below(6),
                name: 7 + below(3),
                call_site: (site < index).then_some(site),
            });
        }
        let code: Vec<usize> = (0..locs.len()).filter(|_| below(4) > 0).collect();
        compare(&locs, &code, below(2) == 0, &mut counts);
    }
    assert!(counts[1] > 1_000, "{counts:?}");
}

#[test]
fn functions_of_the_corpus_have_the_chains_of_their_tables() {
    let (mut functions, mut counts) = (0, [0; 2]);
    for path in corpus_root::files("ptx") {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let parsed = ptx_syntax::parse(&text);
        let mut call_sites = CallSites::of(&parsed.module);
        for function in parsed.module.functions() {
            call_sites.begin_function();
            let (first, mut locs, mut code) = (call_sites.next_number(), Vec::new(), Vec::new());
            for statement in function.body.iter().flat_map(|body| &body.statements) {
                match statement {
                    Statement::Loc(loc) => {
                        let call_site = match call_sites.take(loc) {
                            Some(CallSite::Here(number)) => Some((number - first) as usize),
                            _ => None,
                        };
                        let label = loc.inlined_at.as_ref().map_or("", |at| at.function_name.text);
                        let name =
                            label.bytes().fold(7, |sum: u32, byte| sum.wrapping_mul(31) + u32::from(byte));
                        locs.push(LocRow { file: loc.file as u16, line: loc.line as u32, name, call_site });
                    }
                    Statement::Instruction(_) if code.last() != locs.len().checked_sub(1).as_ref() => {
                        code.extend(locs.len().checked_sub(1));
                    }
                    _ => {}
                }
            }
            if locs.iter().any(|loc: &LocRow| loc.call_site.is_some()) {
                functions += 1;
                compare(&locs, &code, function.kind != FunctionKind::Entry, &mut counts);
            }
        }
    }
    assert!(functions >= corpus_root::at_least(300), "{functions}");
    assert!(counts[1] * 100 > counts[0], "{counts:?}");
}
