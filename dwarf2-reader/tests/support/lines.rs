//! `.debug_line` by this crate and by gimli: headers, instructions and rows.
#![allow(unreachable_pub, reason = "a module of tests")]

use super::outcome::{Outcome, Reading, compare as compare_readings};
use dwarf2_reader::line::{Instruction, Unit, directories, file, file_named, instruction, units};
use dwarf2_reader::{Cursor, ErrorKind, Format, Result};
use gimli::{AttributeValue, DebugLine, DebugLineOffset, EndianSlice, LineInstruction, LittleEndian};

const DW_LNE_DEFINE_FILE: u8 = 3;
const DW_LNE_SET_DISCRIMINATOR: u8 = 4;

/// Compares both readings of `.debug_line`.
pub fn compare(section: &[u8]) -> Outcome {
    compare_readings(&ours(section), &theirs(section), || difference(section))
}

/// Headers and instructions in words.
fn ours(section: &[u8]) -> Reading<String> {
    let mut words = Vec::new();
    let is_sound = units(section).all(|unit| unit.and_then(|(_, unit)| put_unit(&unit, &mut words)).is_ok());
    (words, is_sound)
}

fn put_unit(unit: &Unit<'_>, words: &mut Vec<String>) -> Result<()> {
    let (operations, lengths) = (unit.maximum_operations_per_instruction, unit.standard_opcode_lengths);
    let mut tables = unit.tables.clone();
    let (mut files, directories) = (Vec::new(), directories(&mut tables)?);
    while let Some(file) = file(&mut tables)? {
        files.push((file.name, file.directory, file.mtime, file.size));
    }
    let head = (unit.format, operations, lengths, directories, files);
    words.push(format!("{head:x?} {:?}", unit.params));
    let mut program = unit.program.clone();
    while !program.is_empty() {
        let next = match instruction(&mut program, unit.params.opcode_base)? {
            Instruction::Extended { opcode: DW_LNE_DEFINE_FILE, mut operands } => {
                let name = operands.string("a file")?;
                let file = file_named(&mut operands, name)?;
                format!("{:x?}", (name, file.directory, file.mtime, file.size))
            }
            Instruction::Extended { opcode: DW_LNE_SET_DISCRIMINATOR, mut operands } => {
                format!("discriminator {}", operands.uleb("a discriminator")?)
            }
            Instruction::Extended { opcode, operands } => format!("{opcode} {:x?}", operands.rest()),
            other => format!("{other:?}"),
        };
        words.push(next);
    }
    Ok(())
}

/// The same by gimli, whose units are found by their lengths.
fn theirs(section: &[u8]) -> Reading<String> {
    let (mut words, mut at) = (Vec::new(), 0);
    while at < section.len() {
        match put_gimli_unit(section, at, &mut words) {
            Ok(end) => at = end,
            Err(_) => return (words, false),
        }
    }
    (words, true)
}

