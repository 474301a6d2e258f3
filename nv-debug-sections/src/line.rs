//! Line tables: `.debug_line`, `.nv_debug_line_sass` and their Mercury copies, as values.
//!
//! The tables are DWARF 2 line programs (DWARF 2.0.0 §6.2) with three vendor opcodes and, when rows of inlined code occur, four more
//! header bytes: the offset of this unit's names in `.debug_str`. FORMATS 1.1 and 1.4; observed: ptxas 13.0.88, sm_75-sm_121.
//!
//! A program is kept as [`LineOp`]s: everything a reader can tell apart, and nothing else. Which opcode a row was written with and
//! how long its operands were is decided anew by [`encode`].

use crate::bytes::Cursor;
use crate::{Error, ErrorKind, Result};
use dwarf2_writer::constants as dw;
use dwarf2_writer::line::{FileEntry, LineProgram, Params};
use dwarf2_writer::{Address, Section, SymbolId};
use std::borrow::Cow;

/// `DW_LNE_NVIDIA_inlined_call`: operands are the context row and the callee's name offset.
pub const DW_LNE_NVIDIA_INLINED_CALL: u8 = 0x90;
/// `DW_LNE_NVIDIA_set_function_name`: operand is a name offset. Never written by ptxas 13.0.88.
pub const DW_LNE_NVIDIA_SET_FUNCTION_NAME: u8 = 0x91;
/// Extended opcode 0x92 of Mercury tables: 1 before the row at a function's entry, 0 after it. NVIDIA's name is unknown.
pub const DW_LNE_NVIDIA_ENTRY_ROW: u8 = 0x92;

/// One unit of a line section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineTable<'d> {
    /// The header's numbers.
    pub params: Params,
    /// `include_directories`; the first is number 1.
    pub directories: Vec<Cow<'d, [u8]>>,
    /// `file_names`; the first is number 1.
    pub files: Vec<LineFile<'d>>,
    /// Offset in `.debug_str` to which name offsets of this unit are relative; present when the header has the four bytes.
    pub debug_str_base: Option<u32>,
    /// Sequences in section order, one for each code section.
    pub sequences: Vec<Sequence>,
}

/// An entry of the file table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineFile<'d> {
    /// Name without directory.
    pub name: Cow<'d, [u8]>,
    /// 1-based directory number, 0 for none.
    pub directory: u64,
    /// Modification time, seconds since 1970; 0 when unknown.
    pub mtime: u64,
    /// Size in bytes; 0 when unknown.
    pub size: u64,
}

/// The rows of one code section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// Operand of `DW_LNE_set_address` as it stands in the section. In a cubin it is 0 and a relocation names the function.
    pub base: u64,
    /// Byte offset of that operand in the section: where the relocation applies.
    pub base_offset: u64,
    /// The program between `DW_LNE_set_address` and `DW_LNE_end_sequence`.
    pub ops: Vec<LineOp>,
    /// First byte behind the sequence, relative to its base.
    pub end: u64,
}

/// One step of a line program. Addresses are byte offsets from the sequence's base.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineOp {
    /// `DW_LNS_set_file`: 1-based entry of the file table (0 throughout `.nv_debug_line_sass`).
    SetFile(u64),
    /// `DW_LNS_set_column`.
    SetColumn(u64),
    /// `DW_LNS_negate_stmt`.
    NegateStmt,
    /// `DW_LNS_set_basic_block`.
    SetBasicBlock,
    /// 0x90: the rows that follow are inlined code. `context` is the 1-based number of the row of this sequence that is the call
    /// site (0: not inlined), `name` the callee's name, relative to [`LineTable::debug_str_base`].
    InlinedCall {
        /// Row number of the call site, 0 for none.
        context: u64,
        /// Offset of the callee's name.
        name: u64,
    },
    /// 0x92: whether the rows that follow are function entry rows.
    EntryRow(u8),
    /// `DW_LNS_advance_pc` and kin without a row; the new address.
    Advance(u64),
    /// A row: special opcode or `DW_LNS_copy`. Lines are 32-bit and wrap.
    Row {
        /// Address, relative to the sequence's base.
        address: u64,
        /// 1-based line; 0 for none.
        line: u32,
    },
    /// Another extended opcode, kept as it is.
    Extended {
        /// The opcode behind the length.
        opcode: u8,
        /// Its operands, undecoded.
        operands: Vec<u8>,
    },
}

