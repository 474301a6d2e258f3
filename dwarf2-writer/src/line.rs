//! `.debug_line`: the source line of each address (DWARF 2.0.0 §6.2).
//!
//! ```
//! use dwarf2_writer::line::{FileEntry, LineProgram, Params};
//! use dwarf2_writer::{Address, SymbolId};
//!
//! let mut program = LineProgram::new(Params::default())?;
//! let directory = program.directory(b"/src")?;
//! let file = program.file(FileEntry { name: b"saxpy.cu", directory, mtime: 0, size: 0 })?;
//! program.begin_sequence(Address::Symbol { symbol: SymbolId(1), addend: 0 })?;
//! program.set_file(file)?;
//! program.row(0x00, 12)?;
//! program.row(0x10, 13)?; // one special opcode
//! program.end_sequence(0x80)?;
//! let section = program.finish()?;
//! assert_eq!(section.relocs.len(), 1);
//! # Ok::<(), dwarf2_writer::Error>(())
//! ```

use alloc::boxed::Box;
use alloc::vec::Vec;

use leb128_nv::{Field, sleb128, uleb128};

use crate::constants::{
    DW_LNE_end_sequence, DW_LNE_set_address, DW_LNS_advance_line, DW_LNS_advance_pc, DW_LNS_copy,
    DW_LNS_negate_stmt, DW_LNS_set_basic_block, DW_LNS_set_column, DW_LNS_set_epilogue_begin,
    DW_LNS_set_file, DW_LNS_set_isa, DW_LNS_set_prologue_end,
};
use crate::error::check_leb128;
use crate::{Address, Error, Section};

mod compact;
mod file_entry;
mod header;
mod line_base_search;
mod opcodes;
pub(crate) mod params;
mod plain;
mod policy;
mod program_bytes;
mod row_cache;
mod row_encoder;

pub use file_entry::FileEntry;
pub use params::Params;
pub use policy::{Header, Policy};

use opcodes::Opcodes;
use params::{OPCODE_BASE, VERSION};
use program_bytes::{EXTENDED, ProgramBytes};
use row_encoder::{LineCounts, RowEncoder};

/// Largest step in bytes: what an SLEB128 operand says as a positive number.
const MAX_ADVANCE: u64 = i64::MAX as u64;

/// Largest number of a file or directory: a table that fits its unit has fewer.
const MAX_NUMBER: u64 = u32::MAX as u64;

/// Writes one line program (version 2, 32-bit DWARF, 8-byte addresses), opcode by opcode.
///
/// With [`Policy::Plain`], which [`LineProgram::new`] takes, every call writes what it says: which
/// state changes are needed is the caller's to decide, only the opcodes of a row are chosen here. A
/// call that fails has written nothing.
#[derive(Debug, Clone)]
pub struct LineProgram {
    params: Params,
    policy: Policy,
    directories: Vec<u8>,
    directory_count: u64,
    files: Vec<u8>,
    file_count: u64,
    /// Whether files and directories must be in their tables.
    known_files_only: bool,
    tail: Section,
    program: ProgramBytes,
    open: bool,
    address: u64,
    /// Bytes of `address` that no opcode has advanced yet.
    pending_advance: u64,
    line: u32,
    /// Whether the program has advanced to `line` since the last row.
    line_is_written: bool,
    /// What was asked for, and what the program says so far.
    state: State,
    written: State,
    rows: RowEncoder,
    /// Of [`Header::Choose`].
    counts: Option<Box<LineCounts>>,
}

/// Registers of the line machine that keep their value from row to row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    file: u64,
    column: u64,
    is_stmt: bool,
    isa: u64,
}

impl State {
    const fn initial(params: Params) -> Self {
        Self { file: 1, column: 0, is_stmt: params.default_is_stmt, isa: 0 }
    }
}

