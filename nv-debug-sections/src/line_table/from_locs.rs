//! Builds a line program in one pass over the instructions that have a `.loc`:
//! docs/formats/line-tables.md, rows made from .loc.

use super::{EntryRow, Loc, LocId, LocatedInstruction};
use crate::catalog::Space;
use crate::line::LineOp;
use crate::release::Release;
use foldhash::{HashMap, HashMapExt as _};

/// The registers of the program, and the operations written.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) ops: Vec<LineOp>,
    pub(super) address: u64,
    pub(super) line: u32,
    /// Rows written so far: the number contexts refer to.
    pub(super) rows: u64,
    file: Option<u16>,
    context: u64,
    /// The flag 0x92: the rows that follow are entry rows.
    entry: bool,
}

impl Program {
    /// Creates a program with capacity for about `rows` rows.
    pub(super) fn new(rows: usize) -> Self {
        // Most rows have one step, those of inlined code two or three.
        Self {
            ops: Vec::with_capacity(rows + rows / 2),
            address: 0,
            line: 1,
            rows: 0,
            file: None,
            context: 0,
            entry: false,
        }
    }

    /// docs/formats/line-tables.md, opcodes: files are cut to 16 bits, then compared.
    pub(super) fn set_file(&mut self, file: u32) {
        let file = file as u16;
        if self.file.replace(file) != Some(file) {
            self.ops.push(LineOp::SetFile(file.into()));
        }
    }

    /// Takes `file` as the current one without writing it: ptxas forgets to
    /// (docs/formats/line-tables.md, rows from sm_90 on).
    pub(super) fn assume_file(&mut self, file: u32) {
        self.file = Some(file as u16);
    }

    /// docs/formats/line-tables.md, opcodes of NVIDIA: a change of name alone is not written.
    fn set_context(&mut self, context: u64, name: u32) {
        if self.context != context {
            self.context = context;
            self.ops.push(LineOp::InlinedCall { context, name: name.into() });
        }
    }

    pub(super) fn row(&mut self, address: u64, line: u32) {
        // A sequence opens at its first row's address, wherever that is.
        if self.rows == 0 {
            self.advance(address);
        }
        self.ops.push(LineOp::Row { address, line });
        (self.address, self.line) = (address, line);
        self.rows += 1;
    }

    /// Moves the address without a row.
    pub(super) fn advance(&mut self, address: u64) {
        if address != self.address {
            self.ops.push(LineOp::Advance(address));
            self.address = address;
        }
    }

    /// docs/formats/line-tables.md, opcodes of NVIDIA: written after the file and before the
    /// context, when it changes.
    fn set_entry(&mut self, entry: bool) {
        if std::mem::replace(&mut self.entry, entry) != entry {
            self.ops.push(LineOp::EntryRow(entry.into()));
        }
    }
}

/// Builds the line program of one code section from its instructions and their `.loc` directives.
///
/// `instructions` in address order, one for each change of PTX line at least; `entries` in address
/// order. From CUDA 13.5 on `DW_LNS_set_prologue_end` marks the row after
/// an entry row. Before CUDA 12.2 a Mercury table has a row after an entry row on its line too
/// ([`Release::has_rows_on_entry_lines`]).
pub fn line_program_from_locs(
    locs: &[Loc],
    instructions: &[LocatedInstruction],
    entries: &[EntryRow],
    space: Space,
    release: Release,
) -> Vec<LineOp> {
    let mut builder = Builder {
        locs,
        program: Program::new(instructions.len() + entries.len()),
        row_of: HashMap::new(),
        previous: None,
        entry_line: None,
        last_parent: None,
        unwritten: Vec::new(),
        space,
        release,
        is_after_entry: false,
        was_flagged: false,
    };
    let mut entries = entries.iter().peekable();
    for instruction in instructions {
        while let Some(entry) = entries.next_if(|entry| entry.address <= instruction.address) {
            builder.entry_row(entry);
        }
        if let Some(loc) = instruction.loc {
            builder.instruction(instruction.address, loc);
        }
    }
    for entry in entries {
        builder.entry_row(entry);
    }
    builder.program.ops
}

