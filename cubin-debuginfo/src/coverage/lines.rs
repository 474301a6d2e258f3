//! Counts the instructions by what the line tables say of them.

use super::file_coverage::Files;
use super::padding::{Piece, instructions};
use super::{
    CoveredLine, FileCoverage, FunctionCoverage, INSTRUCTION_SIZE, InstructionCounts, SectionBudget,
    VariableCounts,
};
use crate::symbolize::{CoveredRange, LineTableIndex, Symbolizer};
use crate::variables::InlinedCalls;
use dwarf2_reader::WorkBudget;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::code::Code;
use nv_debug_sections::cubin::{SectionIndex, SymbolIndex};
use nv_debug_sections::line::LineRow;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// What the line tables say, by function and by file.
pub(super) struct Counted<'s> {
    pub(super) functions: Vec<FunctionCoverage<'s>>,
    pub(super) files: Vec<FileCoverage<'s>>,
    pub(super) inlined_functions: BTreeSet<String>,
}

/// Counts every piece, and adds up by function and by file.
pub(super) fn count<'s>(
    symbolizer: &'s Symbolizer<'_>,
    calls: &InlinedCalls<'_>,
    pieces: &[Piece<'s>],
) -> Result<Counted<'s>> {
    expect_few_rows(symbolizer, pieces)?;
    let mut files = Files::new(symbolizer);
    let mut tallies: Vec<Tally<'s>> = Vec::new();
    let mut by_symbol: HashMap<(SectionIndex, Option<SymbolIndex>), usize> = HashMap::new();
    let mut table: Option<Table<'_>> = None;
    let mut row_count = 0;
    for piece in pieces {
        let known = table.take().filter(|table| table.section == piece.section);
        let table = table.insert(known.unwrap_or_else(|| {
            let new = Table::new(symbolizer, calls, piece.section);
            row_count += new.rows();
            new
        }));
        let key = (piece.section, piece.function.map(|function| function.symbol));
        let number = *by_symbol.entry(key).or_insert(tallies.len());
        if number == tallies.len() {
            tallies.push(Tally::new(piece));
        }
        if let Some(tally) = tallies.get_mut(number) {
            tally.piece(piece, table, &mut files);
        }
    }
    let mut budget = SectionBudget::new(SectionKind::DebugLine.name(), row_count);
    let functions = tallies.into_iter().map(|tally| tally.finish(&mut files, &mut budget));
    let functions = functions.collect::<Result<Vec<_>>>()?;
    let (files, inlined_functions) = files.finish();
    Ok(Counted { functions, files, inlined_functions })
}

/// Refuses more rows than the code could have, since all of a section are kept while it is counted:
/// one for each instruction, and 2^20.
fn expect_few_rows(symbolizer: &Symbolizer<'_>, pieces: &[Piece<'_>]) -> Result<()> {
    let code: u64 = pieces.iter().map(|piece| piece.end.saturating_sub(piece.start)).sum();
    let mut budget = WorkBudget::of_input(code / INSTRUCTION_SIZE, 1);
    for section in pieces.chunk_by(|a, b| a.section == b.section).filter_map(<[_]>::first) {
        let tables = [
            (SectionKind::DebugLine, symbolizer.source_rows()),
            (SectionKind::NvDebugLineSass, symbolizer.ptx_rows()),
            (SectionKind::TileirDebugLine, symbolizer.intermediate_rows()),
        ];
        for (kind, table) in tables {
            for (_, rows) in table.of(section.section) {
                if !budget.take(rows.rows().count() as u64) {
                    let text = "there are too many rows for so little code to keep them";
                    return Err(Error::in_section(kind.name(), ErrorKind::Limit(text.into())));
                }
            }
        }
    }
    Ok(())
}

/// Code of one function that a row covers: byte offsets in the section.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: u64,
    end: u64,
    /// Where the row is.
    row_start: u64,
    /// Number of the sequence among those of the section.
    sequence: usize,
    /// Number of the row in it, 0-based.
    row: usize,
}