/// Decodes every unit of a line section.
///
/// `section` is the section's name, for errors. The bytes are taken as they stand: relocations apply to the `base_offset` fields.
///
/// # Errors
///
/// Truncated fields, a version other than 2, a header that is inconsistent, opcodes outside a sequence, a sequence left open.
pub fn decode<'d>(section: &'d str, data: &'d [u8]) -> Result<Vec<LineTable<'d>>> {
    let mut cursor = Cursor::new(section, data);
    let mut tables = Vec::new();
    while !cursor.is_empty() {
        let length = cursor.u32("unit_length")?;
        if length >= 0xffff_fff0 {
            let expected = "a 32-bit DWARF length";
            let kind = ErrorKind::Value { field: "unit_length", found: length.into(), expected };
            return Err(cursor.error_at(cursor.offset() - 4, kind));
        }
        tables.push(decode_unit(
            &mut cursor.split(length.into(), "the unit (unit_length goes past the end)")?,
        )?);
    }
    Ok(tables)
}

fn decode_unit<'d>(cursor: &mut Cursor<'d>) -> Result<LineTable<'d>> {
    let version = cursor.u16("version")?;
    if version != 2 {
        let kind = ErrorKind::Value { field: "version", found: version.into(), expected: "2" };
        return Err(cursor.error_at(cursor.offset() - 2, kind));
    }
    let header_length = cursor.u32("header_length")?;
    let mut header = cursor.split(header_length.into(), "the header (header_length goes past the unit)")?;
    let params = decode_params(&mut header)?;
    let mut directories = Vec::new();
    loop {
        match header.cstr("include_directories")? {
            [] => break,
            directory => directories.push(Cow::Borrowed(directory)),
        }
    }
    let mut files = Vec::new();
    loop {
        match header.cstr("file_names")? {
            [] => break,
            name => files.push(LineFile {
                name: Cow::Borrowed(name),
                directory: header.uleb("a file's directory index")?,
                mtime: header.uleb("a file's time")?,
                size: header.uleb("a file's size")?,
            }),
        }
    }
    let debug_str_base = match header.remaining() {
        0 => None,
        4 => Some(header.u32("the .debug_str base")?),
        found => {
            let kind =
                ErrorKind::Value { field: "header bytes behind the file table", found, expected: "0 or 4" };
            return Err(header.error(kind));
        }
    };
    let mut sequences = Vec::new();
    while !cursor.is_empty() {
        sequences.push(decode_sequence(cursor, params)?);
    }
    Ok(LineTable { params, directories, files, debug_str_base, sequences })
}

/// Operand counts of standard opcodes 1-12, as DWARF 2 (1-9) and DWARF 3 (10-12) fix them.
const OPERAND_COUNTS: [u8; 12] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];

fn decode_params(header: &mut Cursor<'_>) -> Result<Params> {
    let params = Params {
        minimum_instruction_length: header.u8("minimum_instruction_length")?,
        default_is_stmt: header.u8("default_is_stmt")? != 0,
        line_base: header.u8("line_base")? as i8,
        line_range: header.u8("line_range")?,
        opcode_base: header.u8("opcode_base")?,
    };
    if params.line_range == 0 {
        let kind = ErrorKind::Value { field: "line_range", found: 0, expected: "at least 1" };
        return Err(header.error_at(header.offset() - 2, kind));
    }
    let count = params.opcode_base.saturating_sub(1);
    let lengths = header.take(count.into(), "standard_opcode_lengths")?;
    for (index, (&found, &want)) in lengths.iter().zip(&OPERAND_COUNTS).enumerate() {
        if found != want {
            let expected = "the operand count DWARF gives this opcode";
            let kind = ErrorKind::Value { field: "standard_opcode_lengths", found: found.into(), expected };
            return Err(header.error_at(header.offset() - u64::from(count) + index as u64, kind));
        }
    }
    if lengths.len() > OPERAND_COUNTS.len() {
        let kind = ErrorKind::Value {
            field: "opcode_base",
            found: params.opcode_base.into(),
            expected: "at most 13",
        };
        return Err(header.error_at(header.offset() - u64::from(count) - 1, kind));
    }
    Ok(params)
}

