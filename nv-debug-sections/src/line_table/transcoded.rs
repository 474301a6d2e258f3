//! FORMATS 1.6: native tables of sm_90 and later are the Mercury table looked up at each instruction.

use super::located::Program;
use crate::line::LineOp;
use std::collections::HashMap;

/// A native instruction and where it comes from in the Mercury stream. Both are byte offsets in the function's section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressPair {
    /// Address in the SASS of the file.
    pub native: u64,
    /// Address in Mercury space. On sm_90 that layout is hidden and the native order stands in for it.
    pub mercury: u64,
}

/// One row of the Mercury table, which is all the transcoder sees of it.
#[derive(Debug, Clone, Copy)]
struct Row {
    address: u64,
    line: u32,
    file: u32,
    name: u32,
    /// Index of the call site's row.
    parent: Option<usize>,
    entry: bool,
}

/// Rows of a Mercury program; state changes without a row are lost here, as they are in ptxas.
fn rows(mercury: &[LineOp]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let (mut file, mut context, mut name, mut entry) = (1, 0, 0, false);
    for op in mercury {
        match *op {
            LineOp::SetFile(index) => file = index as u32,
            LineOp::InlinedCall { context: row, name: offset } => {
                (context, name) = (row as usize, offset as u32);
            }
            LineOp::EntryRow(flag) => entry = flag != 0,
            LineOp::Row { address, line } => {
                let parent = context.checked_sub(1).filter(|&parent| parent < rows.len());
                rows.push(Row { address, line, file, name, parent, entry });
                entry = false;
            }
            _ => {}
        }
    }
    rows
}

/// Builds the native program of one code section's sequence.
///
/// `mercury` is the section's Mercury program ([`locations`](super::locations) with [`Table::Mercury`](super::Table::Mercury)),
/// `instructions` the native instructions in address order that begin a PTX line or a function, `starts` the native addresses of
/// functions in address order; those at whose Mercury address no row starts do not count.
pub fn transcode(mercury: &[LineOp], instructions: &[AddressPair], starts: &[u64]) -> Vec<LineOp> {
    let mut transcoder = Transcoder::new(rows(mercury));
    for (index, instruction) in instructions.iter().enumerate() {
        let covering = transcoder.rows.partition_point(|row| row.address <= instruction.mercury);
        let Some(row) = covering.checked_sub(1) else { continue };
        let row_starts_here = transcoder.rows[row].address == instruction.mercury;
        if row_starts_here && starts.binary_search(&instruction.native).is_ok() {
            transcoder.function_start(row, instruction.native, index == 0);
        } else if Some(row) != transcoder.previous {
            transcoder.instruction(row, instruction.native);
        }
    }
    transcoder.program.ops
}

/// What identifies a Mercury row to ptxas: address, line, file. The first row with a key wins.
type Key = (u64, u32, u32);

struct Transcoder {
    rows: Vec<Row>,
    program: Program,
    /// Native row number by Mercury row.
    row_of: HashMap<Key, u64>,
    /// Row of the instruction before.
    previous: Option<usize>,
    /// Row last emitted in full, as long as nothing else replaced it.
    last: Option<usize>,
    /// Call site of the current context.
    context_parent: Option<usize>,
    /// The next instruction is the first after a start row that was an entry row.
    after_entry: bool,
    /// Address of the current function's start.
    start: u64,
    /// The row after an entry row that covers one native instruction.
    second: Option<usize>,
    /// The section's start row was doubled and no row has followed.
    doubled_start: bool,
}

impl Transcoder {
    fn new(rows: Vec<Row>) -> Self {
        Self {
            rows,
            program: Program::new(),
            row_of: HashMap::new(),
            previous: None,
            last: None,
            context_parent: None,
            after_entry: false,
            start: 0,
            second: None,
            doubled_start: false,
        }
    }

    fn key(&self, row: usize) -> Key {
        let Row { address, line, file, .. } = self.rows[row];
        (address, line, file)
    }

