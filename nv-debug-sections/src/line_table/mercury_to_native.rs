//! Derives native line programs of sm_90 and later: the Mercury program is looked up at each native
//! instruction (docs/formats/line-tables.md, rows from sm_90 on).
//!
//! What happens at an instruction whose Mercury address row *x* covers; the first step that applies
//! is the last:
//!
//! 1. *x* is the row of the instruction before: nothing, unless *x* is the [first row after an
//!    entry row](RowKind::FirstAfterEntry) and code comes back to where it starts.
//! 2. First row of the section: written, whatever its call site; the context stays 0.
//! 3. *x* is such a first row, has the call site of the current context, or none as that, and is on
//!    the line written last: only its place.
//! 4. *x* and the row before are [plain](RowKind::Plain) and alike in line, file, call site and
//!    name: nothing.
//! 5. Else call sites not yet written, and a row.
//!
//! A function's start then has its row twice, unless *x* carries the flag 0x92 itself.
//!
//! Four oddities of ptxas are in these steps:
//!
//! * which rows are "first" and "plain" depends on whether rows are [special opcodes](is_special),
//!   after which the reader of the Mercury table forgets to note what it read;
//! * so do rows of the native table, which else stand in for call sites of their line and file:
//!   with address 0, as if they had none;
//! * the reader keeps the [last name](last_name) of the section before, which names all rows before
//!   the first 0x90;
//! * a call site's file is forgotten if the context does not change.
//!
//! Before CUDA 12.8 row numbers also count rows of step 5 that were left out, since address and
//! line are those of the row before ([`hidden_mercury_to_native`]).
//!
//! Observed: ptxas 13.0.88. `ptxas-driver/tests/loc_fuzz.rs` compares random programs,
//! `ptxas-driver/tests/pairs` has a program for each condition.

use super::from_locs::Program;
use crate::line::{DWARF2_PARAMS, LineOp};
use crate::release::Release;
use foldhash::{HashMap, HashMapExt as _};

/// The address of a native instruction, and that of the Mercury instruction from which it is made.
/// Both are byte offsets in the code section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressPair {
    /// The byte offset in the native code.
    pub native: u64,
    /// The byte offset in the Mercury code. On sm_90 no file has Mercury code, and
    /// [`hidden_mercury_address`] is used in its place.
    pub mercury: u64,
}

/// Returns a substitute for the Mercury address of the native instruction at `native` on sm_90,
/// where no file has the Mercury code. Line tables need to know only which neighbouring rows are 16
/// bytes apart, since these get special opcodes; the substitute has been right in all files seen.
///
/// Both spaces are taken to have the same order. 16 bytes have a section's first instruction and
/// the last before the functions folded into it (`starts`, all functions by address), which is an
/// `EXIT`; 32 have all others. Observed: ptxas 13.0.88; where Mercury addresses can be seen, on
/// sm_100, the operation decides, and some of the others take 16 too.
pub fn hidden_mercury_address(starts: &[u64], native: u64) -> u64 {
    let has_first = starts.first().is_some_and(|&first| first < native);
    let has_exit = starts.get(1).is_some_and(|&folded| folded <= native);
    let short = u64::from(has_first) + u64::from(has_exit);
    native.saturating_mul(2).saturating_sub(short * INSTRUCTION_BYTES)
}

/// Size of a native instruction, and of a short one in Mercury space.
const INSTRUCTION_BYTES: u64 = 16;

/// Whether a row of a Mercury table opens a function, follows such a row, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    /// The row is marked with opcode 0x92, or is a special opcode after such rows.
    ///
    /// The flag also counts where an entry row has the place and line of its call site, so that no
    /// row follows it before it is taken back.
    Entry,
    /// The first row after function entry rows that is not a special opcode.
    FirstAfterEntry,
    /// The row neither opens a function nor follows function entry rows.
    Plain,
}