impl LineProgram {
    /// Creates a line program without files and sequences, which writes each call as its own
    /// opcodes ([`Policy::Plain`]).
    ///
    /// # Errors
    ///
    /// [`Error::LineParams`].
    pub fn new(params: Params) -> Result<Self, Error> {
        Self::with_policy(params, Policy::Plain)
    }

    /// Creates a line program without files and sequences, whose opcodes are chosen as `policy`
    /// says.
    ///
    /// # Errors
    ///
    /// [`Error::LineParams`].
    pub fn with_policy(params: Params, policy: Policy) -> Result<Self, Error> {
        let usable = VERSION.contains(&params.version)
            && params.minimum_instruction_length != 0
            && params.line_range != 0
            && OPCODE_BASE.contains(&params.opcode_base);
        if !usable {
            return Err(Error::LineParams(params));
        }
        Ok(Self {
            params,
            policy,
            directories: Vec::new(),
            directory_count: 0,
            files: Vec::new(),
            file_count: 0,
            known_files_only: false,
            tail: Section::default(),
            program: ProgramBytes::default(),
            open: false,
            address: 0,
            pending_advance: 0,
            line: 1,
            line_is_written: false,
            state: State::initial(params),
            written: State::initial(params),
            rows: RowEncoder::new(params, policy),
            counts: (policy == Policy::Compact(Header::Choose)).then(|| Box::new(LineCounts::new())),
        })
    }

    /// Starts a sequence with `DW_LNE_set_address`. The registers are reset (DWARF 2.0.0 §6.2.2):
    /// line 1, file 1.
    ///
    /// Addresses of the sequence count as `start` does: absolute after a constant, else from the
    /// symbol; the first may be the addend, no less.
    ///
    /// # Errors
    ///
    /// [`Error::SequenceOpen`], [`Error::Operand`] for a negative addend; [`Error::NotInTable`]
    /// after [`LineProgram::known_files_only`] if there is no file 1.
    pub fn begin_sequence(&mut self, start: Address) -> Result<(), Error> {
        self.expect_closed()?;
        self.expect_file(1)?;
        if let Address::Symbol { addend: addend @ ..0, .. } = start {
            let (value, max) = (addend as u64, i64::MAX as u64);
            return Err(Error::Operand { field: "start of a sequence after its symbol", value, max });
        }
        self.program.set_address(start);
        (self.open, self.address, self.pending_advance, self.line) = (true, start.in_place(), 0, 1);
        self.line_is_written = false;
        (self.state, self.written) = (State::initial(self.params), State::initial(self.params));
        Ok(())
    }

    /// Writes `DW_LNE_end_sequence` where no sequence is open. ptxas 13.5 writes it into a program
    /// that has no sequence.
    ///
    /// # Errors
    ///
    /// [`Error::SequenceOpen`].
    pub fn end_without_sequence(&mut self) -> Result<(), Error> {
        self.expect_closed()?;
        self.program.put([EXTENDED, 1, DW_LNE_end_sequence], 3);
        Ok(())
    }

    /// Writes `DW_LNS_set_file`: the 1-based file of the rows that follow. 0 and numbers beyond the
    /// table are rejected only after [`LineProgram::known_files_only`], since producers write them.
    ///
    /// # Errors
    ///
    /// [`Error::NoSequence`], [`Error::Leb128`] from 2^32 on, [`Error::NotInTable`].
    #[inline]
    pub fn set_file(&mut self, file: u64) -> Result<(), Error> {
        self.expect_open()?;
        check_leb128(Field::FILE_NUMBER, file, MAX_NUMBER)?;
        self.expect_file(file)?;
        self.register(DW_LNS_set_file, State { file, ..self.state })
    }

    /// Writes `DW_LNS_set_column`: the 1-based column of the rows that follow; 0 is the start of
    /// the line or unknown.
    ///
    /// # Errors
    ///
    /// [`Error::NoSequence`].
    pub fn set_column(&mut self, column: u64) -> Result<(), Error> {
        self.register(DW_LNS_set_column, State { column, ..self.state })
    }

