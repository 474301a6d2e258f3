//! Line tables: `.debug_line`, `.nv_debug_line_sass` and their Mercury copies, as values.
//!
//! The tables are DWARF 2 line programs (DWARF 2.0.0 §6.2) with three vendor opcodes and, when rows
//! of inlined code occur, four more header bytes: the offset of this unit's names in `.debug_str`.
//! docs/formats/line-tables.md, header; observed: ptxas 13.0.88, sm_75-sm_121.
//!
//! A program is kept as [`LineOp`]s: everything a reader can tell apart, and nothing else. Which
//! opcode a row was written with and how long its operands were is decided anew by [`encode`].

use crate::limits::PATH_BYTES;
use crate::{Error, ErrorKind, Result};
use dwarf2_reader::WorkBudget;
use dwarf2_writer::line::{FileEntry, LineProgram, Params, Policy};
use dwarf2_writer::{Address, Section, SymbolId};
use leb128_nv::{Encoder, Field, MAX_LEN};
use std::borrow::Cow;

mod decode;
mod line_state;
mod opcodes;
mod params;
mod program;
mod rows;
#[cfg(test)]
mod tests;
mod units;

pub use decode::{decode, decode_sequence, decode_with_offsets, headers};
pub use line_state::{LineState, Step, set_address, step};
pub use opcodes::{DW_LNE_NVIDIA_ENTRY_ROW, DW_LNE_NVIDIA_INLINED_CALL, DW_LNE_NVIDIA_SET_FUNCTION_NAME};
pub use params::{DWARF2_PARAMS, DWARF3_PARAMS, params};
pub use program::{SequenceProgram, Steps, UnitProgram, unit_programs};
pub use rows::RowTable;

/// Largest operand of [`DW_LNE_NVIDIA_ENTRY_ROW`]: a LEB128 number of one byte.
const MAX_ENTRY_ROW: u8 = 0x7f;

/// One unit of a line table section: its file table and its sequences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineTable<'d> {
    /// The header fields that decode the opcodes, such as `line_base`.
    pub params: Params,
    /// The directories, `include_directories`. The first has the number 1.
    pub directories: Vec<Cow<'d, [u8]>>,
    /// The files, `file_names`. The first has the number 1.
    pub files: Vec<LineFile<'d>>,
    /// The offset in `.debug_str` to which name offsets of this unit are relative; `None` if the
    /// header does not have these four bytes.
    pub debug_str_base: Option<u32>,
    /// Sequences in section order, one for each code section.
    pub sequences: Vec<Sequence>,
    /// Whether the program has no sequence but ends one, as ptxas 13.5 writes it for a file without
    /// code.
    pub has_lone_end: bool,
}

/// An entry of the file table of a line unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineFile<'d> {
    /// The file name without its directory. ptxas writes an empty name for `.file N ""`; other
    /// readers take it for the end of the file table. An empty name of the last file, with four
    /// bytes of fields and no `debug_str_base` after it, is read as such a base, since the two look
    /// the same.
    pub name: Cow<'d, [u8]>,
    /// The 1-based number of the directory, or 0 for none.
    pub directory: u64,
    /// The modification time of the file, seconds since 1970; 0 if unknown.
    pub mtime: u64,
    /// The size of the file in bytes; 0 if unknown.
    pub size: u64,
}

/// The line program of one code section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// The operand of `DW_LNE_set_address` as it stands in the section. In a cubin it is 0 and has
    /// a relocation that names the function.
    pub base: u64,
    /// The byte offset in the section of the operand of `DW_LNE_set_address`, to which the
    /// relocation applies.
    pub base_offset: u64,
    /// The operations between `DW_LNE_set_address` and `DW_LNE_end_sequence`.
    pub ops: Vec<LineOp>,
    /// The address of the first byte after the sequence's code, relative to its base.
    pub end: u64,
}

/// A line unit with the offsets of its parts, in bytes from the start of the section. Header and
/// sequences follow one another without a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineTableWithOffsets<'d> {
    /// The decoded line unit.
    pub table: LineTable<'d>,
    /// The byte offset of the unit, at its field `unit_length`.
    pub offset: u64,
    /// The number of bytes of the unit before its first sequence.
    pub header_size: u64,
    /// The number of bytes of the whole unit.
    pub size: u64,
    /// The byte offsets of each sequence in [`LineTable::sequences`].
    pub sequences: Vec<SequenceOffsets>,
}