impl RowKind {
    /// The kind of a row that follows a row of kind `before`. `was_flagged`: the flag was set for
    /// that row, or in between.
    pub(super) fn after(before: Option<Self>, is_entry: bool, was_flagged: bool, is_special: bool) -> Self {
        let is_after_entry = was_flagged || before == Some(Self::Entry);
        match (is_entry, is_after_entry) {
            (true, _) => Self::Entry,
            (false, true) if is_special => Self::Entry,
            (false, true) => Self::FirstAfterEntry,
            (false, false) => Self::Plain,
        }
    }
}

/// One row of the Mercury table, which is all that ptxas looks at.
#[derive(Debug, Clone, Copy)]
struct Row {
    address: u64,
    line: u32,
    file: u32,
    name: u32,
    /// Index of the call site's row.
    parent: Option<usize>,
    kind: RowKind,
    /// The flag 0x92 was set for this row, or for the one before if that is a special opcode.
    flagged: bool,
    /// `DW_LNS_set_prologue_end` stands before the row.
    prologue_end: bool,
}

/// The address and line registers of the line state machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AddressAndLine {
    pub(super) address: u64,
    pub(super) line: u32,
}

impl AddressAndLine {
    /// The registers at the start of a sequence (DWARF 2.0.0 §6.2.2).
    pub(super) const START: Self = Self { address: 0, line: 1 };
}

/// Whether ptxas writes a row as one special opcode: address and line both move, and little enough
/// (docs/formats/line-tables.md, opcodes).
pub(super) fn is_special(from: AddressAndLine, to: AddressAndLine) -> bool {
    let params = DWARF2_PARAMS;
    let (advance, lines) =
        (to.address.wrapping_sub(from.address), to.line.wrapping_sub(from.line).cast_signed());
    let Some(step) = lines.checked_sub(params.line_base.into()).and_then(|step| u64::try_from(step).ok())
    else {
        return false;
    };
    let largest = u64::from(u8::MAX - params.opcode_base);
    let opcode = advance.checked_mul(params.line_range.into()).and_then(|opcode| opcode.checked_add(step));
    advance != 0
        && lines != 0
        && step < params.line_range.into()
        && opcode.is_some_and(|opcode| opcode <= largest)
}

/// Rows of a Mercury program; state changes without a row are lost here, as they are in ptxas.
/// `name` is the one before the program.
fn rows(mercury: &[LineOp], mut name: u32) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::with_capacity(mercury.len());
    let (mut file, mut context, mut entry, mut flagged, mut prologue_end) = (1, 0, false, false, false);
    let mut written = AddressAndLine::START;
    for op in mercury {
        match *op {
            LineOp::SetFile(index) => file = index as u32,
            LineOp::InlinedCall { context: row, name: offset } => {
                (context, name) = (row as usize, offset as u32);
            }
            LineOp::EntryRow(flag) => (entry, flagged) = (flag != 0, flagged || flag != 0),
            LineOp::SetPrologueEnd => prologue_end = true,
            LineOp::Advance(address) => written.address = address,
            LineOp::Row { address, line } => {
                let to = AddressAndLine { address, line };
                let is_special = is_special(std::mem::replace(&mut written, to), to);
                let place = RowKind::after(rows.last().map(|row| row.kind), entry, flagged, is_special);
                let parent = context.checked_sub(1).filter(|&parent| parent < rows.len());
                let prologue_end = std::mem::take(&mut prologue_end);
                rows.push(Row { address, line, file, name, parent, kind: place, flagged, prologue_end });
                flagged &= is_special;
            }
            _ => {}
        }
    }
    rows
}

/// Returns the `.debug_str` offset of the inlined callee's name that is in force at the end of a
/// Mercury line program: the last one that the program sets, or `name`, the one in force before the
/// program.
///
/// The reader of the Mercury table keeps it from one section to the next.
pub fn last_inlined_name(mercury: &[LineOp], name: u32) -> u32 {
    let name_of = |op: &LineOp| match *op {
        LineOp::InlinedCall { name, .. } => Some(name as u32),
        _ => None,
    };
    mercury.iter().rev().find_map(name_of).unwrap_or(name)
}