    /// Writes `DW_LNS_negate_stmt`, which flips `is_stmt`.
    ///
    /// # Errors
    ///
    /// [`Error::NoSequence`].
    pub fn negate_stmt(&mut self) -> Result<(), Error> {
        self.register(DW_LNS_negate_stmt, State { is_stmt: !self.state.is_stmt, ..self.state })
    }

    /// Writes `DW_LNS_set_basic_block`: the next row starts a basic block.
    ///
    /// # Errors
    ///
    /// [`Error::NoSequence`].
    pub fn set_basic_block(&mut self) -> Result<(), Error> {
        self.flag(DW_LNS_set_basic_block)
    }

    /// Writes `DW_LNS_set_prologue_end` (DWARF 3): the next row is where a debugger puts a
    /// breakpoint at the function's start.
    ///
    /// # Errors
    ///
    /// [`Error::NoSequence`]; [`Error::StandardOpcode`] if `opcode_base` is not above 10.
    pub fn set_prologue_end(&mut self) -> Result<(), Error> {
        self.flag(DW_LNS_set_prologue_end)
    }

    /// Writes `DW_LNS_set_epilogue_begin` (DWARF 3): the next row is where a debugger puts a
    /// breakpoint at the function's end.
    ///
    /// # Errors
    ///
    /// [`Error::NoSequence`]; [`Error::StandardOpcode`] if `opcode_base` is not above 11.
    pub fn set_epilogue_begin(&mut self) -> Result<(), Error> {
        self.flag(DW_LNS_set_epilogue_begin)
    }

    /// Writes `DW_LNS_set_isa` (DWARF 3): the instruction set of the rows that follow.
    ///
    /// # Errors
    ///
    /// [`Error::NoSequence`]; [`Error::StandardOpcode`] if `opcode_base` is not above 12.
    pub fn set_isa(&mut self, isa: u64) -> Result<(), Error> {
        self.register(DW_LNS_set_isa, State { isa, ..self.state })
    }

    /// Writes a vendor's extended opcode: 00, the length, `op`, `operands`. Its effects on the
    /// address or the file table are not tracked. With [`Policy::Compact`] register changes and
    /// advances that still wait for a row are written after it, with that row.
    ///
    /// # Errors
    ///
    /// [`Error::NoSequence`]; [`Error::ExtendedOpcode`] for those that begin and end sequences.
    #[allow(non_upper_case_globals, reason = "the names of the specification as patterns")]
    pub fn raw_extended(&mut self, op: u8, operands: &[u8]) -> Result<(), Error> {
        self.expect_open()?;
        if let DW_LNE_end_sequence | DW_LNE_set_address = op {
            return Err(Error::ExtendedOpcode { opcode: op });
        }
        self.program.with(EXTENDED, uleb128(operands.len() as u64 + 1));
        self.program.op(op);
        self.program.extend(operands);
        Ok(())
    }

    /// Advances the address to `address` without a row: writes `DW_LNS_advance_pc`, also if the
    /// advance is 0. The operand is SLEB128, as some producers have it: 0x50 is `d0 00`, which a
    /// reader of ULEB128 takes for the same value. With [`Policy::Compact`] it writes nothing: the
    /// next row, or the end of the sequence, includes the advance.
    ///
    /// # Errors
    ///
    /// [`Error::NoSequence`], [`Error::AddressBackwards`], [`Error::Misaligned`],
    /// [`Error::Leb128`].
    pub fn advance_to(&mut self, address: u64) -> Result<(), Error> {
        let units = self.advance(address)?;
        match self.policy {
            Policy::Plain => self.program.with(DW_LNS_advance_pc, sleb128(units as i64)),
            Policy::Compact(_) => self.pending_advance += address - self.address,
        }
        self.address = address;
        Ok(())
    }