struct Builder<'a> {
    locs: &'a [Loc],
    program: Program,
    /// Row number of each directive written as a call site.
    row_of: HashMap<LocId, u64>,
    previous: Option<LocId>,
    /// Line of the entry row before.
    entry_line: Option<u32>,
    last_parent: Option<LocId>,
    /// Room for [`Builder::unwritten_ancestors`].
    unwritten: Vec<LocId>,
    space: Space,
    release: Release,
    /// An entry row was written last, and the next row ends the prologue.
    is_after_entry: bool,
    /// The row written last has the flag 0x92.
    was_flagged: bool,
}

impl Builder<'_> {
    fn loc(&self, id: LocId) -> Option<Loc> {
        self.locs.get(id.0 as usize).copied()
    }

    /// Step 1: the row at a function's start, by the steps of instructions. What differs is what it
    /// is compared with: the instruction before it or, without one, the entry row. No instruction
    /// is compared with an entry row.
    fn entry_row(&mut self, entry: &EntryRow) {
        let Some(loc) = self.loc(entry.loc) else { return };
        let before = self.previous.take().and_then(|previous| self.loc(previous)).map(|loc| loc.line);
        let before = before.or(self.entry_line);
        self.entry_line = Some(loc.line);
        if before != Some(loc.line) || self.is_elsewhere(loc) {
            self.emit(entry.address, loc, entry.flagged && self.space == Space::Mercury);
            self.is_after_entry = self.release.marks_prologue_ends();
        }
    }

    fn instruction(&mut self, address: u64, id: LocId) {
        let Some(loc) = self.loc(id) else { return };
        // Step 2.
        if loc.line == 0 || self.previous == Some(id) {
            return;
        }
        // Step 3: file, column and name are not compared; a change of file on the same line number
        // is lost.
        let before = self.previous.replace(id).and_then(|previous| self.loc(previous));
        if before.is_none_or(|before| before.line != loc.line) || self.is_elsewhere(loc) {
            self.emit(address, loc, false);
        }
    }

    /// Whether code is inlined at another call site than the code that was inlined before it.
    fn is_elsewhere(&self, loc: Loc) -> bool {
        loc.parent.is_some() && loc.parent != self.last_parent
    }

    /// Step 5, after the call sites.
    fn emit(&mut self, address: u64, loc: Loc, entry: bool) {
        self.unwritten_ancestors(loc.parent);
        while let Some(ancestor) = self.unwritten.pop() {
            self.call_site(address, ancestor);
        }
        self.last_parent = loc.parent.or(self.last_parent);
        self.state(loc, entry);
        let has_row =
            self.was_flagged && address != self.program.address && self.release.has_rows_on_entry_lines();
        self.was_flagged = entry;
        if self.program.rows > 0 && loc.line == self.program.line && !has_row {
            self.program.advance(address);
        } else {
            self.program.row(address, loc.line);
        }
    }

    /// Finds the ancestors without a row of their own, outermost last. One that has a row has it
    /// for its own ancestors too.
    fn unwritten_ancestors(&mut self, parent: Option<LocId>) {
        let mut next = parent;
        while let Some(id) = next.filter(|id| !self.row_of.contains_key(id)) {
            self.unwritten.push(id);
            // Parents come earlier in the text, which ends every chain.
            next = self.loc(id).and_then(|loc| loc.parent).filter(|parent| *parent < id);
        }
    }

    /// Step 4.
    fn call_site(&mut self, address: u64, id: LocId) {
        let Some(loc) = self.loc(id) else { return };
        self.state(loc, false);
        self.row_unless_written(address, loc.line);
        self.row_of.insert(id, self.program.rows);
    }

    fn row_unless_written(&mut self, address: u64, line: u32) {
        if self.program.rows == 0 || (address, line) != (self.program.address, self.program.line) {
            self.program.row(address, line);
        }
    }

    fn state(&mut self, loc: Loc, entry: bool) {
        let context = loc.parent.and_then(|parent| self.row_of.get(&parent)).copied().unwrap_or(0);
        self.program.set_file(loc.file);
        if std::mem::take(&mut self.is_after_entry) {
            self.program.ops.push(LineOp::SetPrologueEnd);
        }
        self.program.set_entry(entry);
        self.program.set_context(context, loc.name);
    }
}