/// Builds the native line program of one code section from its Mercury line program.
///
/// `mercury` is the section's Mercury program
/// ([`line_program_from_locs`](super::line_program_from_locs) with
/// [`Space::Mercury`](crate::catalog::Space::Mercury)), `name` the [`last_inlined_name`] of the
/// section before in the Mercury table (0 in the first), `instructions` the native instructions in
/// address order that begin a PTX line or a function, `starts` the native addresses of functions in
/// address order; those at whose Mercury address no row starts do not count. Of several pairs with
/// one native address the last says where the instruction has its lines from, those before where
/// its function starts. `end` is where the native code ends.
pub fn mercury_to_native(
    mercury: &[LineOp],
    name: u32,
    instructions: &[AddressPair],
    starts: &[u64],
    end: u64,
) -> Vec<LineOp> {
    hidden_mercury_to_native(mercury, name, instructions, starts, end, Release::NEWEST)
}

/// Builds the native line program of sm_90 from the Mercury line program, which ptxas makes for
/// sm_90 too, but writes into no file. The rules depend on the release.
///
/// What differs between releases is [`Release::counts_rows_left_out`].
pub fn hidden_mercury_to_native(
    mercury: &[LineOp],
    name: u32,
    instructions: &[AddressPair],
    starts: &[u64],
    end: u64,
    release: Release,
) -> Vec<LineOp> {
    let rows = rows(mercury, name);
    let ends_in_prologue = is_prologue_open(mercury);
    let inlined = rows.iter().filter(|row| row.parent.is_some()).count();
    let mut builder = NativeBuilder {
        program: Program::new(rows.len()),
        rows,
        row_of: HashMap::with_capacity(inlined),
        previous: None,
        mercury: 0,
        context_parent: None,
        unwritten: Vec::new(),
        counts_rows_left_out: release.counts_rows_left_out(),
    };
    let mut covering = 0;
    for of_address in instructions.chunk_by(|a, b| a.native == b.native) {
        let Some(instruction) = of_address.last() else { continue };
        covering = covering_row_end(&builder.rows, covering, instruction.mercury);
        let Some(index) = covering.checked_sub(1) else { continue };
        // A start counts where a row starts, flagged or not: built-in helpers have none. One that
        // has the lines of other code always does.
        let row_starts_here = builder.rows[index].address == instruction.mercury;
        let counts = row_starts_here || of_address.len() > 1;
        let is_start = counts && starts.binary_search(&instruction.native).is_ok();
        builder.instruction(index, *instruction, is_start);
    }
    if ends_in_prologue {
        builder.program.advance(end);
        builder.program.ops.push(LineOp::SetPrologueEnd);
    }
    builder.program.ops
}

/// Whether no row follows the last `DW_LNS_set_prologue_end` of a program. It is then that of the
/// end of the sequence.
fn is_prologue_open(mercury: &[LineOp]) -> bool {
    let last = mercury.iter().rev().find(|op| matches!(op, LineOp::SetPrologueEnd | LineOp::Row { .. }));
    matches!(last, Some(LineOp::SetPrologueEnd))
}

/// The number of rows that begin at `address` or before it. Mostly it is `last`, the number for the
/// address before, or one more.
fn covering_row_end(rows: &[Row], last: usize, address: u64) -> usize {
    let is_after = |count: &usize| {
        count.checked_sub(1).is_none_or(|row| rows.get(row).is_some_and(|row| row.address <= address))
            && rows.get(*count).is_none_or(|next| address < next.address)
    };
    let near = [last, last + 1].into_iter().find(is_after);
    near.unwrap_or_else(|| rows.partition_point(|row| row.address <= address))
}

/// The values by which ptxas tells Mercury rows apart: address, line, file. The first row with a
/// key wins.
pub(super) type RowKey = (u64, u32, u32);

struct NativeBuilder {
    rows: Vec<Row>,
    program: Program,
    /// Native row number by Mercury row.
    row_of: HashMap<RowKey, u64>,
    /// Row of the instruction before.
    previous: Option<usize>,
    /// Its address in Mercury space.
    mercury: u64,
    /// Call site of the current context.
    context_parent: Option<usize>,
    /// Room for [`NativeBuilder::unwritten_ancestors`].
    unwritten: Vec<usize>,
    counts_rows_left_out: bool,
}