    /// Writes `DW_LNS_advance_line` to `line` without a row, so that other opcodes can stand
    /// between it and the row. A next row on that line does not write it again. With
    /// [`Policy::Compact`] nothing is written before the row.
    ///
    /// # Errors
    ///
    /// [`Error::NoSequence`].
    pub fn advance_line_to(&mut self, line: u32) -> Result<(), Error> {
        self.expect_open()?;
        if self.policy == Policy::Plain {
            self.program.with(DW_LNS_advance_line, sleb128((line.wrapping_sub(self.line) as i32).into()));
            (self.line, self.line_is_written) = (line, true);
        }
        Ok(())
    }

    /// Writes a row: from `address` on, the code belongs to `line` (1-based; 0 means no line). Line
    /// advances wrap at 32 bits.
    ///
    /// # Errors
    ///
    /// [`Error::NoSequence`], [`Error::AddressBackwards`], [`Error::Misaligned`],
    /// [`Error::Leb128`].
    #[inline]
    pub fn row(&mut self, address: u64, line: u32) -> Result<(), Error> {
        let units = self.advance(address)?;
        let lines = line.wrapping_sub(self.line) as i32;
        match self.policy {
            Policy::Plain if self.line_is_written => self.put_row_on_written_line(units, lines),
            Policy::Plain => self.rows.put_row(&mut self.program, units, lines),
            Policy::Compact(_) => self.compact_row(units, lines),
        }
        (self.address, self.line) = (address, line);
        Ok(())
    }

    #[cold]
    fn put_row_on_written_line(&mut self, units: u64, lines: i32) {
        self.line_is_written = false;
        if lines != 0 {
            return self.rows.put_row(&mut self.program, units, lines);
        }
        if units != 0 {
            self.program.with(DW_LNS_advance_pc, sleb128(units as i64));
        }
        self.program.op(DW_LNS_copy);
    }

    #[inline]
    fn compact_row(&mut self, units: u64, lines: i32) {
        if self.written != self.state {
            self.flush_state(self.state);
        }
        let unit = u64::from(self.params.minimum_instruction_length);
        let units = units + core::mem::take(&mut self.pending_advance) / unit;
        if let Some(counts) = &mut self.counts {
            counts.add(lines as u32);
        }
        self.rows.put_row(&mut self.program, units, lines);
    }

    /// Ends the sequence. `address` is the first byte after its code.
    ///
    /// # Errors
    ///
    /// [`Error::NoSequence`], [`Error::AddressBackwards`], [`Error::Misaligned`],
    /// [`Error::Leb128`].
    pub fn end_sequence(&mut self, address: u64) -> Result<(), Error> {
        let units = self.advance(address)?;
        match self.policy {
            Policy::Plain if units != 0 => self.program.with(DW_LNS_advance_pc, sleb128(units as i64)),
            Policy::Plain => {}
            Policy::Compact(_) => {
                let unit = u64::from(self.params.minimum_instruction_length);
                self.program.opcodes(compact::advance(
                    self.params,
                    Opcodes::NONE,
                    units + self.pending_advance / unit,
                ));
            }
        }
        self.program.put([EXTENDED, 1, DW_LNE_end_sequence], 3);
        self.open = false;
        Ok(())
    }

    /// Appends the sequences of another program, without its tables. So sequences can be written
    /// independently.
    ///
    /// # Errors
    ///
    /// [`Error::SequenceOpen`] in either; [`Error::LineParams`] with those of `other` if its
    /// opcodes mean something else here, or if one of both has yet to choose what its opcodes mean.
    pub fn append(&mut self, other: &Self) -> Result<(), Error> {
        self.expect_closed()?;
        other.expect_closed()?;
        if self.params != other.params || self.counts.is_some() || other.counts.is_some() {
            return Err(Error::LineParams(other.params));
        }
        self.program.extend_relocated(other.program.bytes(), other.program.relocs().iter().copied());
        Ok(())
    }

