//! gimli, an independent reader, sees the rows that were asked for.

use dwarf2_writer::line::{FileEntry, Header, LineProgram, Params, Policy};
use dwarf2_writer::{Address, Error};
use gimli::{ColumnType, DebugLine, DebugLineOffset, LittleEndian};
use proptest::prelude::*;

/// A call of the writer.
#[derive(Debug, Clone)]
enum Op {
    Row {
        advance: u64,
        line: u32,
    },
    Advance(u64),
    File(u64),
    Column(u64),
    NegateStmt,
    BasicBlock,
    /// Of DWARF 3, in programs whose `opcode_base` has them.
    PrologueEnd,
    EpilogueBegin,
    Isa(u64),
    /// An opcode that gimli does not know, and has to step over.
    Vendor(u8, Vec<u8>),
}

/// Address, line, file, column and ISA, is_stmt, [`Marks`], end_sequence.
type Row = (u64, u64, u64, (u64, u64), bool, Marks, bool);

/// Of one row: basic_block, prologue_end, epilogue_begin.
type Marks = (bool, bool, bool);

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let advance = prop_oneof![Just(0), Just(16), 0..=300_u64, 0..=u64::from(u32::MAX)];
    // Below 2^31: gimli's line register is 64 bits wide and does not wrap with ptxas' 32.
    let line = prop_oneof![4 => 1..=40_u32, 1 => 0..1_u32 << 31];
    let op = prop_oneof![
        6 => (advance.clone(), line).prop_map(|(advance, line)| Op::Row { advance, line }),
        1 => advance.prop_map(Op::Advance),
        1 => prop_oneof![4 => 1..=3_u32, 1 => any::<u32>()].prop_map(|file| Op::File(file.into())),
        1 => any::<u64>().prop_map(Op::Column),
        1 => Just(Op::NegateStmt),
        1 => Just(Op::BasicBlock),
        1 => Just(Op::PrologueEnd),
        1 => Just(Op::EpilogueBegin),
        1 => any::<u64>().prop_map(Op::Isa),
        1 => (0x90..=u8::MAX, prop::collection::vec(any::<u8>(), 0..200)).prop_map(|(op, data)| Op::Vendor(op, data)),
    ];
    prop::collection::vec(op, 0..60)
}

fn params() -> impl Strategy<Value = Params> {
    let custom = (2..=3_u16, 1..=16_u8, any::<bool>(), any::<i8>(), 1..=u8::MAX, 10..=13_u8).prop_map(
        |(version, minimum_instruction_length, default_is_stmt, line_base, line_range, opcode_base)| Params {
            version,
            minimum_instruction_length,
            default_is_stmt,
            line_base,
            line_range,
            opcode_base,
        },
    );
    prop_oneof![Just(Params::default()), custom]
}

/// Writes a sequence and returns the rows that it stands for (DWARF 2.0.0 §6.2.2).
fn write(program: &mut LineProgram, params: Params, start: u64, ops: &[Op]) -> Result<Vec<Row>, Error> {
    let unit = u64::from(params.minimum_instruction_length);
    let (mut address, mut line, mut file, mut column) = (start, 1, 1, (0, 0));
    let (mut is_stmt, mut marks) = (params.default_is_stmt, Marks::default());
    let mut rows = Vec::new();
    program.begin_sequence(Address::Constant(start))?;
    for op in ops {
        match op {
            Op::Row { advance, line: new } => {
                (address, line) = (address + advance * unit, *new);
                program.row(address, line)?;
                rows.push((address, u64::from(line), file, column, is_stmt, marks, false));
                marks = Marks::default();
            }
            Op::Advance(advance) => {
                address += advance * unit;
                program.advance_to(address)?;
            }
            Op::File(new) => {
                file = *new;
                program.set_file(file)?;
            }
            Op::Column(new) => {
                column.0 = *new;
                program.set_column(*new)?;
            }
            Op::NegateStmt => {
                is_stmt = !is_stmt;
                program.negate_stmt()?;
            }
            Op::BasicBlock => {
                marks.0 = true;
                program.set_basic_block()?;
            }
            Op::PrologueEnd if params.opcode_base > 10 => {
                marks.1 = true;
                program.set_prologue_end()?;
            }
            Op::EpilogueBegin if params.opcode_base > 11 => {
                marks.2 = true;
                program.set_epilogue_begin()?;
            }
            Op::Isa(new) if params.opcode_base > 12 => {
                column.1 = *new;
                program.set_isa(*new)?;
            }
            Op::PrologueEnd | Op::EpilogueBegin | Op::Isa(_) => {}
            Op::Vendor(op, data) => program.raw_extended(*op, data)?,
        }
    }
    address += 16 * unit;
    program.end_sequence(address)?;
    rows.push((address, u64::from(line), file, column, is_stmt, marks, true));
    Ok(rows)
}