impl NativeBuilder {
    fn key(&self, row: usize) -> RowKey {
        let Row { address, line, file, .. } = self.rows[row];
        (address, line, file)
    }

    fn instruction(
        &mut self,
        index: usize,
        AddressPair { native: address, mercury }: AddressPair,
        is_start: bool,
    ) {
        // Step 1.
        let before = self.previous.replace(index);
        let is_other = mercury != std::mem::replace(&mut self.mercury, mercury);
        let row = self.rows[index];
        let is_first_again = is_other && row.kind == RowKind::FirstAfterEntry && row.address == mercury;
        if before == Some(index) && !is_first_again {
            return;
        }
        let same_context = row.parent == self.context_parent;
        if self.program.rows == 0 {
            // Step 2.
            self.program.set_file(row.file);
            if row.prologue_end {
                self.program.ops.extend([LineOp::AdvanceLine(row.line), LineOp::SetPrologueEnd]);
            }
            self.program.row(address, row.line);
            self.stand_in(row);
        } else if row.kind == RowKind::FirstAfterEntry && same_context && row.line == self.program.line {
            // Step 3.
            self.program.set_file(row.file);
            if row.prologue_end {
                self.program.ops.push(LineOp::SetPrologueEnd);
            }
            self.program.advance(address);
        } else if before.is_some_and(|before| is_alike(row, self.rows[before])) {
            // Step 4.
            return;
        } else {
            // Step 5.
            self.unwritten_ancestors(row.parent);
            while let Some(call_site) = self.unwritten.pop() {
                self.emit(call_site, address, true);
                self.row_of.entry(self.key(call_site)).or_insert(self.program.rows);
            }
            // Code that goes back to this row from an inlined call ends no prologue.
            if row.prologue_end && (same_context || row.parent.is_some()) {
                self.program.ops.push(LineOp::SetPrologueEnd);
            }
            self.emit(index, address, false);
        }
        if is_start && !row.flagged {
            // Not counted: context numbers stay one lower than the row count from here on.
            self.program.ops.push(LineOp::Row { address, line: row.line });
        }
    }

    /// The state of a row, and the row unless it is written already.
    fn emit(&mut self, index: usize, address: u64, is_call_site: bool) {
        let row = self.rows[index];
        let same_context = row.parent == self.context_parent;
        if is_call_site && same_context {
            self.program.assume_file(row.file); // ptxas forgets to write it
        } else {
            self.program.set_file(row.file);
        }
        if !same_context {
            let context =
                row.parent.and_then(|parent| self.row_of.get(&self.key(parent))).copied().unwrap_or(0);
            self.program.ops.push(LineOp::InlinedCall { context, name: row.name.into() });
            self.context_parent = row.parent;
        }
        let last = AddressAndLine { address: self.program.address, line: self.program.line };
        let this = AddressAndLine { address, line: row.line };
        if last != this {
            self.program.row(address, row.line);
        } else if !is_call_site && self.counts_rows_left_out {
            self.program.rows += 1;
        }
        if !is_call_site && same_context && !is_special(last, this) {
            self.stand_in(row);
        }
    }

    /// Records the row written last, made of `row`, as that of call sites at address 0 with its
    /// line and file: ptxas forgets the address.
    fn stand_in(&mut self, row: Row) {
        self.row_of.entry((0, row.line, row.file)).or_insert(self.program.rows);
    }

    /// Finds the call sites above a row that have no row yet, outermost last.
    fn unwritten_ancestors(&mut self, parent: Option<usize>) {
        let mut next = parent;
        while let Some(row) = next.filter(|&row| !self.row_of.contains_key(&self.key(row))) {
            self.unwritten.push(row);
            next = self.rows[row].parent;
        }
    }
}

/// Step 4.
fn is_alike(a: Row, b: Row) -> bool {
    let plain = a.kind == RowKind::Plain && b.kind == RowKind::Plain;
    plain && (a.line, a.file, a.parent, a.name) == (b.line, b.file, b.parent, b.name)
}