    /// Returns the finished line unit: header and program.
    ///
    /// # Errors
    ///
    /// [`Error::SequenceOpen`]; [`Error::TooLong`] from 4 GiB on.
    pub fn finish(mut self) -> Result<Section, Error> {
        self.expect_closed()?;
        if let Some(counts) = self.counts.take() {
            line_base_search::choose_line_base(&mut self.params, &mut self.program, &counts);
        }
        self.unit()
    }

    /// A standard opcode without operand that counts for the next row only.
    fn flag(&mut self, opcode: u8) -> Result<(), Error> {
        self.expect_standard(opcode)?;
        self.program.op(opcode);
        Ok(())
    }

    /// Asks for a register's new value.
    #[inline]
    fn register(&mut self, opcode: u8, state: State) -> Result<(), Error> {
        self.expect_standard(opcode)?;
        self.state = state;
        if self.policy == Policy::Plain {
            self.written = state;
            put_register(&mut self.program, opcode, state);
        }
        Ok(())
    }

    /// Writes the registers in which `state` is not what the program says.
    fn flush_state(&mut self, state: State) {
        let State { file, column, is_stmt, isa } = self.written;
        let program = &mut self.program;
        for (opcode, changed) in [
            (DW_LNS_set_file, state.file != file),
            (DW_LNS_set_column, state.column != column),
            (DW_LNS_negate_stmt, state.is_stmt != is_stmt),
            (DW_LNS_set_isa, state.isa != isa),
        ] {
            if changed {
                put_register(program, opcode, state);
            }
        }
        self.written = state;
    }

    #[inline]
    fn expect_standard(&self, opcode: u8) -> Result<(), Error> {
        self.expect_open()?;
        let opcode_base = self.params.opcode_base;
        if opcode >= opcode_base {
            return Err(Error::StandardOpcode { opcode, opcode_base });
        }
        Ok(())
    }

    /// Units of `minimum_instruction_length` from the last address to `address`.
    #[inline]
    fn advance(&self, address: u64) -> Result<u64, Error> {
        match address.checked_sub(self.address) {
            Some(bytes)
                if self.open
                    && bytes.saturating_add(self.pending_advance) <= MAX_ADVANCE
                    && self.params.minimum_instruction_length == 1 =>
            {
                Ok(bytes)
            }
            _ => self.checked_advance(address),
        }
    }

    /// The rare cases of [`LineProgram::advance`].
    #[cold]
    fn checked_advance(&self, to: u64) -> Result<u64, Error> {
        self.expect_open()?;
        let (from, unit) = (self.address, self.params.minimum_instruction_length);
        let bytes = to.checked_sub(from).ok_or(Error::AddressBackwards { from, to })?;
        check_leb128(Field::ADDRESS_ADVANCE, bytes.saturating_add(self.pending_advance), MAX_ADVANCE)?;
        if !bytes.is_multiple_of(u64::from(unit)) {
            return Err(Error::Misaligned { from, to, unit });
        }
        Ok(bytes / u64::from(unit))
    }

    #[inline]
    fn expect_open(&self) -> Result<(), Error> {
        if self.open { Ok(()) } else { Err(Error::NoSequence) }
    }

    fn expect_closed(&self) -> Result<(), Error> {
        if self.open { Err(Error::SequenceOpen { reached: self.address }) } else { Ok(()) }
    }
}

/// The opcode that sets a register, with its value; `DW_LNS_negate_stmt` has none.
#[inline]
#[allow(non_upper_case_globals, reason = "the names of the specification as patterns")]
fn put_register(program: &mut ProgramBytes, opcode: u8, state: State) {
    let operand = match opcode {
        DW_LNS_set_file => state.file,
        DW_LNS_set_column => state.column,
        DW_LNS_set_isa => state.isa,
        _ => return program.op(opcode),
    };
    program.with(opcode, uleb128(operand));
}
