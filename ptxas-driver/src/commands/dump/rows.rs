//! `.debug_line` and `.nv_debug_line_sass`.

use super::model::{Contents, LineFile, LineRow, LineSequence, LineUnit, Located, Rest, Span};
use super::section::{Decoded, Source, View, string_budget, take};
use crate::commands::read::{doubt_text, text};
use dwarf2_reader::WorkBudget;
use dwarf2_reader::constants::DW_LNE;
use nv_debug_sections::Result;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::line::{self, LineOp, PlacedSequence, PlacedTable, Sequence};
use nv_debug_sections::symbolize::{CalleeName, CalleeNames, Rows, UnitNames};

pub(super) fn lines(source: &Source<'_, '_>, view: &View<'_>) -> Result<Decoded> {
    let strings = source.sibling(&view.name, SectionKind::DebugStr)?;
    let strings = strings.as_ref().map_or(&[][..], |view| &view.data.bytes);
    let tables = line::decode_placed(&view.name, &view.data.bytes)?;
    let names = CalleeNames::new(strings, tables.iter().map(|placed| UnitNames::of(&placed.table)));
    let budget = string_budget(&view.data.bytes, strings);
    let mut reader = Reader { source, view, names, budget, rest: Vec::new() };
    let mut units = Vec::new();
    for (number, placed) in tables.iter().enumerate() {
        let PlacedTable { table, offset, header_size, size, sequences: places } = placed;
        let mut sequences = Vec::new();
        for (sequence, place) in table.sequences.iter().zip(places) {
            sequences.extend(reader.sequence((number, placed), sequence, place)?);
        }
        if source.filter.is_some() && sequences.is_empty() {
            continue;
        }
        let paths = table.paths(&view.name)?;
        let files = (1..).zip(table.files.iter().zip(paths)).map(|(number, (file, path))| LineFile {
            number,
            path: path.unwrap_or_else(|| text(&file.name)),
            mtime: file.mtime,
            size: file.size,
        });
        units.push(LineUnit {
            at: Span { offset: *offset, size: *size },
            header_size: *header_size,
            number,
            params: table.params.into(),
            directories: table.directories.iter().map(|directory| text(directory)).collect(),
            files: files.collect(),
            debug_str_base: table.debug_str_base,
            sequences,
        });
    }
    Ok((Contents::Lines(units), reader.rest).into())
}

struct Reader<'r, 'c, 'd> {
    source: &'r Source<'c, 'd>,
    view: &'r View<'c>,
    names: CalleeNames<'r>,
    budget: WorkBudget,
    /// The ends of sequences.
    rest: Vec<Rest>,
}

impl Reader<'_, '_, '_> {
    /// A sequence of a unit, which has a number, or as much of it as the filter lets through.
    fn sequence(
        &mut self,
        (unit, PlacedTable { table, .. }): (usize, &PlacedTable<'_>),
        sequence: &Sequence,
        placed: &PlacedSequence,
    ) -> Result<Option<LineSequence>> {
        let place = match self.view.data.target(sequence.base_offset) {
            Some(target) => {
                target.section.map(|section| (self.source.cubin.section_name(section), target.offset))
            }
            None => self.source.at_address(sequence.base),
        };
        let mut wanted: Option<Vec<(u64, u64)>> = None;
        if let Some(filter) = &self.source.filter {
            let ranges: Vec<_> =
                place.into_iter().flat_map(|(section, _)| filter.ranges_in(section)).collect();
            if ranges.is_empty() {
                return Ok(None);
            }
            wanted = Some(ranges);
        }
        let is_wanted = |address: u64| {
            let mut ranges = wanted.iter().flatten();
            wanted.is_none() || ranges.any(|(start, end)| (*start..*end).contains(&address))
        };
        let start = place.map(|(section, offset)| format!("{section}+{offset:#x}"));
        let numbered = Rows::new(unit, table, sequence);
        let mut ops = PlacedOps::new(sequence, placed);
        let mut rows = Vec::new();
        for (index, row) in numbered.all().iter().enumerate() {
            let (at, operations) = ops.of_row(self.source.at);
            if !is_wanted(row.address) {
                continue;
            }
            let callee = (row.context != 0).then(|| self.names.get(unit, row.name));
            let length = callee.and_then(|callee| callee.name).map_or(0, <[u8]>::len);
            take(&mut self.budget, length, self.view, sequence.base_offset)?;
            rows.push(LineRow {
                at,
                number: numbered.number(index),
                address: row.address,
                file: row.file,
                line: row.line,
                column: (row.column != 0).then_some(row.column),
                is_stmt: row.is_stmt,
                context: row.context,
                callee: callee.map(callee_text),
                callee_doubt: callee.and_then(|callee| callee.doubt).map(doubt_text),
                entry: row.entry,
                operations,
            });
        }
        let at = Span { offset: placed.offset, size: placed.size };
        self.rest.extend(ops.after_rows(at.end()));
        Ok(Some(LineSequence { at, header_size: PlacedSequence::START_SIZE, start, end: sequence.end, rows }))
    }
}

