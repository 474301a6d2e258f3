//! Line tables from values to bytes.

use super::line_op::LineOp;
use super::line_table::LineTable;
use super::opcodes::{
    DW_LNE_NVIDIA_ENTRY_ROW, DW_LNE_NVIDIA_INLINED_CALL, DW_LNE_NVIDIA_SET_FUNCTION_NAME, MAX_ENTRY_ROW,
};
use super::sequence::Sequence;
use crate::{Error, Result};
use dwarf2_writer::line::{FileEntry, LineProgram, Params, Policy};
use dwarf2_writer::{Address, Section, SymbolId};
use leb128_nv::{Encoder, Field, MAX_LEN};

/// Encodes one line unit, opcode by opcode as ptxas does (docs/formats/line-tables.md, opcodes).
///
/// `base(i, sequence)` gives the operand of `DW_LNE_set_address` for sequence `i`: symbolic in a
/// cubin. `debug_str` is the symbol that the `.debug_str` base is to be relocated against, if it
/// is.
///
/// # Errors
///
/// [`ErrorKind::Unwritable`](crate::ErrorKind::Unwritable) with the part that [`dwarf2_writer`]
/// refuses: addresses that go back, names with NUL bytes, a unit of 4 GiB; numbers that do not fit:
/// files, contexts and names from 2^32 on, an entry row's flag from 0x80 on.
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
pub(super) fn finish(
    mut program: LineProgram,
    table: &LineTable<'_>,
) -> Result<Section, dwarf2_writer::Error> {
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
pub(super) fn unit(
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

pub(super) fn encode_sequence(
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

pub(super) fn encode_op(
    program: &mut LineProgram,
    op: &LineOp,
    origin: u64,
) -> Result<(), dwarf2_writer::Error> {
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
pub(super) fn vendor(
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