/// The byte offsets of a sequence and of its operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceOffsets {
    /// The byte offset of the sequence, at its `DW_LNE_set_address`, which has
    /// [`SequenceOffsets::START_SIZE`] bytes.
    pub offset: u64,
    /// The number of bytes of the whole sequence, including `DW_LNE_end_sequence`.
    pub size: u64,
    /// The byte offset after each operation in [`Sequence::ops`]. An operation starts where the one
    /// before it ends, and the first one after `DW_LNE_set_address`. `DW_LNE_end_sequence` follows
    /// the last one.
    pub op_ends: Vec<u64>,
}

impl SequenceOffsets {
    /// The size in bytes of the `DW_LNE_set_address` that starts a sequence.
    pub const START_SIZE: u64 = 11;
}

/// One operation of a line program. Addresses are byte offsets from the sequence's base.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineOp {
    /// `DW_LNS_set_file`: sets the file, by its 1-based number in the file table (0 throughout
    /// `.nv_debug_line_sass`).
    SetFile(u64),
    /// `DW_LNS_set_column`: sets the column.
    SetColumn(u64),
    /// `DW_LNS_negate_stmt`: inverts the register `is_stmt`.
    NegateStmt,
    /// `DW_LNS_set_basic_block`: marks the start of a basic block.
    SetBasicBlock,
    /// `DW_LNS_set_prologue_end` (DWARF 3), in programs with an `opcode_base` above 10.
    SetPrologueEnd,
    /// `DW_LNS_set_epilogue_begin` (DWARF 3), in programs with an `opcode_base` above 11.
    SetEpilogueBegin,
    /// `DW_LNS_set_isa` (DWARF 3), in programs with an `opcode_base` above 12.
    SetIsa(u64),
    /// Opcode 0x90: the rows that follow are inlined code. `context` is the 1-based number of the
    /// row of this sequence that is the call site (0: not inlined), and `name` is the offset of the
    /// callee's name, relative to [`LineTable::debug_str_base`].
    InlinedCall {
        /// Row number of the call site, 0 for none; below 2^32.
        context: u64,
        /// Offset of the callee's name; below 2^32.
        name: u64,
    },
    /// Opcode 0x91: sets another name for the inlined code of the rows that follow, by an offset
    /// relative to [`LineTable::debug_str_base`], below 2^32.
    SetFunctionName(u64),
    /// Opcode 0x92: whether the rows that follow are function entry rows. The operand is below
    /// 0x80.
    EntryRow(u8),
    /// `DW_LNS_advance_pc`, `DW_LNS_const_add_pc` or `DW_LNS_fixed_advance_pc`: advances the
    /// address to this value, without a row.
    Advance(u64),
    /// `DW_LNS_advance_line` with another operation between it and the next row: advances the line
    /// to this value. Observed: ptxas 13.5, before [`SetPrologueEnd`](Self::SetPrologueEnd).
    AdvanceLine(u32),
    /// A row, made by a special opcode or `DW_LNS_copy`. Lines have 32 bits and wrap around.
    Row {
        /// Address, relative to the sequence's base.
        address: u64,
        /// 1-based line; 0 for none.
        line: u32,
    },
    /// Another extended opcode, which is kept as it is.
    Extended {
        /// The opcode after the length.
        opcode: u8,
        /// The operands of the opcode, undecoded.
        operands: Vec<u8>,
    },
}

/// Encodes one line unit, opcode by opcode as ptxas does (docs/formats/line-tables.md, opcodes).
///
/// `base(i, sequence)` gives the operand of `DW_LNE_set_address` for sequence `i`: symbolic in a
/// cubin. `debug_str` is the symbol that the `.debug_str` base is to be relocated against, if it
/// is.
///
/// # Errors
///
/// [`ErrorKind::Unwritable`] with the part that [`dwarf2_writer`] refuses: addresses that go back,
/// names with NUL bytes, a unit of 4 GiB; numbers that do not fit: files, contexts and names from
/// 2^32 on, an entry row's flag from 0x80 on.
pub fn encode(
    section: &str,
    table: &LineTable<'_>,
    debug_str: Option<SymbolId>,
    base: impl FnMut(usize, &Sequence) -> Address,
) -> Result<Section> {
    encode_as(Policy::Plain, section, table, debug_str, base)
}

