//! Decoding of `.debug_line` and `.nv_debug_line_sass`.

use super::contents::Contents;
use super::dump_source::DumpSource;
use super::open_section::OpenSection;
use super::relocated_view::RelocatedView;
use super::span::Span;
use super::stream::{ItemStream, StreamPart, Visit};
use super::unclaimed_bytes::UnclaimedBytes;
use super::with_offset::WithOffset;
use crate::limits::SHARED_PATHS;
use crate::symbolize::{CalleeName, CalleeNames, NameUncertainty, UnitNames};
use dwarf2_reader::WorkBudget;
use dwarf2_reader::constants::DW_LNE;
use dwarf2_writer::line::Params;
use nv_debug_sections::Result;
use nv_debug_sections::line::{self, LineOp, SequenceOffsets, SequenceProgram, Steps, UnitProgram};
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::ControlFlow;
use std::rc::Rc;

pub(super) fn lines<'s, 'c>(
    source: &'s DumpSource<'c, '_>,
    opened: &'s OpenSection<'c>,
) -> Result<Contents<'s>> {
    let (view, strings) = (opened.view()?, opened.strings()?);
    let units = || line::unit_programs(&view.name, &view.data.bytes);
    let mut used = Vec::new();
    for unit in units() {
        used.push(names_of(&unit?)?);
    }
    let reader = Rc::new(Reader { source, view, names: CalleeNames::new(strings, used) });
    let mut budget = Budget {
        names: WorkBudget::of_strings(view.data.bytes.len() as u64, strings.len() as u64),
        paths: WorkBudget::of_input(view.data.bytes.len() as u64, SHARED_PATHS),
    };
    for (number, unit) in units().enumerate() {
        reader.check(number, &unit?, &mut budget)?;
    }
    Ok(Contents::Lines(ItemStream::new(move |visit| {
        for (number, unit) in units().map_while(Result::ok).enumerate() {
            let unit = Rc::new(unit);
            let (own, program) = (Rc::clone(&reader), Rc::clone(&unit));
            let sequences = ItemStream::new(move |visit| {
                for sequence in program.sequences().map_while(Result::ok) {
                    if let Some(sequence) = own.sequence(number, sequence) {
                        visit(StreamPart::Item(sequence))?;
                    }
                }
                ControlFlow::Continue(())
            });
            if source.filter.is_some() && sequences.find_map(Some).is_none() {
                continue;
            }
            let (for_directories, for_files) = (Rc::clone(&unit), Rc::clone(&unit));
            visit(StreamPart::Item(LineUnit {
                at: Span { offset: unit.offset, size: unit.size() },
                header_size: unit.header_size,
                number,
                params: unit.table.params.into(),
                directories: ItemStream::new(move |visit| {
                    let mut directories = for_directories.table.directories.iter();
                    directories.try_for_each(|directory| visit(StreamPart::Item(lossy(directory))))
                }),
                files: ItemStream::new(move |visit| {
                    let table = &for_files.table;
                    (1..).zip(&table.files).try_for_each(|(number, file)| {
                        visit(StreamPart::Item(LineFile {
                            number,
                            path: table.path(number).unwrap_or_else(|| lossy(&file.name)),
                            mtime: file.mtime,
                            size: file.size,
                        }))
                    })
                }),
                debug_str_base: unit.table.debug_str_base,
                sequences,
                unit,
            }))?;
        }
        ControlFlow::Continue(())
    })))
}

/// The names that the rows of a unit use.
fn names_of(unit: &UnitProgram<'_>) -> Result<UnitNames> {
    let mut used = Vec::new();
    for sequence in unit.sequences() {
        used.extend(sequence?.steps().filter_map(|(op, _)| match op {
            LineOp::InlinedCall { context: 1.., name } | LineOp::SetFunctionName(name) => Some(name),
            _ => None,
        }));
    }
    used.sort_unstable();
    used.dedup();
    used.shrink_to_fit();
    Ok(UnitNames { base: unit.table.debug_str_base, used })
}