/// The address and line registers while a sequence is decoded.
struct Registers {
    address: u64,
    line: u32,
    /// An advance has been read. It belongs to the row or sequence end only if that comes next; else it stands alone.
    advanced: bool,
    ops: Vec<LineOp>,
}

impl Registers {
    fn row(&mut self) {
        self.advanced = false;
        self.ops.push(LineOp::Row { address: self.address, line: self.line });
    }

    fn state(&mut self, op: LineOp) {
        self.flush_advance();
        self.ops.push(op);
    }

    fn flush_advance(&mut self) {
        if std::mem::take(&mut self.advanced) {
            self.ops.push(LineOp::Advance(self.address));
        }
    }

    fn advance(&mut self, by: u64) {
        self.flush_advance();
        self.address = self.address.wrapping_add(by);
        self.advanced = true;
    }
}

fn decode_sequence(cursor: &mut Cursor<'_>, params: Params) -> Result<Sequence> {
    let (base, base_offset) = decode_set_address(cursor)?;
    let mut registers = Registers { address: 0, line: 1, advanced: false, ops: Vec::new() };
    let unit = u64::from(params.minimum_instruction_length);
    let special_advance = |adjusted: u8| u64::from(adjusted / params.line_range).wrapping_mul(unit);
    loop {
        let opcode = cursor.u8("the next opcode (sequence without DW_LNE_end_sequence)")?;
        if opcode >= params.opcode_base {
            let adjusted = opcode - params.opcode_base;
            let line_delta = i32::from(params.line_base) + i32::from(adjusted % params.line_range);
            registers.flush_advance();
            registers.address = registers.address.wrapping_add(special_advance(adjusted));
            registers.line = registers.line.wrapping_add_signed(line_delta);
            registers.row();
            continue;
        }
        match opcode {
            0 => {
                if decode_extended(cursor, &mut registers)? {
                    break;
                }
            }
            dw::DW_LNS_copy => registers.row(),
            // Signed, although DWARF says unsigned: 0x50 is written as `d0 00` (FORMATS 1.4).
            dw::DW_LNS_advance_pc => {
                let by = cursor.sleb("DW_LNS_advance_pc")?;
                registers.advance((by as u64).wrapping_mul(unit));
            }
            dw::DW_LNS_advance_line => {
                let by = cursor.sleb("DW_LNS_advance_line")?;
                registers.flush_advance();
                registers.line = registers.line.wrapping_add(by as u32);
            }
            dw::DW_LNS_set_file => {
                let file = cursor.uleb("DW_LNS_set_file")?;
                registers.state(LineOp::SetFile(file));
            }
            dw::DW_LNS_set_column => {
                let column = cursor.uleb("DW_LNS_set_column")?;
                registers.state(LineOp::SetColumn(column));
            }
            dw::DW_LNS_negate_stmt => registers.state(LineOp::NegateStmt),
            dw::DW_LNS_set_basic_block => registers.state(LineOp::SetBasicBlock),
            dw::DW_LNS_const_add_pc => registers.advance(special_advance(255 - params.opcode_base)),
            dw::DW_LNS_fixed_advance_pc => {
                let by = cursor.u16("DW_LNS_fixed_advance_pc")?;
                registers.advance(by.into());
            }
            _ => {
                let kind = ErrorKind::Value {
                    field: "opcode",
                    found: opcode.into(),
                    expected: "a DWARF 2 line opcode",
                };
                return Err(cursor.error_at(cursor.offset() - 1, kind));
            }
        }
    }
    Ok(Sequence { base, base_offset, ops: registers.ops, end: registers.address })
}