/// The end of the unit at an offset.
fn put_gimli_unit(section: &[u8], at: usize, words: &mut Vec<String>) -> gimli::Result<usize> {
    let unit = DebugLine::new(section, LittleEndian).program(DebugLineOffset(at), 8, None, None)?;
    let header = unit.header();
    let encoding = header.line_encoding();
    let format = match header.format() {
        gimli::Format::Dwarf32 => Format::Dwarf32,
        gimli::Format::Dwarf64 => Format::Dwarf64,
    };
    let string = |value: AttributeValue<EndianSlice<'_, LittleEndian>>| match value {
        AttributeValue::String(string) => string.slice().to_vec(),
        _ => Vec::new(),
    };
    let directories: Vec<_> = header.include_directories().iter().map(|value| string(*value)).collect();
    let file = |file: &gimli::FileEntry<EndianSlice<'_, LittleEndian>>| {
        (string(file.path_name()), file.directory_index(), file.timestamp(), file.size())
    };
    let files: Vec<_> = header.file_names().iter().map(file).collect();
    let lengths = header.standard_opcode_lengths().slice();
    let operations = encoding.maximum_operations_per_instruction;
    let head = (format, operations, lengths, directories, files);
    let params = dwarf2_reader::line::Params {
        version: header.version(),
        minimum_instruction_length: encoding.minimum_instruction_length,
        default_is_stmt: encoding.default_is_stmt,
        line_base: encoding.line_base,
        line_range: encoding.line_range,
        opcode_base: header.opcode_base(),
    };
    words.push(format!("{head:x?} {params:?}"));
    let mut instructions = header.instructions();
    while let Some(next) = instructions.next_instruction(header)? {
        let same = match next {
            LineInstruction::Special(opcode) => Instruction::Special(opcode - header.opcode_base()),
            LineInstruction::Copy => Instruction::Copy,
            LineInstruction::AdvancePc(advance) => Instruction::AdvancePc(advance),
            LineInstruction::AdvanceLine(advance) => Instruction::AdvanceLine(advance),
            LineInstruction::SetFile(file) => Instruction::SetFile(file),
            LineInstruction::SetColumn(column) => Instruction::SetColumn(column),
            LineInstruction::NegateStatement => Instruction::NegateStmt,
            LineInstruction::SetBasicBlock => Instruction::SetBasicBlock,
            LineInstruction::ConstAddPc => Instruction::ConstAddPc,
            LineInstruction::FixedAddPc(advance) => Instruction::FixedAdvancePc(advance),
            LineInstruction::SetPrologueEnd => Instruction::SetPrologueEnd,
            LineInstruction::SetEpilogueBegin => Instruction::SetEpilogueBegin,
            LineInstruction::SetIsa(isa) => Instruction::SetIsa(isa),
            LineInstruction::EndSequence => Instruction::EndSequence,
            LineInstruction::SetAddress(address) => Instruction::SetAddress(address),
            LineInstruction::DefineFile(entry) => {
                words.push(format!("{:x?}", file(&entry)));
                continue;
            }
            LineInstruction::SetDiscriminator(discriminator) => {
                words.push(format!("discriminator {discriminator}"));
                continue;
            }
            LineInstruction::UnknownExtended(opcode, operands) => {
                words.push(format!("{} {:x?}", opcode.0, operands.slice()));
                continue;
            }
            other => {
                words.push(format!("{other:?}"));
                continue;
            }
        };
        words.push(format!("{same:?}"));
    }
    let escape = if format == Format::Dwarf64 { 12 } else { 4 };
    Ok(at + escape + header.unit_length())
}

/// A row: the registers of DWARF 2.0.0 §6.2.2, with those of DWARF 3 and 4.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "registers of the specification")]
pub struct Row {
    pub address: u64,
    pub operation: u64,
    pub file: u64,
    pub line: u64,
    pub column: u64,
    pub is_stmt: bool,
    pub is_basic_block: bool,
    pub is_prologue_end: bool,
    pub is_epilogue_begin: bool,
    pub is_end: bool,
    pub isa: u64,
}

impl Row {
    pub const fn first(is_stmt: bool) -> Self {
        Self {
            address: 0,
            operation: 0,
            file: 1,
            line: 1,
            column: 0,
            is_stmt,
            is_basic_block: false,
            is_prologue_end: false,
            is_epilogue_begin: false,
            is_end: false,
            isa: 0,
        }
    }

    /// The row, and what follows it: flags count for one row only.
    pub fn take(&mut self) -> Self {
        let row = self.clone();
        (self.is_basic_block, self.is_prologue_end, self.is_epilogue_begin) = (false, false, false);
        row
    }

    fn advance(&mut self, unit: &Unit<'_>, operations: u64) {
        let each = u64::from(unit.maximum_operations_per_instruction);
        let bytes = u64::from(unit.params.minimum_instruction_length);
        let all = self.operation + operations;
        self.address = self.address.wrapping_add(bytes.wrapping_mul(all / each));
        self.operation = all % each;
    }
}