/// Encodes one line unit under a given policy. [`Policy::Compact`] encodes the same rows, with the
/// same vendor opcodes between them, in fewer bytes.
///
/// # Errors
///
/// As [`encode`].
pub fn encode_as(
    policy: Policy,
    section: &str,
    table: &LineTable<'_>,
    debug_str: Option<SymbolId>,
    mut base: impl FnMut(usize, &Sequence) -> Address,
) -> Result<Section> {
    let fail = |part, index| move |reason| Error::unwritable(section, part, index, reason);
    let mut program = unit(policy, section, table, debug_str)?;
    for (index, sequence) in table.sequences.iter().enumerate() {
        let start = base(index, sequence);
        encode_sequence(&mut program, sequence, start).map_err(fail("sequence", index))?;
    }
    finish(program, table).map_err(fail("unit", 0))
}

/// Finishes a unit whose sequences are written.
fn finish(mut program: LineProgram, table: &LineTable<'_>) -> Result<Section, dwarf2_writer::Error> {
    if table.has_lone_end {
        program.end_without_sequence()?;
    }
    program.finish()
}

/// One encoded sequence of a line table, ready for [`join_sequences`].
#[derive(Debug, Clone)]
pub struct EncodedSequence(LineProgram);

impl EncodedSequence {
    /// Encodes one sequence of a line unit whose header has `params`. `start` is the operand of its
    /// `DW_LNE_set_address`, and `index` is the sequence's number, for errors.
    ///
    /// # Errors
    ///
    /// As [`encode`].
    pub fn new(
        section: &str,
        params: Params,
        index: usize,
        sequence: &Sequence,
        start: Address,
    ) -> Result<Self> {
        let fail = |reason| Error::unwritable(section, "sequence", index, reason);
        let mut program = LineProgram::new(params).map_err(fail)?;
        encode_sequence(&mut program, sequence, start).map_err(fail)?;
        Ok(Self(program))
    }
}

/// Builds a line unit from encoded sequences, with the same result as [`encode`]. The sequences of
/// `table` are ignored.
///
/// # Errors
///
/// As [`encode`].
pub fn join_sequences(
    section: &str,
    table: &LineTable<'_>,
    debug_str: Option<SymbolId>,
    sequences: impl IntoIterator<Item = EncodedSequence>,
) -> Result<Section> {
    let fail = |part, index| move |reason| Error::unwritable(section, part, index, reason);
    let mut program = unit(Policy::Plain, section, table, debug_str)?;
    for (index, EncodedSequence(sequence)) in sequences.into_iter().enumerate() {
        program.append(&sequence).map_err(fail("sequence", index))?;
    }
    finish(program, table).map_err(fail("unit", 0))
}

/// A unit without its sequences.
fn unit(
    policy: Policy,
    section: &str,
    table: &LineTable<'_>,
    debug_str: Option<SymbolId>,
) -> Result<LineProgram> {
    let fail = |part, index| move |reason| Error::unwritable(section, part, index, reason);
    let mut program = LineProgram::with_policy(table.params, policy).map_err(fail("unit", 0))?;
    for (number, directory) in (1..).zip(&table.directories) {
        program.directory(directory).map_err(fail("directory", number))?;
    }
    for (number, file) in (1..).zip(&table.files) {
        let entry =
            FileEntry { name: &file.name, directory: file.directory, mtime: file.mtime, size: file.size };
        let added = if file.name.is_empty() { program.nameless_file(entry) } else { program.file(entry) };
        added.map_err(fail("file", number))?;
    }
    if let Some(offset) = table.debug_str_base {
        let addend = offset.into();
        let offset = debug_str.map_or(offset.into(), |symbol| Address::Symbol { symbol, addend });
        program.header_tail_offset(offset).map_err(fail("unit", 0))?;
    }
    Ok(program)
}

fn encode_sequence(
    program: &mut LineProgram,
    sequence: &Sequence,
    start: Address,
) -> Result<(), dwarf2_writer::Error> {
    // The writer counts addresses from where a constant or addend starts, we count them from the
    // sequence's base.
    let origin = match start {
        Address::Constant(address) => address,
        Address::Symbol { addend, .. } => addend as u64,
    };
    program.begin_sequence(start)?;
    for op in &sequence.ops {
        encode_op(program, op, origin)?;
    }
    let end = origin.wrapping_add(sequence.end);
    if sequence.ops.last() == Some(&LineOp::Advance(sequence.end)) {
        program.advance_to(end)?; // else a reader takes the last advance for the end's own
    }
    program.end_sequence(end)
}