fn decode_set_address(cursor: &mut Cursor<'_>) -> Result<(u64, u64)> {
    let start = cursor.offset();
    let intro = cursor.take(3, "DW_LNE_set_address")?;
    if intro != [0, 9, 2] {
        let found = intro.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
        let kind = ErrorKind::Value {
            field: "start of a sequence",
            found,
            expected: "0x000902, DW_LNE_set_address of 8 bytes",
        };
        return Err(cursor.error_at(start, kind));
    }
    let base_offset = cursor.offset();
    Ok((cursor.u64("DW_LNE_set_address")?, base_offset))
}

/// Decodes one extended opcode; `true` at the end of the sequence.
fn decode_extended(cursor: &mut Cursor<'_>, registers: &mut Registers) -> Result<bool> {
    let length = cursor.uleb("the length of an extended opcode")?;
    let mut op = cursor.split(length, "an extended opcode")?;
    let opcode = op.u8("an extended opcode")?;
    match opcode {
        dw::DW_LNE_end_sequence => return Ok(true),
        DW_LNE_NVIDIA_INLINED_CALL => {
            let context = op.uleb("the context of an inlined call")?;
            let name = op.uleb("the name of an inlined call")?;
            registers.state(LineOp::InlinedCall { context, name });
        }
        DW_LNE_NVIDIA_ENTRY_ROW => {
            let flag = op.u8("the entry row flag")?;
            registers.state(LineOp::EntryRow(flag));
        }
        dw::DW_LNE_set_address => {
            let expected = "one DW_LNE_set_address for each sequence";
            return Err(op.error(ErrorKind::Value { field: "extended opcode", found: 2, expected }));
        }
        _ => {
            let operands = op.rest().to_vec();
            registers.state(LineOp::Extended { opcode, operands });
            return Ok(false);
        }
    }
    if op.is_empty() {
        Ok(false)
    } else {
        let expected = "the opcode's operands and nothing else";
        Err(op.error(ErrorKind::Value { field: "extended opcode length", found: length, expected }))
    }
}

/// Encodes one unit, opcode by opcode as ptxas does (FORMATS 1.4).
///
/// `base(i, sequence)` gives the operand of `DW_LNE_set_address` for sequence `i`: symbolic in a cubin. `debug_str` is the symbol
/// that the `.debug_str` base is to be relocated against, if it is.
///
/// # Errors
///
/// Whatever [`dwarf2_writer`] refuses: addresses that go back, names with NUL bytes, a unit of 4 GiB.
pub fn encode(
    section: &str,
    table: &LineTable<'_>,
    debug_str: Option<SymbolId>,
    mut base: impl FnMut(usize, &Sequence) -> Address,
) -> Result<Section> {
    let fail = |error: dwarf2_writer::Error| Error::new(section, 0, ErrorKind::Other(error.to_string()));
    let mut program = LineProgram::new(table.params).map_err(fail)?;
    for directory in &table.directories {
        program.directory(directory).map_err(fail)?;
    }
    for file in &table.files {
        let entry =
            FileEntry { name: &file.name, directory: file.directory, mtime: file.mtime, size: file.size };
        program.file(entry).map_err(fail)?;
    }
    match (table.debug_str_base, debug_str) {
        (None, _) => {}
        (Some(offset), None) => program.header_tail(&offset.to_le_bytes()),
        (Some(offset), Some(symbol)) => program.header_tail_offset(symbol, offset.into()),
    }
    for (index, sequence) in table.sequences.iter().enumerate() {
        let start = base(index, sequence);
        // The writer counts addresses from where a constant or addend starts, we count them from the sequence's base.
        let origin = match start {
            Address::Constant(address) => address,
            Address::Symbol { addend, .. } => addend as u64,
        };
        program.begin_sequence(start).map_err(fail)?;
        for op in &sequence.ops {
            encode_op(&mut program, op, origin).map_err(fail)?;
        }
        let end = origin.wrapping_add(sequence.end);
        if sequence.ops.last() == Some(&LineOp::Advance(sequence.end)) {
            program.advance_to(end).map_err(fail)?; // else a reader takes the last advance for the end's own
        }
        program.end_sequence(end).map_err(fail)?;
    }
    program.finish().map_err(fail)
}