/// The rows of a unit, by the instructions that this crate reads.
pub fn rows(unit: &Unit<'_>) -> Result<Vec<Row>> {
    let params = unit.params;
    let mut program: Cursor<'_> = unit.program.clone();
    let (mut row, mut rows) = (Row::first(params.default_is_stmt), Vec::new());
    while !program.is_empty() {
        match instruction(&mut program, params.opcode_base)? {
            Instruction::Special(adjusted) => {
                row.advance(unit, (adjusted / params.line_range).into());
                let line = i64::from(params.line_base) + i64::from(adjusted % params.line_range);
                row.line = row.line.wrapping_add_signed(line);
                rows.push(row.take());
            }
            Instruction::Copy => rows.push(row.take()),
            Instruction::AdvancePc(units) => row.advance(unit, units),
            Instruction::AdvanceLine(lines) => row.line = row.line.wrapping_add_signed(lines),
            Instruction::SetFile(file) => row.file = file,
            Instruction::SetColumn(column) => row.column = column,
            Instruction::NegateStmt => row.is_stmt ^= true,
            Instruction::SetBasicBlock => row.is_basic_block = true,
            Instruction::ConstAddPc => {
                row.advance(unit, ((255 - params.opcode_base) / params.line_range).into());
            }
            Instruction::FixedAdvancePc(bytes) => {
                (row.address, row.operation) = (row.address.wrapping_add(bytes.into()), 0);
            }
            Instruction::SetPrologueEnd => row.is_prologue_end = true,
            Instruction::SetEpilogueBegin => row.is_epilogue_begin = true,
            Instruction::SetIsa(isa) => row.isa = isa,
            Instruction::EndSequence => {
                row.is_end = true;
                rows.push(row.take());
                row = Row::first(params.default_is_stmt);
            }
            Instruction::SetAddress(address) => (row.address, row.operation) = (address, 0),
            Instruction::Extended { .. } => {}
        }
    }
    Ok(rows)
}

/// The rows of the unit at an offset by gimli.
pub fn gimli_rows(section: &[u8], at: u64) -> gimli::Result<Vec<Row>> {
    let unit = DebugLine::new(section, LittleEndian).program(DebugLineOffset(at as usize), 8, None, None)?;
    let (mut all, mut rows) = (unit.rows(), Vec::new());
    while let Some((_, row)) = all.next_row()? {
        rows.push(Row {
            address: row.address(),
            operation: row.op_index(),
            file: row.file_index(),
            line: row.line().map_or(0, std::num::NonZero::get),
            column: match row.column() {
                gimli::ColumnType::LeftEdge => 0,
                gimli::ColumnType::Column(column) => column.get(),
            },
            is_stmt: row.is_stmt(),
            is_basic_block: row.basic_block(),
            is_prologue_end: row.prologue_end(),
            is_epilogue_begin: row.epilogue_begin(),
            is_end: row.end_sequence(),
            isa: row.isa(),
        });
    }
    Ok(rows)
}

/// The first thing in a section on which the readers disagree, and whether values after it may
/// differ.
fn difference(section: &[u8]) -> Option<(&'static str, bool)> {
    for item in units(section) {
        let unit = match item {
            Ok((_, unit)) => unit,
            Err(error) => return error_difference(error.kind),
        };
        if unit.params.minimum_instruction_length == 0 {
            return Some(("instructions of no bytes", false));
        }
        if unit.maximum_operations_per_instruction == 0 {
            return Some(("instructions of no operations", false));
        }
        if unit.params.opcode_base == 0 {
            return Some(("opcode_base 0", false));
        }
        if let Err(error) = put_unit(&unit, &mut Vec::new()) {
            return error_difference(error.kind);
        }
    }
    None
}

/// What gimli takes and this crate refuses.
fn error_difference(kind: ErrorKind) -> Option<(&'static str, bool)> {
    match kind {
        ErrorKind::Value { field: "version", found: 5, .. } => Some(("version 5", false)),
        ErrorKind::Value { field: "opcode", .. } => Some(("an opcode that DWARF 4 does not have", false)),
        ErrorKind::Value { field: "address size", .. } => Some(("an address of another size", false)),
        _ => None,
    }
}