fn encode_op(program: &mut LineProgram, op: &LineOp, origin: u64) -> Result<(), dwarf2_writer::Error> {
    match op {
        LineOp::SetFile(file) => program.set_file(*file),
        LineOp::SetColumn(column) => program.set_column(*column),
        LineOp::NegateStmt => program.negate_stmt(),
        LineOp::SetBasicBlock => program.set_basic_block(),
        LineOp::SetPrologueEnd => program.set_prologue_end(),
        LineOp::SetEpilogueBegin => program.set_epilogue_begin(),
        LineOp::SetIsa(isa) => program.set_isa(*isa),
        LineOp::InlinedCall { context, name } => {
            let operands = [(Field::INLINED_CALLER_ROW, *context), (Field::INLINED_NAME_OFFSET, *name)];
            vendor(program, DW_LNE_NVIDIA_INLINED_CALL, &operands, u32::MAX.into())
        }
        LineOp::SetFunctionName(name) => {
            let operands = [(Field::INLINED_NAME_OFFSET, *name)];
            vendor(program, DW_LNE_NVIDIA_SET_FUNCTION_NAME, &operands, u32::MAX.into())
        }
        LineOp::EntryRow(flag) => {
            let operands = [(Field::PROLOGUE_END, u64::from(*flag))];
            vendor(program, DW_LNE_NVIDIA_ENTRY_ROW, &operands, MAX_ENTRY_ROW.into())
        }
        LineOp::Advance(address) => program.advance_to(origin.wrapping_add(*address)),
        LineOp::AdvanceLine(line) => program.advance_line_to(*line),
        LineOp::Row { address, line } => program.row(origin.wrapping_add(*address), *line),
        LineOp::Extended { opcode, operands } => program.raw_extended(*opcode, operands),
    }
}

/// One of NVIDIA's opcodes; each operand is at most `max`.
fn vendor(
    program: &mut LineProgram,
    opcode: u8,
    operands: &[(Field, u64)],
    max: u64,
) -> Result<(), dwarf2_writer::Error> {
    let mut bytes = [0; 2 * MAX_LEN];
    let mut encoder = Encoder::new(&mut bytes);
    for &(field, value) in operands {
        let fits = value <= max && encoder.uleb128(value).is_ok();
        if !fits {
            return Err(dwarf2_writer::Error::Leb128 { field, value, max });
        }
    }
    let len = encoder.finish();
    program.raw_extended(opcode, bytes.get(..len).unwrap_or_default())
}

/// A row of a line table with the values of all registers of the line program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRow {
    /// The 1-based number of the row in its sequence. Inlining contexts refer to such numbers, but
    /// do not count a row that repeats the address and line of the row before
    /// (docs/formats/line-tables.md, opcodes of NVIDIA): see [`RowTable`].
    pub number: u32,
    /// The address of the row, relative to the sequence's base.
    pub address: u64,
    /// The 1-based number of the file in the file table (0 in `.nv_debug_line_sass`).
    pub file: u64,
    /// The 1-based line of the row.
    pub line: u32,
    /// The 1-based column of the row; 0 for none. ptxas never writes one.
    pub column: u64,
    /// The row number of the call site; 0 if the row is not inlined code.
    pub context: u64,
    /// The offset of the inlined callee's name, relative to [`LineTable::debug_str_base`].
    pub name: u64,
    /// The register `is_stmt`: whether the row is a recommended breakpoint.
    pub is_stmt: bool,
    /// Whether opcode 0x92 marks the row as a function's entry row.
    pub entry: bool,
}

impl LineRow {
    /// Returns the registers at the start of a sequence, before its first row (DWARF 2.0.0 §6.2.2).
    pub fn start(is_stmt: bool) -> Self {
        Self {
            number: 0,
            address: 0,
            file: 1,
            line: 1,
            column: 0,
            context: 0,
            name: 0,
            is_stmt,
            entry: false,
        }
    }

