//! Fuzz target: instructions with locations, entry rows and address pairs. Contexts name rows
//! before them.
//!
//! Where addresses ascend, the program can be written and reads back.

use crate::Target;
use crate::seeds::sections;
use arbitrary::{Arbitrary, Result, Unstructured};
use dwarf2_writer::line::Params;
use dwarf2_writer::{Address, SymbolId};
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::line::{self, LineOp, LineTable, Sequence};
use nv_debug_sections::line_table::{
    AddressPair, EntryRow, FunctionStart, Loc, LocId, LocatedInstruction, line_program_from_locs,
    mercury_to_native, ptx_lines,
};
use nv_debug_sections::release::Release;

/// What errors call the section.
const NAME: &str = SectionKind::DebugLine.name();

/// What a fuzzer chooses; small numbers, so that values meet.
#[derive(Debug, Arbitrary)]
struct Input {
    /// Whether addresses ascend, as the rules' documentation asks. Else nothing must panic, no
    /// more.
    ascending: bool,
    /// File, line, name, parent.
    locs: Vec<(u8, u8, u8, Option<u8>)>,
    /// Address or step, directive.
    located: Vec<(ChosenAddress, Option<u8>)>,
    entries: Vec<(ChosenAddress, u8, bool)>,
    /// Native and Mercury places.
    pairs: Vec<(ChosenAddress, ChosenAddress)>,
    starts: Vec<(ChosenAddress, Option<u8>, Option<u8>)>,
    /// Steps of a Mercury program that no rule would write.
    program: Vec<Step>,
}

/// An address, or where they ascend the step to it in instructions of 16 bytes; `Far` leaves 32
/// bits.
#[derive(Debug, Clone, Copy, Arbitrary)]
enum ChosenAddress {
    Near(u8),
    Far(u64),
}

#[derive(Debug, Clone, Copy, Arbitrary)]
enum Step {
    File(u64),
    Context { row: u64, name: u64 },
    NearContext { row: u8, name: u8 },
    Entry(u8),
    Advance(ChosenAddress),
    Row(ChosenAddress, u8),
}

/// Turns places into addresses.
struct Addresses {
    ascending: bool,
    at: u64,
}

impl Addresses {
    fn next(&mut self, place: ChosenAddress) -> u64 {
        match (place, self.ascending) {
            (ChosenAddress::Near(step), true) => self.at += u64::from(step % 4) * 16,
            (ChosenAddress::Far(step), true) => self.at += step & 0xffff_fff0,
            (ChosenAddress::Near(address), false) => self.at = u64::from(address),
            (ChosenAddress::Far(address), false) => self.at = address,
        }
        self.at
    }
}

impl Input {
    fn addresses(&self) -> Addresses {
        Addresses { ascending: self.ascending, at: 0 }
    }

    /// Directives: parents come earlier where the input is one that the rules ask for.
    fn locs(&self) -> Vec<Loc> {
        let loc = |(id, &(file, line, name, parent)): (usize, &(u8, u8, u8, Option<u8>))| {
            let parent = match parent.map(usize::from) {
                Some(parent) if self.ascending => id.checked_sub(parent % 4 + 1),
                parent => parent,
            };
            let parent = parent.map(|parent| LocId(parent as u32));
            Loc { file: file.into(), line: line.into(), name: name.into(), parent }
        };
        self.locs.iter().enumerate().map(loc).collect()
    }

    fn located(&self) -> Vec<LocatedInstruction> {
        let mut addresses = self.addresses();
        let located = |&(place, loc): &(ChosenAddress, Option<u8>)| LocatedInstruction {
            address: addresses.next(place),
            loc: loc.map(|loc| LocId(loc.into())),
        };
        self.located.iter().map(located).collect()
    }

    fn entries(&self) -> Vec<EntryRow> {
        let mut addresses = self.addresses();
        let entry = |&(place, loc, flagged): &(ChosenAddress, u8, bool)| EntryRow {
            address: addresses.next(place),
            loc: LocId(loc.into()),
            flagged,
        };
        self.entries.iter().map(entry).collect()
    }

    fn starts(&self) -> Vec<FunctionStart> {
        let mut addresses = self.addresses();
        let start = |&(place, loc, line): &(ChosenAddress, Option<u8>, Option<u8>)| FunctionStart {
            address: addresses.next(place),
            first_loc: loc.map(|loc| LocId(loc.into())),
            ptx_line: line.map(u32::from),
        };
        self.starts.iter().map(start).collect()
    }