/// What the rows of a section may still refer to.
struct Budget {
    names: WorkBudget,
    paths: WorkBudget,
}

struct Reader<'s, 'c, 'd> {
    source: &'s DumpSource<'c, 'd>,
    view: &'s RelocatedView<'c>,
    names: CalleeNames<'s>,
}

impl<'s> Reader<'s, '_, '_> {
    /// Where a sequence starts: code section and offset.
    fn place(&self, sequence: &SequenceProgram<'_>) -> Option<(&'s str, u64)> {
        match self.view.data.target(sequence.base_offset) {
            Some(target) => {
                target.section.map(|section| (self.source.cubin.section_name(section), target.offset))
            }
            None => self.source.at_address(sequence.base),
        }
    }

    /// The ranges of code at that place that the filter wants; `None` for all.
    fn wanted(&self, place: Option<(&str, u64)>) -> Option<Vec<(u64, u64)>> {
        let filter = self.source.filter.as_ref()?;
        Some(place.into_iter().flat_map(|(section, _)| filter.ranges_in(section)).collect())
    }

    /// Rejects rows that share long names so often that the output would be too long.
    fn check(&self, number: usize, unit: &UnitProgram<'_>, budget: &mut Budget) -> Result<()> {
        let name = &self.view.name;
        // The bytes of each file's path with the colon; that the paths are not too long is checked
        // here too.
        let paths = unit.table.path_sizes(name)?;
        for sequence in unit.sequences() {
            let sequence = sequence?;
            let wanted = self.wanted(self.place(&sequence));
            let mut steps = sequence.steps();
            while let Some((op, _)) = steps.next() {
                if !matches!(op, LineOp::Row { .. }) || !is_wanted(wanted.as_deref(), steps.row().address) {
                    continue;
                }
                let row = steps.row();
                let callee = (row.context != 0).then(|| self.names.get(number, row.name));
                let length = callee.and_then(|callee| callee.name).map_or(0, <[u8]>::len);
                self.view.take_text(&mut budget.names, length, sequence.base_offset)?;
                let file = usize::try_from(row.file).ok().and_then(|file| paths.get(file.checked_sub(1)?));
                self.view.take_text(&mut budget.paths, file.copied().unwrap_or(0), sequence.base_offset)?;
            }
        }
        Ok(())
    }

    /// Returns a sequence of unit number `unit`, or the part of it that the filter selects.
    fn sequence(self: &Rc<Self>, unit: usize, sequence: SequenceProgram<'s>) -> Option<LineSequence<'s>> {
        let place = self.place(&sequence);
        let wanted = self.wanted(place);
        if wanted.as_ref().is_some_and(Vec::is_empty) {
            return None;
        }
        let start = place.map(|(section, offset)| format!("{section}+{offset:#x}"));
        let at = Span { offset: sequence.offset, size: sequence.size };
        let (end, reader) = (sequence.end, Rc::clone(self));
        let rows = ItemStream::new(move |visit| reader.rows(unit, &sequence, wanted.as_deref(), visit));
        Some(LineSequence { at, header_size: SequenceOffsets::START_SIZE, start, end, rows })
    }

    fn rows(
        &self,
        unit: usize,
        sequence: &SequenceProgram<'_>,
        wanted: Option<&[(u64, u64)]>,
        visit: &mut Visit<'_, LineRow>,
    ) -> ControlFlow<()> {
        let mut ops = PlacedOps::new(sequence);
        while let Some((at, operations)) = ops.next_row(self.source.at) {
            let row = ops.steps.row();
            if !is_wanted(wanted, row.address) {
                continue;
            }
            let callee = (row.context != 0).then(|| self.names.get(unit, row.name));
            visit(StreamPart::Item(LineRow {
                at,
                number: ops.steps.row_number(),
                address: row.address,
                file: row.file,
                line: row.line,
                column: (row.column != 0).then_some(row.column),
                is_stmt: row.is_stmt,
                context: row.context,
                callee: callee.map(callee_text),
                callee_doubt: callee.and_then(|callee| callee.uncertainty).map(NameUncertainty::reason),
                entry: row.entry,
                operations,
            }))?;
        }
        ops.after_rows(sequence.offset + sequence.size, visit)
    }
}

/// Whether an address is in one of the ranges, if there are any.
fn is_wanted(wanted: Option<&[(u64, u64)]>, address: u64) -> bool {
    wanted.is_none_or(|ranges| ranges.iter().any(|(start, end)| (*start..*end).contains(&address)))
}

/// The operations of a sequence, row by row.
struct PlacedOps<'s> {
    steps: Steps<'s>,
    /// Where the next one starts.
    start: u64,
    /// The state after the last row, and the byte offset at which the operations that follow it
    /// start.
    after_last: (Steps<'s>, u64),
}

impl<'s> PlacedOps<'s> {
    fn new(sequence: &SequenceProgram<'s>) -> Self {
        let (steps, start) = (sequence.steps(), sequence.offset + SequenceOffsets::START_SIZE);
        Self { after_last: (steps.clone(), start), steps, start }
    }

