//! FORMATS 1.6: native tables of sm_90 and later are the Mercury table looked up at each instruction.
//!
//! What happens at an instruction whose Mercury address row *x* covers, in the order of FORMATS; the first step that applies is the last.
//! A *root* row has no parent, an *entry row* is flagged with 0x92.
//!
//! 1. Function start: a row. Doubled if *x* is no entry row, since then the first instruction has a row of its own.
//! 2. *x* is the row of the instruction before: nothing.
//! 3. First *x* behind an entry row: if it is root and on the line written last, only its place is.
//! 4. Any other *x* with line, file and parent of the row before, which was written in full: nothing.
//! 5. Second *x* behind an entry row of one instruction, both root: as step 3.
//! 6. Else call sites not yet written, and a row.
//!
//! Steps 4 to 6 are fits to what ptxas writes, not understood: of 1000 random functions of few lines and files 15 come out otherwise (of
//! the corpus' none). `ptxas-driver/tests/pairs` has a program for each condition but three, which no program of 11 000 tells:
//! `last` reset and `doubled_start` cleared at a folded function's start, and `!wrote_ancestors` in step 6. Against FORMATS, the file does not
//! count in step 6 (kernel `step_6_file` of `transcoded.ptx`), but the line of the outermost call site does (`inlined_below_entry.ptx`).

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
        // A start counts where a row starts, flagged or not: built-in helpers have none.
        let row_starts_here = transcoder.rows[row].address == instruction.mercury;
        if row_starts_here && starts.binary_search(&instruction.native).is_ok() {
            transcoder.function_start(row, instruction.native, index == 0);
        } else if Some(row) != transcoder.previous {
            // Step 2 has nothing to do.
            transcoder.instruction(row, instruction.native);
        }
    }
    transcoder.program.ops
}

/// Size of a native instruction.
const INSTRUCTION_BYTES: u64 = 16;

/// What identifies a Mercury row to ptxas: address, line, file. The first row with a key wins.
type Key = (u64, u32, u32);

struct Transcoder {
    rows: Vec<Row>,
    program: Program,
    /// Native row number by Mercury row.
    row_of: HashMap<Key, u64>,
    /// Row of the instruction before.
    previous: Option<usize>,
    /// Step 4: the row before, if it was written in full or merged with such a one.
    last: Option<usize>,
    /// Call site of the current context.
    context_parent: Option<usize>,
    /// Step 3: the next instruction is the first behind a start row that was an entry row.
    after_entry: bool,
    /// Address of the current function's start.
    start: u64,
    /// Step 5: the first row behind an entry row that covers one native instruction.
    second: Option<usize>,
    /// Step 6: the section's start row was doubled and no row has followed.
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

    /// Step 1.
    fn function_start(&mut self, index: usize, address: u64, section_start: bool) {
        let row = self.rows[index];
        self.start = address;
        if section_start {
            // The context is not written, whatever the row's parent.
            self.program.set_file(row.file);
            self.program.row(address, row.line);
            self.row_of.insert(self.key(index), 1);
        } else if row.parent.is_none() && row.line == self.program.line && self.context_parent.is_none() {
            self.advance(row, address);
        } else {
            // The row itself is not recorded as a call site.
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

    /// Steps 3 to 6.
    fn instruction(&mut self, index: usize, address: u64) {
        let row = self.rows[index];
        let before = self.previous.replace(index);
        let previous = before.map(|before| self.rows[before]);
        let same_file = previous.is_some_and(|previous| previous.file == row.file);
        let is_root = row.parent.is_none();
        let on_last_line = row.line == self.program.line;
        let first = std::mem::take(&mut self.after_entry);
        let entry_is_one_instruction = address.wrapping_sub(self.start) == INSTRUCTION_BYTES;
        if first {
            self.second = entry_is_one_instruction.then_some(index);
            // Step 3.
            if is_root && on_last_line {
                return self.advance(row, address);
            }
        } else if self.last == before
            && same_file
            && previous.is_some_and(|previous| (previous.line, previous.parent) == (row.line, row.parent))
        {
            // Step 4.
            self.last = Some(index);
            return;
        }
        // Step 5.
        let root_before = self.second.filter(|&second| self.rows[second].parent.is_none());
        if root_before.is_some() && root_before == before && is_root && on_last_line {
            return self.advance(row, address);
        }
        // Step 6.
        let leaves_last_line =
            first && !on_last_line && self.rows[self.root(index)].line == self.program.line;
        let wrote_ancestors = self.chain(index, address);
        self.emit(index, address, false);
        // The first row behind a doubled section start, if root and alone, stands in for a call site of its line at 0.
        if std::mem::take(&mut self.doubled_start) && is_root && !wrote_ancestors {
            self.row_of.entry((0, row.line, row.file)).or_insert(self.program.rows);
        }
        // A first row counts as written in full only with call sites; behind an entry row of one instruction the outermost must be on
        // the entry's line, and the row itself not.
        if !first || (wrote_ancestors && (!entry_is_one_instruction || leaves_last_line)) {
            self.last = Some(index);
        }
    }

    /// The outermost call site of a row, or the row itself.
    fn root(&self, index: usize) -> usize {
        std::iter::successors(Some(index), |&at| self.rows[at].parent).last().unwrap_or(index)
    }

    /// `adv` of FORMATS: a row's place without a row of its own; not counted.
    fn advance(&mut self, row: Row, address: u64) {
        self.program.set_file(row.file);
        if address == self.program.address {
            self.program.ops.push(LineOp::Row { address, line: row.line });
        } else {
            self.program.advance(address);
        }
    }

    /// `emit` of FORMATS: state and row.
    fn emit(&mut self, index: usize, address: u64, call_site: bool) {
        let row = self.rows[index];
        if call_site && row.parent == self.context_parent {
            self.program.assume_file(row.file); // ptxas forgets to write it
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

    /// `chain` of FORMATS: emits the call sites above a row that have none yet, outermost first; `true` when there were any.
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