/// The rows of one sequence.
#[derive(Debug)]
struct Sequence {
    /// Where it starts in the section.
    start: u64,
    unit: usize,
    /// Whether a row of the unit has a context.
    has_contexts: bool,
    rows: Vec<LineRow>,
    /// The rows that contexts count: not one that repeats address and line of the row before
    /// (docs/formats/line-tables.md, opcodes of NVIDIA).
    counted: Vec<usize>,
}

impl Sequence {
    /// All sequences of a section, by start.
    fn all(index: &LineTableIndex<'_>, section: SectionIndex) -> Rc<[Self]> {
        let all = index.of(section);
        let new = |start, unit, rows| Self::new(start, unit, index.has_contexts(unit), rows);
        all.map(|(start, rows)| new(start, rows.unit(), rows.rows().collect())).collect()
    }

    fn new(start: u64, unit: usize, has_contexts: bool, rows: Vec<LineRow>) -> Self {
        let here = |row: &LineRow| (row.address, row.line);
        let mut counted: Vec<usize> = (0..rows.len()).collect();
        counted.dedup_by_key(|index| rows.get(*index).map(here));
        Self { start, unit, has_contexts, rows, counted }
    }

    /// The call site of a row: an earlier one.
    fn caller(&self, row: usize) -> Option<usize> {
        let number = usize::try_from(self.rows.get(row)?.context).ok()?.checked_sub(1)?;
        let caller = *self.counted.get(number)?;
        (caller < row).then_some(caller)
    }
}

/// Neighbouring instructions that have the same rows.
#[derive(Debug, Clone, Copy)]
struct InstructionRun {
    /// Where the piece of code that they are in starts.
    piece_start: u64,
    /// Byte offset of the first instruction.
    at: u64,
    /// The number of instructions.
    count: u64,
}

/// The rows of a code section in its line tables.
#[derive(Debug)]
struct Table<'v> {
    section: SectionIndex,
    sequences: Rc<[Sequence]>,
    source: Vec<Span>,
    ptx_sequences: Rc<[Sequence]>,
    ptx: Vec<Span>,
    intermediate: Vec<Span>,
    /// All source rows by ascending address, those that cover nothing too.
    by_address: Vec<(u64, usize, usize)>,
    calls: &'v InlinedCalls<'v>,
    /// Where calls begin and end, ascending.
    bounds: Vec<u64>,
}

impl<'v> Table<'v> {
    fn new(symbolizer: &Symbolizer<'_>, calls: &'v InlinedCalls<'v>, section: SectionIndex) -> Self {
        let sequences = Sequence::all(symbolizer.source_rows(), section);
        let ptx_sequences = Sequence::all(symbolizer.ptx_rows(), section);
        let mut by_address: Vec<_> = Vec::new();
        for (number, Sequence { start, rows, .. }) in sequences.iter().enumerate() {
            let rows = rows.iter().enumerate();
            by_address.extend(rows.map(|(index, row)| (start.saturating_add(row.address), number, index)));
        }
        by_address.sort_unstable();
        let source = spans(symbolizer.source_rows(), symbolizer.code(), section);
        let ptx = spans(symbolizer.ptx_rows(), symbolizer.code(), section);
        let intermediate = spans(symbolizer.intermediate_rows(), symbolizer.code(), section);
        let mut bounds: Vec<u64> = calls.bounds(section).collect();
        bounds.sort_unstable();
        Self { section, sequences, source, ptx_sequences, ptx, intermediate, by_address, calls, bounds }
    }

    fn rows(&self) -> u64 {
        self.by_address.len() as u64
    }

    /// The first offset after `offset` at which an inlined call begins or ends.
    fn next_bound(&self, offset: u64) -> u64 {
        let next = self.bounds.partition_point(|bound| *bound <= offset);
        self.bounds.get(next).copied().unwrap_or(u64::MAX)
    }

    /// File and line of the PTX at a byte offset of the section.
    fn ptx_line(&self, offset: u64) -> Option<(usize, u64, u32)> {
        let span = covering(&self.ptx, offset).0?;
        let Sequence { unit, rows, .. } = self.ptx_sequences.get(span.sequence)?;
        rows.get(span.row).map(|row| (*unit, row.file, row.line))
    }
}