fn read(bytes: &[u8]) -> gimli::Result<Vec<Row>> {
    let program = DebugLine::new(bytes, LittleEndian).program(DebugLineOffset(0), 8, None, None)?;
    let mut reader = program.rows();
    let mut rows = Vec::new();
    while let Some((_, row)) = reader.next_row()? {
        let column = match row.column() {
            ColumnType::LeftEdge => 0,
            ColumnType::Column(column) => column.get(),
        };
        let line = row.line().map_or(0, u64::from);
        let (address, file) = (row.address(), row.file_index());
        let marks = (row.basic_block(), row.prologue_end(), row.epilogue_begin());
        rows.push((address, line, file, (column, row.isa()), row.is_stmt(), marks, row.end_sequence()));
    }
    Ok(rows)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn rows_come_back(
        params in params(),
        sequences in prop::collection::vec((0..1_u64 << 40, ops()), 0..4),
        tail in prop::collection::vec(any::<u8>(), 0..6),
        policy in prop_oneof![
            Just(Policy::Plain), Just(Policy::Compact(Header::Choose)), Just(Policy::Compact(Header::Keep)),
        ],
    ) {
        let mut program = LineProgram::with_policy(params, policy).expect("valid");
        program.header_tail(&tail);
        let mut expected = Vec::new();
        for (start, ops) in &sequences {
            expected.extend(write(&mut program, params, *start, ops).expect("valid"));
        }
        let bytes = program.finish().expect("closed").bytes;
        let mut found = read(&bytes).expect("readable");
        if policy != Policy::Plain {
            // What no row needs is not written: the end of a sequence has its address.
            for row in found.iter_mut().chain(&mut expected).filter(|row| row.6) {
                *row = (row.0, 0, 0, (0, 0), false, Marks::default(), true);
            }
        }
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn tables_come_back(
        directories in prop::collection::vec("[^\0]{1,20}", 0..5),
        files in prop::collection::vec(("[^\0]{1,20}", any::<u32>(), any::<u64>(), any::<u64>()), 0..5),
    ) {
        let mut program = LineProgram::new(Params::default()).expect("valid");
        for path in &directories {
            program.directory(path.as_bytes()).expect("no NUL");
        }
        for (name, directory, mtime, size) in &files {
            let (name, directory, mtime, size) = (name.as_bytes(), u64::from(*directory), *mtime, *size);
            program.file(FileEntry { name, directory, mtime, size }).expect("no NUL");
        }
        let bytes = program.finish().expect("closed").bytes;
        let read = DebugLine::new(&bytes, LittleEndian)
            .program(DebugLineOffset(0), 8, None, None)
            .expect("readable");
        let text = |value: &gimli::AttributeValue<gimli::EndianSlice<'_, _>>| match value {
            gimli::AttributeValue::String(text) => text.to_string().expect("UTF-8").to_owned(),
            other => panic!("{other:?}"),
        };
        let header = read.header();
        prop_assert_eq!(header.include_directories().iter().map(text).collect::<Vec<_>>(), directories);
        let names = header.file_names().iter();
        let names = names.map(|f| (text(&f.path_name()), f.directory_index() as u32, f.timestamp(), f.size()));
        prop_assert_eq!(names.collect::<Vec<_>>(), files);
    }
}