    /// Native addresses ascend; the Mercury order is free.
    fn pairs(&self) -> Vec<AddressPair> {
        let mut native = self.addresses();
        let mut mercury = Addresses { ascending: false, at: 0 };
        let pair = |&(from, to): &(ChosenAddress, ChosenAddress)| AddressPair {
            native: native.next(from),
            mercury: mercury.next(to),
        };
        self.pairs.iter().map(pair).collect()
    }

    fn program(&self) -> Vec<LineOp> {
        let mut addresses = self.addresses();
        let op = |&step: &Step| match step {
            Step::File(file) => LineOp::SetFile(file),
            Step::Context { row: context, name } => LineOp::InlinedCall { context, name },
            Step::NearContext { row, name } => LineOp::InlinedCall { context: row.into(), name: name.into() },
            Step::Entry(flag) => LineOp::EntryRow(flag),
            Step::Advance(place) => LineOp::Advance(addresses.next(place)),
            Step::Row(place, line) => LineOp::Row { address: addresses.next(place), line: line.into() },
        };
        self.program.iter().map(op).collect()
    }
}

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(100_000, 600);
    target.run_on_damaged(3_000, &sections());
}

/// Applies all rules to the instructions that `data` stands for.
pub(crate) fn run(data: &[u8]) {
    let input: Result<Input> = Unstructured::new(data).arbitrary();
    let Ok(input) = input else { return };
    let (locs, located, entries, starts) = (input.locs(), input.located(), input.entries(), input.starts());
    check(&line_program_from_locs(&locs, &located, &entries, Space::Native, Release::V13_0), input.ascending);
    let mercury = line_program_from_locs(&locs, &located, &entries, Space::Mercury, Release::V13_0);
    check(&mercury, input.ascending);

    let (pairs, natives) = (input.pairs(), starts.iter().map(|start| start.address).collect::<Vec<_>>());
    for program in [mercury, input.program()] {
        check(&mercury_to_native(&program, 0, &pairs, &natives, 0), input.ascending);
    }

    let mut addresses = input.addresses();
    let lines: Vec<_> =
        input.pairs.iter().zip(0..).map(|(&(place, _), line)| (addresses.next(place), line)).collect();
    let (locs, located, entries) = ptx_lines(0, &lines, &starts);
    // Each function has code of its own on the line of its `{`, or none.
    assert!((lines.len()..=lines.len() + entries.len()).contains(&located.len()));
    assert_eq!(locs.len(), lines.len() + entries.len());
    check(&line_program_from_locs(&locs, &located, &entries, Space::Native, Release::V13_0), input.ascending);
}

/// Contexts name earlier rows; where addresses ascend the program can be written, and comes back.
fn check(ops: &[LineOp], ascending: bool) {
    let mut rows = 0;
    for op in ops {
        match op {
            LineOp::Row { .. } => rows += 1,
            LineOp::InlinedCall { context, .. } => assert!(*context <= rows, "{op:?} after {rows} rows"),
            _ => {}
        }
    }
    let mut addresses = ops.iter().filter_map(|op| match op {
        LineOp::Advance(address) | LineOp::Row { address, .. } => Some(*address),
        _ => None,
    });
    if !ascending {
        return;
    }
    assert!(addresses.clone().is_sorted());
    let end = addresses.next_back().unwrap_or(0) + 16; // after the last instruction
    let sequence = Sequence { base: 0, base_offset: 0, ops: ops.to_vec(), end };
    let table = LineTable {
        params: Params::default(),
        directories: Vec::new(),
        files: Vec::new(),
        debug_str_base: Some(0),
        has_lone_end: false,
        sequences: vec![sequence],
    };
    let base = Address::Symbol { symbol: SymbolId(1), addend: 0 };
    let section = line::encode(NAME, &table, Some(SymbolId(2)), |_, _| base);
    let section = section.expect("ascending addresses can be written");
    let decoded = line::decode(NAME, &section.bytes).expect("what was encoded can be decoded");
    let [decoded] = &*decoded else { panic!("one unit was encoded") };
    let [sequence] = &*decoded.sequences else { panic!("one sequence was encoded") };
    let relocs: Vec<_> =
        section.relocs.iter().map(|reloc| (reloc.symbol, reloc.offset, reloc.width)).collect();
    assert_eq!(relocs, [(SymbolId(2), sequence.base_offset - 7, 4), (SymbolId(1), sequence.base_offset, 8)]);
    assert_eq!((&*sequence.ops, sequence.end), (ops, end));
}