/// The spans of a section in ascending order, none overlapping.
fn spans(index: &LineTableIndex<'_>, code: &Code<'_>, section: SectionIndex) -> Vec<Span> {
    let bases: Vec<u64> = index.of(section).map(|(base, _)| base).collect();
    let covered = index.covered(code, section);
    let span = |CoveredRange { range, sequence, row }| Span {
        start: range.start,
        end: range.end,
        row_start: bases.get(sequence).map_or(0, |base| base.saturating_add(row.address)),
        sequence,
        // Rows count from 1.
        row: (row.number as usize).saturating_sub(1),
    };
    covered.map(span).collect()
}

/// The span that covers `offset`, and the next offset where that changes.
fn covering(spans: &[Span], offset: u64) -> (Option<Span>, u64) {
    let after = spans.partition_point(|span| span.start <= offset);
    let next_start = spans.get(after).map_or(u64::MAX, |span| span.start);
    let nearest = after.checked_sub(1).and_then(|last| spans.get(last));
    match nearest.filter(|span| offset < span.end) {
        Some(span) => (Some(*span), span.end.min(next_start)),
        None => (None, next_start),
    }
}

/// The counts of a function while they are made.
#[derive(Debug)]
struct Tally<'s> {
    coverage: FunctionCoverage<'s>,
    sequences: Rc<[Sequence]>,
    /// Rows that instructions have: sequence and index.
    rows: BTreeSet<(usize, usize)>,
    /// Inlined calls of `.debug_info` that instructions are in, by their entries.
    calls: HashSet<usize>,
}

impl<'s> Tally<'s> {
    fn new(piece: &Piece<'s>) -> Self {
        let coverage = FunctionCoverage {
            name: piece.function.map_or(piece.section_name, |function| function.name),
            section: piece.section,
            offset: piece.start,
            kernel: piece.function.is_some_and(|function| function.kernel),
            instructions: InstructionCounts::default(),
            rows: 0,
            inlined_calls: 0,
            lines: BTreeSet::new(),
            call_lines: BTreeSet::new(),
            lost_lines: BTreeSet::new(),
            entry: false,
            parameters: VariableCounts::default(),
            locals: VariableCounts::default(),
        };
        Self { coverage, sequences: Rc::new([]), rows: BTreeSet::new(), calls: HashSet::new() }
    }

    fn piece(&mut self, piece: &Piece<'_>, table: &Table<'_>, files: &mut Files<'s>) {
        self.sequences = Rc::clone(&table.sequences);
        self.coverage.instructions.padding += piece.padding();
        let mut at = piece.start;
        while at < piece.code_end {
            let (source, source_end) = covering(&table.source, at);
            let (ptx, ptx_end) = covering(&table.ptx, at);
            let (intermediate, intermediate_end) = covering(&table.intermediate, at);
            let table_end = source_end.min(ptx_end).min(intermediate_end);
            let end = table_end.min(table.next_bound(at)).min(piece.code_end);
            let count = instructions(at, end);
            if count != 0 {
                if intermediate.is_some() {
                    self.coverage.instructions.with_intermediate_line += count;
                }
                self.add_run(
                    InstructionRun { piece_start: piece.start, at, count },
                    source,
                    ptx.is_some(),
                    table,
                    files,
                );
            }
            at = end;
        }
        let first = table.by_address.partition_point(|(address, ..)| *address < piece.start);
        let named = table.by_address.iter().skip(first).take_while(|(address, ..)| *address < piece.end);
        for (_, sequence, row) in named {
            self.coverage.rows += 1;
            self.coverage.lost_lines.extend(self.line(*sequence, *row, files));
        }
    }