    /// Sets the register that `op` changes. An operation on the address or the line has no effect
    /// here.
    pub fn apply(&mut self, op: &LineOp) {
        match *op {
            LineOp::SetFile(file) => self.file = file,
            LineOp::SetColumn(column) => self.column = column,
            LineOp::NegateStmt => self.is_stmt = !self.is_stmt,
            LineOp::InlinedCall { context, name } => (self.context, self.name) = (context, name),
            LineOp::SetFunctionName(name) => self.name = name,
            LineOp::EntryRow(flag) => self.entry = flag != 0,
            LineOp::Row { .. }
            | LineOp::Advance(_)
            | LineOp::AdvanceLine(_)
            | LineOp::SetBasicBlock
            | LineOp::SetPrologueEnd
            | LineOp::SetEpilogueBegin
            | LineOp::SetIsa(_)
            | LineOp::Extended { .. } => {}
        }
    }
}

impl Sequence {
    /// Iterates over `(address, line)` at each change of the line, in program order. Rows count,
    /// and so do address advances without a row, which ptxas writes in `.nv_debug_line_sass` where
    /// the line is again that of the last row.
    pub fn line_changes(&self) -> impl Iterator<Item = (u64, u32)> {
        let changes = self.ops.iter().scan(1, |line, op| {
            let change = match *op {
                LineOp::Row { address, line: new } => {
                    *line = new;
                    Some((address, new))
                }
                LineOp::Advance(address) => Some((address, *line)),
                _ => None,
            };
            Some(change)
        });
        changes.flatten()
    }
}

impl LineTable<'_> {
    /// Runs a sequence of this unit, and iterates over its rows in program order.
    pub fn rows<'s>(&self, sequence: &'s Sequence) -> impl Iterator<Item = LineRow> + use<'s> {
        let mut state = LineRow::start(self.params.default_is_stmt);
        sequence.ops.iter().filter_map(move |op| {
            if let LineOp::Row { address, line } = *op {
                (state.number, state.address, state.line) = (state.number + 1, address, line);
                return Some(state);
            }
            state.apply(op);
            None
        })
    }

    /// The path of a file in the file table (1-based): directory and name joined by `/`. `None` if
    /// the table has no such file.
    pub fn path(&self, file: u64) -> Option<String> {
        let index = usize::try_from(file).ok()?.checked_sub(1)?;
        let file = self.files.get(index)?;
        let name = String::from_utf8_lossy(&file.name);
        let directory = usize::try_from(file.directory).ok()?.checked_sub(1);
        match directory.map(|index| self.directories.get(index)) {
            None => Some(name.into_owned()),
            Some(directory) => Some(format!("{}/{name}", String::from_utf8_lossy(directory?))),
        }
    }

    /// The [`path`](Self::path) of every file in the file table, from number 1 on. `section` is the
    /// section's name, for errors.
    ///
    /// # Errors
    ///
    /// Too many files are in a directory with a long name: all paths together take more than 64
    /// times the bytes that the table has for names, and 1 MiB.
    pub fn paths(&self, section: &str) -> Result<Vec<Option<String>>> {
        self.path_sizes(section)?;
        Ok((1..=self.files.len() as u64).map(|file| self.path(file)).collect())
    }

    /// The size in bytes of each file's path, without the slash between directory and name.
    ///
    /// # Errors
    ///
    /// As [`paths`](Self::paths).
    pub fn path_sizes(&self, section: &str) -> Result<Vec<usize>> {
        let directory = |file: &LineFile<'_>| {
            let index = usize::try_from(file.directory).ok()?.checked_sub(1)?;
            self.directories.get(index).map(|name| name.len())
        };
        let sizes = self.files.iter().map(|file| file.name.len() + directory(file).unwrap_or(0));
        let sizes: Vec<usize> = sizes.collect();
        let whole: usize = sizes.iter().sum();
        let names = self.directories.iter().chain(self.files.iter().map(|file| &file.name));
        let own: usize = names.map(|name| name.len()).sum();
        if !WorkBudget::of_input(own as u64, PATH_BYTES).take(whole as u64) {
            let text = format!(
                "the paths of the {} files have {whole:#x} bytes, their names and directories only {own:#x}",
                self.files.len()
            );
            return Err(Error::in_section(section, ErrorKind::Limit(text.into())));
        }
        Ok(sizes)
    }
}