fn encode_op(program: &mut LineProgram, op: &LineOp, origin: u64) -> Result<(), dwarf2_writer::Error> {
    match op {
        LineOp::SetFile(file) => program.set_file(*file),
        LineOp::SetColumn(column) => program.set_column(*column),
        LineOp::NegateStmt => program.negate_stmt(),
        LineOp::SetBasicBlock => program.set_basic_block(),
        LineOp::InlinedCall { context, name } => {
            let (context, name) = (leb128_nv::uleb128(*context), leb128_nv::uleb128(*name));
            program.raw_extended(DW_LNE_NVIDIA_INLINED_CALL, &[context.as_slice(), name.as_slice()].concat())
        }
        LineOp::EntryRow(flag) => program.raw_extended(DW_LNE_NVIDIA_ENTRY_ROW, &[*flag]),
        LineOp::Advance(address) => program.advance_to(origin.wrapping_add(*address)),
        LineOp::Row { address, line } => program.row(origin.wrapping_add(*address), *line),
        LineOp::Extended { opcode, operands } => program.raw_extended(*opcode, operands),
    }
}

/// A row with every register spelled out, as a reader wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRow {
    /// 1-based number of the row in its sequence. Contexts refer to these numbers, but do not count a row that repeats the address
    /// and line of the row before (FORMATS 1.6): see [`symbolize::Rows`](crate::symbolize::Rows).
    pub number: u32,
    /// Address relative to the sequence's base.
    pub address: u64,
    /// File table entry, 1-based (0 in `.nv_debug_line_sass`).
    pub file: u64,
    /// Line, 1-based.
    pub line: u32,
    /// Column, 1-based; 0 for none. ptxas never writes one.
    pub column: u64,
    /// Row number of the call site, 0 when the row is not inlined code.
    pub context: u64,
    /// The inlined callee's name offset, relative to [`LineTable::debug_str_base`].
    pub name: u64,
    /// `is_stmt`.
    pub is_stmt: bool,
    /// Whether 0x92 marks the row as a function's entry row.
    pub entry: bool,
}

impl LineTable<'_> {
    /// Runs a sequence of this table and gives its rows in program order.
    pub fn rows<'s>(&self, sequence: &'s Sequence) -> impl Iterator<Item = LineRow> + use<'s> {
        let is_stmt = self.params.default_is_stmt;
        let mut state = LineRow {
            number: 0,
            address: 0,
            file: 1,
            line: 1,
            column: 0,
            context: 0,
            name: 0,
            is_stmt,
            entry: false,
        };
        sequence.ops.iter().filter_map(move |op| {
            match *op {
                LineOp::SetFile(file) => state.file = file,
                LineOp::SetColumn(column) => state.column = column,
                LineOp::NegateStmt => state.is_stmt = !state.is_stmt,
                LineOp::InlinedCall { context, name } => (state.context, state.name) = (context, name),
                LineOp::EntryRow(flag) => state.entry = flag != 0,
                LineOp::Row { address, line } => {
                    (state.number, state.address, state.line) = (state.number + 1, address, line);
                    return Some(state);
                }
                LineOp::Advance(_) | LineOp::SetBasicBlock | LineOp::Extended { .. } => {}
            }
            None
        })
    }

    /// Path of a file table entry (1-based), directory and name joined by `/`; `None` when the table has no such entry.
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
}