/// The operations of a sequence, row by row.
struct PlacedOps<'s> {
    left: std::iter::Zip<std::slice::Iter<'s, LineOp>, std::slice::Iter<'s, u64>>,
    /// Where the next one starts.
    start: u64,
}

impl<'s> PlacedOps<'s> {
    fn new(sequence: &'s Sequence, placed: &'s PlacedSequence) -> Self {
        let left = sequence.ops.iter().zip(&placed.op_ends);
        Self { left, start: placed.offset + PlacedSequence::START_SIZE }
    }

    /// What leads to the next row, and those operations of it that no member of a [`LineRow`] tells; all if the byte at `asked` is there.
    fn of_row(&mut self, asked: Option<u64>) -> (Span, Vec<Located<String>>) {
        let mut silent = Vec::new();
        let before = self.left.clone();
        let mut at = Span { offset: self.start, size: 0 };
        for (op, end) in self.left.by_ref() {
            let own = Span::between(at.end(), *end);
            at = Span::between(at.offset, *end);
            if is_silent(op) {
                silent.push(Located { at: own, value: words(op) });
            }
            if matches!(op, LineOp::Row { .. }) {
                break;
            }
        }
        self.start = at.end();
        if asked.is_some_and(|offset| at.has(offset)) {
            let mut start = at.offset;
            let all = before.take_while(|(_, end)| **end <= at.end());
            silent = all
                .map(|(op, end)| Located { at: Span::until(&mut start, *end), value: words(op) })
                .collect();
        }
        (at, silent)
    }

    /// What is behind the last row: operations, and the end of the sequence.
    fn after_rows(mut self, end: u64) -> Vec<Rest> {
        let mut start = self.start;
        let own = self.left.by_ref().map(|(op, end)| Rest::new(Span::until(&mut start, *end), words(op)));
        let mut rest: Vec<_> = own.collect();
        rest.push(Rest::new(Span::until(&mut start, end), "end of sequence"));
        rest
    }
}

/// Whether the rows that follow show nothing of it.
fn is_silent(op: &LineOp) -> bool {
    !matches!(
        op,
        LineOp::Row { .. }
            | LineOp::SetFile(_)
            | LineOp::SetColumn(_)
            | LineOp::NegateStmt
            | LineOp::InlinedCall { .. }
            | LineOp::SetFunctionName(_)
            | LineOp::EntryRow(_)
    )
}

/// An operation in words.
fn words(op: &LineOp) -> String {
    match op {
        LineOp::SetFile(file) => format!("DW_LNS_set_file {file}"),
        LineOp::SetColumn(column) => format!("DW_LNS_set_column {column}"),
        LineOp::NegateStmt => "DW_LNS_negate_stmt".to_owned(),
        LineOp::SetBasicBlock => "DW_LNS_set_basic_block".to_owned(),
        LineOp::SetPrologueEnd => "DW_LNS_set_prologue_end".to_owned(),
        LineOp::SetEpilogueBegin => "DW_LNS_set_epilogue_begin".to_owned(),
        LineOp::SetIsa(isa) => format!("DW_LNS_set_isa {isa}"),
        LineOp::InlinedCall { context, name } => {
            format!("DW_LNE_NVIDIA_inlined_call: row {context}, name {name:#x}")
        }
        LineOp::SetFunctionName(name) => format!("DW_LNE_NVIDIA_set_function_name: name {name:#x}"),
        LineOp::EntryRow(flag) => format!("DW_LNE 0x92: entry row {flag}"),
        LineOp::Advance(address) => format!("address {address:#x}, line as before"),
        LineOp::Row { address, line } => format!("row: address {address:#x}, line {line}"),
        LineOp::Extended { opcode, operands } => {
            let name = DW_LNE.name(*opcode).map_or_else(|| format!("DW_LNE {opcode:#04x}"), str::to_owned);
            format!("{name}: bytes {operands:02x?}")
        }
        other => format!("{other:?}"),
    }
}

fn callee_text(callee: CalleeName<'_>) -> String {
    callee.name.map_or_else(|| format!("?? (.debug_str+{:#x})", callee.offset), text)
}