    fn function_start(&mut self, index: usize, address: u64, section_start: bool) {
        let row = self.rows[index];
        self.start = address;
        if section_start {
            self.program.set_file(row.file);
            self.program.row(address, row.line);
            self.row_of.insert(self.key(index), 1);
        } else if row.parent.is_none() && row.line == self.program.line && self.context_parent.is_none() {
            self.advance(row, address);
        } else {
            self.chain(index, address);
            self.emit(index, address, false);
        }
        self.previous = Some(index);
        self.after_entry = row.entry;
        self.last = None;
        if !row.entry {
            // Doubled, and not counted: context numbers stay one lower than the row count from here on.
            self.program.ops.push(LineOp::Row { address, line: row.line });
            self.doubled_start = section_start;
            if row.parent.is_some_and(|parent| !self.rows[parent].entry) {
                self.last = Some(index);
            }
        }
    }

    fn instruction(&mut self, index: usize, address: u64) {
        let row = self.rows[index];
        let previous = self.previous.map(|previous| self.rows[previous]);
        let same_place = previous.is_some_and(|p| (p.line, p.file) == (row.line, row.file));
        let is_root = row.parent.is_none();
        let first = std::mem::take(&mut self.after_entry);
        let entry_is_one_instruction = address.wrapping_sub(self.start) == 16;
        if first {
            self.second = entry_is_one_instruction.then_some(index);
            if is_root && row.line == self.program.line {
                self.advance(row, address);
                self.previous = Some(index);
                return;
            }
        } else if same_place && previous.is_some_and(|p| p.parent == row.parent) && self.last == self.previous
        {
            (self.previous, self.last) = (Some(index), Some(index));
            return;
        }
        let second_is_root = self.second.is_some_and(|second| self.rows[second].parent.is_none());
        if self.second.is_some()
            && self.previous == self.second
            && is_root
            && second_is_root
            && row.line == self.program.line
        {
            self.advance(row, address);
            self.previous = Some(index);
            return;
        }
        let same_as_entry = first
            && row.line == self.program.line
            && previous.is_some_and(|p| p.file == row.file)
            && entry_is_one_instruction;
        let wrote_ancestors = self.chain(index, address);
        self.emit(index, address, false);
        self.previous = Some(index);
        if std::mem::take(&mut self.doubled_start) && is_root && !wrote_ancestors {
            self.row_of.entry((0, row.line, row.file)).or_insert(self.program.rows);
        }
        if !first || (!same_as_entry && wrote_ancestors) {
            self.last = Some(index);
        }
    }

    /// A row's place without a row of its own; not counted.
    fn advance(&mut self, row: Row, address: u64) {
        self.program.set_file(row.file);
        if address == self.program.address {
            self.program.ops.push(LineOp::Row { address, line: row.line });
        } else {
            self.program.advance(address);
        }
    }

    fn emit(&mut self, index: usize, address: u64, call_site: bool) {
        let row = self.rows[index];
        if call_site && row.parent == self.context_parent {
            self.program.assume_file(row.file);
        } else {
            self.program.set_file(row.file);
        }
        if row.parent != self.context_parent {
            let context =
                row.parent.and_then(|parent| self.row_of.get(&self.key(parent))).copied().unwrap_or(0);
            self.program.ops.push(LineOp::InlinedCall { context, name: row.name.into() });
            self.context_parent = row.parent;
        }
        let written =
            self.program.rows != 0 && (address, row.line) == (self.program.address, self.program.line);
        if !written {
            self.program.row(address, row.line);
        }
    }

    /// Emits the call sites above a row that have none yet, outermost first; `true` when there were any.
    fn chain(&mut self, index: usize, address: u64) -> bool {
        let mut chain = Vec::new();
        let mut next = self.rows[index].parent;
        while let Some(parent) = next.filter(|&parent| !self.row_of.contains_key(&self.key(parent))) {
            chain.push(parent);
            next = self.rows[parent].parent;
        }
        for &parent in chain.iter().rev() {
            self.emit(parent, address, true);
            self.row_of.entry(self.key(parent)).or_insert(self.program.rows);
        }
        !chain.is_empty()
    }
}