    /// Returns the bytes up to the next row, and those of their operations that no member of a
    /// [`LineRow`] shows; all of them if the byte at `asked` is among them. `None` if no row
    /// follows.
    fn next_row(&mut self, asked: Option<u64>) -> Option<(Span, Vec<WithOffset<String>>)> {
        let mut silent = Vec::new();
        let mut at = Span { offset: self.start, size: 0 };
        loop {
            let (op, end) = self.steps.next()?;
            let own = Span::between(at.end(), end);
            at = Span::between(at.offset, end);
            if is_silent(&op) {
                silent.push(WithOffset { at: own, value: words(&op) });
            }
            if matches!(op, LineOp::Row { .. }) {
                break;
            }
        }
        let before = std::mem::replace(&mut self.after_last, (self.steps.clone(), at.end()));
        self.start = at.end();
        if asked.is_some_and(|offset| at.has(offset)) {
            let (before, mut start) = before;
            let all = before.take_while(|(_, end)| *end <= at.end());
            silent = all
                .map(|(op, end)| WithOffset { at: Span::until(&mut start, end), value: words(&op) })
                .collect();
        }
        Some((at, silent))
    }

    /// What is after the last row: operations, and the end of the sequence.
    fn after_rows<T>(self, end: u64, visit: &mut Visit<'_, T>) -> ControlFlow<()> {
        let (steps, mut start) = self.after_last;
        for (op, end) in steps {
            visit(StreamPart::Rest(UnclaimedBytes::new(Span::until(&mut start, end), words(&op))))?;
        }
        visit(StreamPart::Rest(UnclaimedBytes::new(Span::until(&mut start, end), "end of sequence")))
    }
}

/// Whether the rows that follow show no effect of the operation.
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
    callee.name.map_or_else(|| format!("?? (.debug_str+{:#x})", callee.offset), lossy)
}

/// Bytes as text; what is not UTF-8 is replaced.
fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A unit of a line section: its header, and the rows of its sequences.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LineUnit<'s> {
    /// The byte range of the unit in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Number of bytes from the start of the unit to its first sequence. The sequences follow one
    /// another from there to the end of the unit.
    pub header_size: u64,
    /// The number of the unit in its section, from 0.
    pub number: usize,
    /// The parameters in the unit's header, such as `line_base`.
    pub params: LineParams,
    /// The directories in the unit's header; the first has number 1.
    pub directories: ItemStream<'s, String>,
    /// The files in the unit's header, to which rows refer.
    pub files: ItemStream<'s, LineFile>,
    /// The byte offset in `.debug_str` from which the unit counts the names of inlined functions;
    /// `None` if the header has none.
    pub debug_str_base: Option<u32>,
    /// The rows of the unit, one sequence for each stretch of code.
    pub sequences: ItemStream<'s, LineSequence<'s>>,
    /// Its header, for the paths of rows.
    #[serde(skip)]
    pub(super) unit: Rc<UnitProgram<'s>>,
}