    /// Counts a run of instructions.
    fn add_run(
        &mut self,
        run: InstructionRun,
        source: Option<Span>,
        has_ptx: bool,
        table: &Table<'_>,
        files: &mut Files<'s>,
    ) {
        let InstructionRun { piece_start: first, at, count } = run;
        let mut counts = InstructionCounts { all: count, ..InstructionCounts::default() };
        if has_ptx {
            counts.with_ptx_line = count;
        }
        if let Some((span, row)) = source.and_then(|span| Some((span, self.row(span.sequence, span.row)?))) {
            let ptx = table.ptx_line(at);
            let is_other_line = || ptx.is_some() && ptx != table.ptx_line(span.row_start);
            if span.row_start < first || span.row_start < at && is_other_line() {
                counts.inherited = count;
            }
            if row.context != 0 || !self.has_contexts(span.sequence) && self.is_in_calls(at, table, files) {
                counts.inlined = count;
            }
            match self.line(span.sequence, span.row, files) {
                Some(line) => {
                    counts.with_line = count;
                    counts.own = count - counts.inherited;
                    self.coverage.lines.insert(line);
                    files.take(line, count, counts.inlined);
                }
                None => counts.line_0 = count,
            }
            self.rows.insert((span.sequence, span.row));
        }
        self.coverage.instructions += counts;
    }

    /// Whether the unit of a sequence knows of inlined code.
    fn has_contexts(&self, sequence: usize) -> bool {
        self.sequences.get(sequence).is_some_and(|sequence| sequence.has_contexts)
    }

    /// Whether `.debug_info` has inlined calls at a byte offset; takes those not met before.
    fn is_in_calls(&mut self, at: u64, table: &Table<'_>, files: &mut Files<'s>) -> bool {
        let mut is_in = false;
        for call in table.calls.at(table.section, at) {
            is_in = true;
            if self.calls.insert(call.entry) {
                let name = table.calls.called_function(call).name;
                files.take_name(name);
                self.coverage.call_lines.extend(table.calls.site(call).and_then(|site| {
                    let line = u32::try_from(site.line).ok().filter(|line| *line != 0)?;
                    Some(CoveredLine { file: files.of_path(site.file?)?, line })
                }));
            }
        }
        is_in
    }

    fn row(&self, sequence: usize, row: usize) -> Option<LineRow> {
        self.sequences.get(sequence)?.rows.get(row).copied()
    }

    /// The line that a row names; `None` for line 0.
    fn line(&self, sequence: usize, row: usize, files: &mut Files<'s>) -> Option<CoveredLine> {
        let Sequence { unit, rows, .. } = self.sequences.get(sequence)?;
        let row = rows.get(row)?;
        (row.line != 0).then(|| CoveredLine { file: files.number(*unit, row.file), line: row.line })
    }

    /// Follows the call sites up.
    fn finish(mut self, files: &mut Files<'s>, budget: &mut SectionBudget) -> Result<FunctionCoverage<'s>> {
        let mut calls = HashSet::new();
        // A caller is an earlier row: by going back each is met after all that it calls.
        while let Some((sequence, row)) = self.rows.pop_last() {
            budget.spend(1, 0)?;
            let Some(called) = self.row(sequence, row).filter(|row| row.context != 0) else { continue };
            calls.insert((sequence, called.context, called.name));
            if let Some(Sequence { unit, .. }) = self.sequences.get(sequence) {
                files.take_callee(*unit, called.name);
            }
            if let Some(caller) = self.sequences.get(sequence).and_then(|sequence| sequence.caller(row)) {
                self.rows.insert((sequence, caller));
                let line = self.line(sequence, caller, files);
                self.coverage.call_lines.extend(line);
            }
        }
        let mut coverage = self.coverage;
        coverage.inlined_calls = (calls.len() + self.calls.len()) as u64;
        coverage.call_lines.retain(|line| !coverage.lines.contains(line));
        coverage.lost_lines.retain(|l| !coverage.lines.contains(l) && !coverage.call_lines.contains(l));
        files.take_lines(&coverage);
        Ok(coverage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_do_not_count_doubled_rows() {
        // As on sm_90 and later, the row at the function's start stands twice.
        let rows = [(0, 10, 0), (0, 10, 0), (16, 12, 0), (16, 30, 2), (32, 40, 3)];
        let rows = (1..).zip(rows).map(|(number, (address, line, context))| LineRow {
            number,
            address,
            file: 1,
            line,
            column: 0,
            context,
            name: 0,
            is_stmt: true,
            entry: false,
        });
        let sequence = Sequence::new(0, 0, true, rows.collect());
        let callers: Vec<_> = (0..5).map(|row| sequence.caller(row)).collect();
        assert_eq!(callers, [None, None, None, Some(2), Some(3)]);
    }
}