impl LineUnit<'_> {
    /// The path of a file of the line unit, by the file's 1-based number in the header.
    pub fn path(&self, number: u64) -> Option<String> {
        let table = &self.unit.table;
        let file = table.files.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
        Some(table.path(number).unwrap_or_else(|| String::from_utf8_lossy(&file.name).into_owned()))
    }
}

/// The parameters in a line unit's header, by the names of DWARF 2 (§6.2.4).
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineParams {
    /// The DWARF version of the unit: 2, or 3 from CUDA 13.5 on.
    pub version: u16,
    /// The size in bytes of the units in which the line program advances addresses.
    pub minimum_instruction_length: u8,
    /// The initial value of `is_stmt`: whether a row begins a statement unless an opcode says
    /// otherwise.
    pub default_is_stmt: bool,
    /// The number of lines that the lowest special opcode advances by; it may be negative.
    pub line_base: i8,
    /// The number of different line advances that special opcodes have.
    pub line_range: u8,
    /// The number of the lowest special opcode.
    pub opcode_base: u8,
}

impl From<Params> for LineParams {
    fn from(params: Params) -> Self {
        let Params {
            version,
            minimum_instruction_length,
            default_is_stmt,
            line_base,
            line_range,
            opcode_base,
        } = params;
        Self { version, minimum_instruction_length, default_is_stmt, line_base, line_range, opcode_base }
    }
}

/// A source file in the file table of a line unit's header.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LineFile {
    /// The number of the file, from 1, by which rows refer to it.
    pub number: u64,
    /// The path of the file, with its directory.
    pub path: String,
    /// The time of the file's last change, in seconds since 1970; 0 if unknown.
    pub mtime: u64,
    /// The size of the file in bytes; 0 if unknown.
    pub size: u64,
}

/// The rows that a line unit has for one code section.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LineSequence<'s> {
    /// The byte range of the sequence in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Number of bytes from the start of the sequence to its first row. The rows follow one another
    /// from there to the end of the sequence.
    pub header_size: u64,
    /// The code section and byte offset from which the addresses of the sequence count, such as
    /// `.text.saxpy+0x0`; `None` where the linker dropped the function.
    pub start: Option<String>,
    /// The end address of the sequence, in bytes from `start`.
    pub end: u64,
    /// The rows of the sequence, in file order.
    pub rows: ItemStream<'s, LineRow>,
}

/// A row of a line table.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LineRow {
    /// The byte range of the row's operations in the section.
    #[serde(flatten)]
    pub at: Span,
    /// The number of the row, by which `context` of other rows refers to it; `None` for a row that
    /// ptxas writes twice and does not count.
    pub number: Option<u32>,
    /// The address of the row, in bytes from the start of its sequence.
    pub address: u64,
    /// The number of the row's file in the unit's header, from 1; 0 for none.
    pub file: u64,
    /// The source line in the file, from 1; 0 for none.
    pub line: u32,
    /// Number of the row of the call site if the code was inlined, else 0.
    pub context: u64,
    /// The column in the source line, from 1. Absent where the table gives none; ptxas writes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// `false` where the row does not begin a statement. Absent where it does.
    #[serde(skip_serializing_if = "Clone::clone")]
    pub is_stmt: bool,
    /// Name of the inlined function; `None` where `context` is 0.
    pub callee: Option<String>,
    /// Why `callee` may be wrong. Absent where it is certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callee_doubt: Option<&'static str>,
    /// Whether NVIDIA's opcode 0x92 marks the row as the entry of a function.
    pub entry: bool,
    /// The opcodes in the bytes of the row that no other member shows, in words, such as one that
    /// only advances the address. For the row that `--offset` asks for, all its opcodes. The bytes
    /// of a row are all opcodes since the row before. Absent where there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<WithOffset<String>>,
}
