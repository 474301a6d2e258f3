//! Tests with hand-written line programs, read by this crate and by gimli.

use super::*;
use crate::ErrorKind;
use dwarf2_writer::constants::*;
use dwarf2_writer::line::Params;
use dwarf2_writer::{Address, SymbolId};
use gimli::{DebugLineOffset, LittleEndian};
use leb128_nv::{sleb128, uleb128};
use proptest::prelude::*;

/// A unit without tables, with one sequence of `program` and an advance of nothing before its end.
fn unit(params: Params, program: &[u8]) -> Vec<u8> {
    let lengths = &[0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1][..usize::from(params.opcode_base) - 1];
    let Params {
        version,
        minimum_instruction_length: unit,
        default_is_stmt,
        line_base,
        line_range,
        opcode_base,
    } = params;
    let mut header = vec![unit, default_is_stmt.into(), line_base as u8, line_range, opcode_base];
    header.extend_from_slice(lengths);
    header.extend_from_slice(&[0, 0]);
    let mut body = version.to_le_bytes().to_vec();
    body.extend_from_slice(&(header.len() as u32).to_le_bytes());
    body.extend_from_slice(&header);
    body.extend_from_slice(&[0, 9, DW_LNE_set_address, 0, 0, 0, 0, 0, 0, 0, 0]);
    body.extend_from_slice(program);
    body.extend_from_slice(&[0, 1, DW_LNE_end_sequence]);
    [&(body.len() as u32).to_le_bytes(), &*body].concat()
}

/// ptxas 13.5 writes it for a file without code.
#[test]
fn a_lone_end_of_a_sequence_comes_back() {
    let mut data = unit(DWARF3_PARAMS, &[]);
    let sequence = data.len() - 14; // DW_LNE_set_address, and its end
    data.drain(sequence..sequence + 11);
    let length = data.len() as u32 - 4;
    data[..4].copy_from_slice(&length.to_le_bytes());
    let tables = decode(".debug_line", &data).unwrap();
    assert_eq!((tables.len(), tables[0].sequences.len(), tables[0].has_lone_end), (1, 0, true));
    let written = encode(".debug_line", &tables[0], None, |_, _| Address::Constant(0)).unwrap();
    assert_eq!(written.bytes, data);
    assert!(unit_programs(".debug_line", &data).next().unwrap().unwrap().table.has_lone_end);
}

#[test]
fn values_are_as_large_as_the_readme_says() {
    assert_eq!((size_of::<LineOp>(), size_of::<LineRow>()), (32, 56));
}

#[test]
fn sequences_encoded_apart_join_to_the_unit_encoded_at_once() {
    let sequence = |lines: &[u32]| {
        let rows = (0..).step_by(16).zip(lines).map(|(address, &line)| LineOp::Row { address, line });
        let ops = std::iter::once(LineOp::SetFile(2)).chain(rows).collect();
        Sequence { base: 0, base_offset: 0, ops, end: 0x100 }
    };
    let mut table = LineTable {
        params: DWARF2_PARAMS,
        directories: vec![b"/src"[..].into()],
        files: vec![LineFile { name: b"a.cu"[..].into(), directory: 1, mtime: 3, size: 4 }],
        debug_str_base: Some(0),
        has_lone_end: false,
        sequences: vec![sequence(&[7, 9, 400]), sequence(&[]), sequence(&[1])],
    };
    let start = |index: usize| Address::Symbol { symbol: SymbolId(index as u32 + 5), addend: 0 };
    let debug_str = Some(SymbolId(2));
    let at_once = encode(".debug_line", &table, debug_str, |index, _| start(index)).unwrap();
    let sequences = std::mem::take(&mut table.sequences);
    let apart = sequences.iter().enumerate();
    let apart = apart.map(|(i, sequence)| {
        EncodedSequence::new(".debug_line", table.params, i, sequence, start(i)).unwrap()
    });
    assert_eq!(join_sequences(".debug_line", &table, debug_str, apart).unwrap(), at_once);

    let other = EncodedSequence::new(".debug_line", params(13), 0, &sequences[0], start(0)).unwrap();
    assert!(join_sequences(".debug_line", &table, None, [other]).is_err(), "opcodes of another opcode_base");
}

/// Address, file, line, column, is_stmt; of the end only the address.
type Row = (u64, u64, u64, u64, bool);

/// Rows and the sequence's end as gimli sees them, and prologue_end, epilogue_begin and isa of each
/// row.
fn gimli_rows(data: &[u8]) -> (Vec<Row>, u64, Vec<(bool, bool, u64)>) {
    let section = gimli::DebugLine::new(data, LittleEndian);
    let program = section.program(DebugLineOffset(0), 8, None, None).unwrap();
    let (mut rows, mut end, mut marks) = (Vec::new(), 0, Vec::new());
    let mut all = program.rows();
    while let Some((_, row)) = all.next_row().unwrap() {
        if row.end_sequence() {
            end = row.address();
            continue;
        }
        let column = match row.column() {
            gimli::ColumnType::LeftEdge => 0,
            gimli::ColumnType::Column(column) => column.get(),
        };
        let line = row.line().map_or(0, std::num::NonZero::get);
        rows.push((row.address(), row.file_index(), line, column, row.is_stmt()));
        marks.push((row.prologue_end(), row.epilogue_begin(), row.isa()));
    }
    (rows, end, marks)
}

fn our_rows(data: &[u8]) -> (Vec<Row>, u64) {
    let tables = decode(".debug_line", data).unwrap();
    let [table] = tables.as_slice() else { panic!("{} units", tables.len()) };
    let [sequence] = table.sequences.as_slice() else { panic!("{} sequences", table.sequences.len()) };
    let rows = table.rows(sequence);
    let rows = rows.map(|row| (row.address, row.file, row.line.into(), row.column, row.is_stmt));
    (rows.collect(), sequence.end)
}

fn params(opcode_base: u8) -> Params {
    Params { opcode_base, ..DWARF2_PARAMS }
}

/// Every opcode that moves a register; advances below 64, where ULEB128 and SLEB128 agree.
fn every_dwarf_2_opcode(opcode_base: u8) -> Vec<u8> {
    let mut program = vec![DW_LNS_set_file, 3, DW_LNS_set_column, 7, DW_LNS_advance_line];
    program.extend_from_slice(&sleb128(40));
    program.extend_from_slice(&[DW_LNS_copy, DW_LNS_const_add_pc, DW_LNS_copy, DW_LNS_advance_pc, 20]);
    program.extend_from_slice(&[DW_LNS_negate_stmt, DW_LNS_copy, DW_LNS_fixed_advance_pc, 0x08, 0x01]);
    program.extend_from_slice(&[DW_LNS_set_basic_block, DW_LNS_copy, opcode_base, 255, 200]);
    program.extend_from_slice(&[DW_LNS_const_add_pc, DW_LNS_fixed_advance_pc, 4, 0, DW_LNS_advance_pc, 8]);
    program
}

#[test]
fn hand_written_opcodes_mean_what_gimli_says() {
    // 255 - opcode_base is a multiple of the line ranges 5 and 11: one opcode less would be another
    // address.
    for (minimum_instruction_length, opcode_base, line_range) in
        [(1, 10, 14), (1, 10, 5), (1, 13, 11), (4, 10, 14), (4, 10, 5), (4, 13, 11)]
    {
        let params = Params { minimum_instruction_length, opcode_base, line_range, ..DWARF2_PARAMS };
        let data = unit(params, &every_dwarf_2_opcode(opcode_base));
        let (rows, end, _) = gimli_rows(&data);
        assert_eq!(our_rows(&data), (rows.clone(), end), "{params:?}");
        // And as DWARF 2.0.0 §6.2.5 counts: const_add_pc advances as opcode 255 does, the fixed
        // advance is in bytes.
        let scale = u64::from(minimum_instruction_length);
        let constant = u64::from((255 - opcode_base) / line_range) * scale;
        let addresses = [0, constant, constant + 20 * scale, constant + 20 * scale + 0x108];
        assert!(rows.iter().map(|row| row.0).take(4).eq(addresses), "{params:?}");
        // The first line of special opcodes, and what rows begin with.
        for (line_base, default_is_stmt) in [(-3, true), (1, false)] {
            let params = Params { line_base, default_is_stmt, ..params };
            let data = unit(params, &every_dwarf_2_opcode(opcode_base));
            let (rows, end, _) = gimli_rows(&data);
            assert_eq!(rows[0].4, default_is_stmt, "{params:?}");
            assert_eq!(our_rows(&data), (rows, end), "{params:?}");
        }
    }
}

/// What the first sequence set does not count in the second.
#[test]
fn a_sequence_starts_anew() {
    let first = [
        &every_dwarf_2_opcode(10)[..],
        &[0, 4, DW_LNE_NVIDIA_INLINED_CALL, 1, 0x80, 0x01, DW_LNS_copy],
        &[0, 1, DW_LNE_end_sequence, 0, 9, DW_LNE_set_address, 0, 0, 0, 0, 0, 0, 0, 0, DW_LNS_copy],
    ];
    let data = unit(DWARF2_PARAMS, &first.concat());
    let tables = decode(".debug_line", &data).unwrap();
    let [_, second] = &tables[0].sequences[..] else { panic!("{:?}", tables[0].sequences) };
    let rows: Vec<_> = tables[0].rows(second).collect();
    let row =
        |row: &LineRow| (row.address, row.file, row.line, row.column, row.context, row.name, row.number);
    assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), [(0, 1, 1, 0, 0, 0, 1)]);
    let program = unit_programs(".debug_line", &data).next().unwrap().unwrap();
    let program = program.sequences().nth(1).unwrap().unwrap();
    let mut steps = program.steps();
    while steps.next().is_some() {}
    assert_eq!(row(steps.row()), (0, 1, 1, 0, 0, 0, 1));
    let section = gimli::DebugLine::new(&data, LittleEndian);
    let program = section.program(DebugLineOffset(0), 8, None, None).unwrap();
    let mut all = program.rows();
    let mut ended = false;
    while let Some((_, row)) = all.next_row().unwrap() {
        if ended && !row.end_sequence() {
            assert_eq!(
                (row.address(), row.file_index(), row.line().map(std::num::NonZero::get)),
                (0, 1, Some(1))
            );
        }
        ended |= row.end_sequence();
    }
}

#[test]
fn dwarf_3_opcodes_come_back() {
    let isa = uleb128(300);
    let mut program = vec![DW_LNS_advance_line, 50, DW_LNS_set_prologue_end, DW_LNS_copy, DW_LNS_set_isa];
    program.extend_from_slice(&isa);
    program.extend_from_slice(&[DW_LNS_set_epilogue_begin, 200, 200]);
    let data = unit(params(13), &program);
    let tables = decode(".debug_line", &data).unwrap();
    let ops = &tables[0].sequences[0].ops;
    assert_eq!(ops[..2], [LineOp::AdvanceLine(51), LineOp::SetPrologueEnd]);
    assert_eq!(ops[3..5], [LineOp::SetIsa(300), LineOp::SetEpilogueBegin]);
    let again = encode(".debug_line", &tables[0], None, |_, _| Address::Constant(0)).unwrap();
    assert_eq!(gimli_rows(&again.bytes), gimli_rows(&data));
    assert!(again.bytes.windows(4).any(|bytes| bytes == &program[..4]), "the opcodes stay in order");
    let (_, _, marks) = gimli_rows(&data);
    assert_eq!(marks, [(true, false, 0), (false, true, 300), (false, false, 300)]);
    // Versions 2 and 3 are read.
    let mut other = data;
    other[4] = 3;
    assert_eq!(decode(".debug_line", &other).unwrap()[0].params, DWARF3_PARAMS);
    other[4] = 4;
    let error = decode(".debug_line", &other).unwrap_err();
    assert_eq!(error.offset(), 4, "{error}");
    // With DWARF 2's opcode_base the same bytes are special opcodes.
    let data = unit(params(10), &[DW_LNS_advance_line, 50, 10, 11, 12]);
    assert_eq!(our_rows(&data).0.len(), 3);
    assert_eq!(gimli_rows(&data).0, our_rows(&data).0);
}

#[test]
fn lone_advances_stay_apart_from_those_of_rows() {
    let program = [
        DW_LNS_advance_pc,
        16,
        DW_LNS_advance_pc,
        16,
        DW_LNS_copy,
        DW_LNS_advance_pc,
        16,
        DW_LNS_set_file,
        2,
    ];
    let data = unit(DWARF2_PARAMS, &program);
    let tables = decode(".debug_line", &data).unwrap();
    let row = LineOp::Row { address: 32, line: 1 };
    assert_eq!(
        tables[0].sequences[0].ops,
        [LineOp::Advance(16), row, LineOp::Advance(48), LineOp::SetFile(2)]
    );
}

#[test]
fn refusals_of_the_writer_name_the_sequence() {
    let sequence = |last| {
        let ops = vec![LineOp::Row { address: 16, line: 1 }, LineOp::Row { address: last, line: 2 }];
        Sequence { base: 0, base_offset: 0, ops, end: 64 }
    };
    let mut table = LineTable {
        params: DWARF2_PARAMS,
        directories: Vec::new(),
        files: Vec::new(),
        debug_str_base: None,
        has_lone_end: false,
        sequences: vec![sequence(32), sequence(8)],
    };
    let message = |table: &LineTable<'_>| {
        encode(".debug_line", table, None, |_, _| Address::Constant(0)).unwrap_err().to_string()
    };
    assert!(message(&table).starts_with(".debug_line: sequence 1: "), "{}", message(&table));
    table.directories = vec![b"a".into(), b"".into()];
    assert!(message(&table).starts_with(".debug_line: directory 2: "), "{}", message(&table));
    table.params.line_range = 0;
    assert!(message(&table).starts_with(".debug_line: unit 0: "), "{}", message(&table));
}

#[test]
fn numbers_that_do_not_fit_are_named_as_ptxas_names_them() {
    let message = |op| {
        let table = LineTable {
            params: DWARF2_PARAMS,
            directories: Vec::new(),
            files: Vec::new(),
            debug_str_base: None,
            has_lone_end: false,
            sequences: vec![Sequence { base: 0, base_offset: 0, ops: vec![op], end: u32::MAX.into() }],
        };
        let encoded = encode(".debug_line", &table, None, |_, _| Address::Constant(0));
        encoded.map_err(|error| error.to_string())
    };
    let (max, past) = (u64::from(u32::MAX), 1 << 32);
    for (fits, too_large, words) in [
        (
            LineOp::SetFile(max),
            LineOp::SetFile(past),
            "file number: it is 0x100000000, at most 0xffffffff fits",
        ),
        (
            LineOp::InlinedCall { context: max, name: max },
            LineOp::InlinedCall { context: past, name: past },
            "setting context: it is 0x100000000, at most 0xffffffff fits",
        ),
        (
            LineOp::InlinedCall { context: 0, name: 0 },
            LineOp::InlinedCall { context: 0, name: past },
            "setting function Offset: it is 0x100000000, at most 0xffffffff fits",
        ),
        (
            LineOp::SetFunctionName(max),
            LineOp::SetFunctionName(past),
            "setting function Offset: it is 0x100000000, at most 0xffffffff fits",
        ),
        (LineOp::EntryRow(0x7f), LineOp::EntryRow(0x80), "setting prologue: it is 0x80, at most 0x7f fits"),
        (
            LineOp::Advance(max),
            LineOp::Advance(1 << 63),
            "address advance: it is 0x8000000000000000, at most 0x7fffffffffffffff fits",
        ),
    ] {
        assert!(message(fits).is_ok());
        let expected = format!(".debug_line: sequence 0: overflow when generating LEB128 number for {words}");
        assert_eq!(message(too_large), Err(expected));
    }
}

/// Rows of a program with NVIDIA's three opcodes: context, name and entry of each.
#[test]
fn vendor_opcodes_set_what_rows_carry() {
    let program = [
        &[0, 2, DW_LNE_NVIDIA_ENTRY_ROW, 1, DW_LNS_copy, 0, 2, DW_LNE_NVIDIA_ENTRY_ROW, 0][..],
        &[0, 4, DW_LNE_NVIDIA_INLINED_CALL, 1, 0x80, 0x01, DW_LNS_advance_pc, 16, DW_LNS_copy],
        &[0, 2, DW_LNE_NVIDIA_SET_FUNCTION_NAME, 5, DW_LNS_advance_pc, 16, DW_LNS_copy],
        &[0, 3, DW_LNE_NVIDIA_INLINED_CALL, 0, 0, DW_LNS_advance_pc, 16, DW_LNS_copy],
    ];
    let data = unit(DWARF2_PARAMS, &program.concat());
    let tables = decode(".debug_line", &data).unwrap();
    let rows = tables[0].rows(&tables[0].sequences[0]);
    let rows: Vec<_> = rows.map(|row| (row.number, row.context, row.name, row.entry)).collect();
    assert_eq!(rows, [(1, 0, 0, true), (2, 1, 128, false), (3, 1, 5, false), (4, 0, 0, false)]);
    let again = encode(".debug_line", &tables[0], None, |_, _| Address::Constant(0)).unwrap();
    let again = decode(".debug_line", &again.bytes).unwrap();
    assert_eq!(again[0].sequences[0].ops, tables[0].sequences[0].ops);
}

#[test]
fn a_row_that_repeats_another_has_no_number() {
    let row = |address, line| LineOp::Row { address, line };
    let call = LineOp::InlinedCall { context: 2, name: 0 };
    let ops = vec![row(0, 12), row(0, 12), row(16, 14), row(32, 12), call, row(32, 20)];
    let sequence = Sequence { base: 0, base_offset: 0, ops, end: 48 };
    let table = LineTable {
        params: DWARF2_PARAMS,
        has_lone_end: false,
        directories: Vec::new(),
        files: Vec::new(),
        debug_str_base: Some(0),
        sequences: vec![sequence],
    };
    let rows = RowTable::new(0, &table, &table.sequences[0]);
    let numbers: Vec<_> = (0..rows.all().len()).map(|index| rows.row_number(index)).collect();
    assert_eq!(numbers, [Some(1), None, Some(2), Some(3), Some(4)]);
    assert_eq!(rows.caller(4), Some(2), "number 2 is that of the third row");
}

#[test]
fn vendor_opcodes_with_other_operands_are_refused() {
    let call = DW_LNE_NVIDIA_INLINED_CALL;
    let wide = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02];
    let too_wide = [&[0, 12, call][..], &wide, &[0]].concat();
    // The offsets count from the opcode's 0 byte.
    for (program, at) in [
        (&[0, 1, call][..], 3),
        (&[0, 2, call, 1], 4),
        (&[0, 3, call, 1, 0x80], 4),
        (&[0, 4, call, 1, 2, 3], 5),
        (&too_wide, 3),
        (&[0, 1, DW_LNE_NVIDIA_SET_FUNCTION_NAME], 3),
        (&[0, 3, DW_LNE_NVIDIA_SET_FUNCTION_NAME, 1, 2], 4),
        (&[0, 1, DW_LNE_NVIDIA_ENTRY_ROW], 3),
        (&[0, 3, DW_LNE_NVIDIA_ENTRY_ROW, 1, 2], 4),
        (&[0, 0], 2),
        (&[0, 0x7f, call, 1, 2], 2),
    ] {
        let data = unit(DWARF2_PARAMS, program);
        let start = data.len() - 3 - program.len();
        let error = decode(".debug_line", &data).unwrap_err();
        assert_eq!(
            (error.section(), error.offset()),
            (".debug_line", (start + at) as u64),
            "{program:02x?}: {error}"
        );
    }
}

/// The header of a unit without tables or sequences, with `tail` after its file table.
fn header_with_tail(tail: &[u8]) -> Vec<u8> {
    let mut data = unit(DWARF2_PARAMS, &[]);
    let header_end = 10 + data[6] as usize;
    data.truncate(header_end);
    data.extend_from_slice(tail);
    data[6] += tail.len() as u8;
    data[0] = (data.len() - 4) as u8;
    data
}

#[test]
fn the_debug_str_base_is_four_bytes_or_none() {
    for (tail, base) in [(&[][..], None), (&[0, 0, 0, 0], Some(0)), (&[4, 3, 2, 1], Some(0x0102_0304))] {
        let data = header_with_tail(tail);
        let tables = decode(".debug_line", &data).unwrap();
        assert_eq!(tables[0].debug_str_base, base);
        let again = encode(".debug_line", &tables[0], None, |_, _| Address::Constant(0)).unwrap();
        assert_eq!(again.bytes, data);
        // With a symbol the field is relocated, and the offset is the addend.
        let symbol = SymbolId(7);
        let relocated = encode(".debug_line", &tables[0], Some(symbol), |_, _| Address::Constant(0)).unwrap();
        assert_eq!(relocated.relocs.len(), usize::from(base.is_some()));
    }
    // Five bytes begin with a file.
    for (len, left) in [(1, 1), (2, 2), (3, 3), (5, 1), (7, 3)] {
        let data = header_with_tail(&vec![0; len]);
        let error = decode(".debug_line", &data).unwrap_err();
        assert_eq!(error.offset(), (data.len() - left) as u64, "{error}");
        assert!(matches!(error.kind(), ErrorKind::Value { found, .. } if *found == left as u64), "{error}");
    }
}

/// What ptxas 13.0.88 writes for `.file 2 "", 5, 6`, in `.nv.merc.debug_line` with the base after
/// it.
#[test]
fn a_file_without_a_name_comes_back() {
    let file = |name: &'static [u8], mtime, size| LineFile { name: name.into(), directory: 0, mtime, size };
    for (tail, files, base) in [
        (&[0, 5, 6, 0, 0, 0, 0, 0][..], vec![file(b"", 5, 6)], Some(0)),
        (&[0, 5, 6, b'b', 0, 0, 0, 0, 0], vec![file(b"", 5, 6), file(b"b", 0, 0)], None),
        (&[0, 0x80, 1, 6, 0], vec![file(b"", 128, 6)], None),
        // Not told from a base.
        (&[0, 5, 6, 0], vec![], Some(0x6_0500)),
    ] {
        let data = header_with_tail(tail);
        let tables = decode(".debug_line", &data).unwrap();
        assert_eq!((&tables[0].files, tables[0].debug_str_base), (&files, base));
        let again = encode(".debug_line", &tables[0], None, |_, _| Address::Constant(0)).unwrap();
        assert_eq!(again.bytes, data);
    }
}

#[test]
fn an_entry_row_flag_that_is_no_number_comes_back() {
    let data = unit(DWARF2_PARAMS, &[0, 2, DW_LNE_NVIDIA_ENTRY_ROW, 0x81, DW_LNS_copy]);
    let tables = decode(".debug_line", &data).unwrap();
    let kept = LineOp::Extended { opcode: DW_LNE_NVIDIA_ENTRY_ROW, operands: vec![0x81] };
    assert_eq!(tables[0].sequences[0].ops[0], kept);
    let again = encode(".debug_line", &tables[0], None, |_, _| Address::Constant(0)).unwrap();
    assert!(again.bytes.windows(4).any(|bytes| bytes == [0, 2, DW_LNE_NVIDIA_ENTRY_ROW, 0x81]));
}

#[test]
fn errors_give_the_offset_of_the_opcode() {
    let mut data = unit(DWARF2_PARAMS, &[DW_LNS_copy]);
    data[14] = 14; // opcode_base: more operand counts than DWARF 3 has, and the first byte after them is not a count
    assert!(decode(".debug_line", &data).is_err());
    let data = unit(DWARF2_PARAMS, &[0, 9, DW_LNE_set_address, 0, 0, 0, 0, 0, 0, 0, 0]);
    let error = decode(".debug_line", &data).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Value { field: "extended opcode", found: 2, .. }), "{error}");
}

/// One or two steps, by which the address moves on. An advance alone stands before a state change:
/// before a row it would be the row's.
fn steps() -> impl Strategy<Value = Vec<LineOp>> {
    let number = || any::<u32>().prop_map(u64::from);
    prop_oneof![
        number().prop_map(|file| vec![LineOp::SetFile(file)]),
        number().prop_map(|column| vec![LineOp::SetColumn(column)]),
        Just(vec![LineOp::NegateStmt]),
        Just(vec![LineOp::SetBasicBlock]),
        (number(), number()).prop_map(|(context, name)| vec![LineOp::InlinedCall { context, name }]),
        number().prop_map(|name| vec![LineOp::SetFunctionName(name)]),
        (0_u8..0x80).prop_map(|flag| vec![LineOp::EntryRow(flag)]),
        (1_u64..1000, 0_u8..3).prop_map(|(step, flag)| vec![LineOp::Advance(step), LineOp::EntryRow(flag)]),
        (0_u64..1000, any::<u32>()).prop_map(|(address, line)| vec![LineOp::Row { address, line }]),
        (16_u64..17, 1_u32..30).prop_map(|(address, line)| vec![LineOp::Row { address, line }]),
    ]
}

proptest! {
    #[test]
    fn tables_come_back(steps in prop::collection::vec(steps(), 0..20), debug_str_base: Option<u32>, end in 1_u64..1000) {
        let mut ops = steps.concat();
        let mut at = 0;
        for op in &mut ops {
            if let LineOp::Advance(address) | LineOp::Row { address, .. } = op {
                at += *address;
                *address = at;
            }
        }
        let sequence = Sequence { base: 0, base_offset: 0, ops, end: at + end };
        let files = vec![LineFile { name: b"a.cu".into(), directory: 1, mtime: 7, size: 9 }];
        let (params, directories) = (DWARF2_PARAMS, vec![b"/src".into()]);
        let table = LineTable { params, directories, files, debug_str_base, has_lone_end: false, sequences: vec![sequence] };
        let encoded = encode(".debug_line", &table, None, |_, _| Address::Constant(0)).unwrap();
        let mut again = decode(".debug_line", &encoded.bytes).unwrap();
        again[0].sequences[0].base_offset = 0;
        prop_assert_eq!(&again, &[table]);
        let second = encode(".debug_line", &again[0], None, |_, _| Address::Constant(0)).unwrap();
        prop_assert_eq!(&second.bytes, &encoded.bytes);
        cut_at_every_op(&encoded.bytes)?;
        steps_are_rows(&encoded.bytes)?;
    }
}

/// A program run step by step has the same rows, with the same numbers, as one that is kept.
fn steps_are_rows(data: &[u8]) -> Result<(), TestCaseError> {
    let tables = decode_with_offsets(".debug_line", data).unwrap();
    let units: Vec<_> = unit_programs(".debug_line", data).map(Result::unwrap).collect();
    prop_assert_eq!(tables.len(), units.len());
    for (placed, unit) in tables.iter().zip(&units) {
        prop_assert_eq!(
            (placed.offset, placed.header_size, placed.size),
            (unit.offset, unit.header_size, unit.size())
        );
        let sequences: Vec<_> = unit.sequences().map(Result::unwrap).collect();
        prop_assert_eq!(sequences.len(), placed.sequences.len());
        for ((sequence, at), program) in placed.table.sequences.iter().zip(&placed.sequences).zip(&sequences)
        {
            prop_assert_eq!((at.offset, at.size), (program.offset, program.size));
            prop_assert_eq!((sequence.base_offset, sequence.end), (program.base_offset, program.end));
            let rows = RowTable::new(0, &placed.table, sequence);
            let want = rows.all().iter().enumerate().map(|(index, row)| (*row, rows.row_number(index)));
            let (mut steps, mut found, mut ends) = (program.steps(), Vec::new(), Vec::new());
            while let Some((op, end)) = steps.next() {
                ends.push(end);
                if matches!(op, LineOp::Row { .. }) {
                    found.push((*steps.row(), steps.row_number()));
                }
            }
            prop_assert_eq!(&ends, &at.op_ends);
            prop_assert_eq!(found, want.collect::<Vec<_>>());
        }
    }
    Ok(())
}

/// Programs are not looked at: what is wrong in one keeps no header from being read.
#[test]
fn headers_need_no_programs() {
    let params = params(10);
    let sound = unit(params, &[]);
    let damaged = unit(params, &[0x00, 0x05]);
    let other = unit(Params { line_base: -1, ..params }, &[]);
    let data = [&damaged[..], &sound, &other].concat();
    assert!(decode(".debug_line", &data).is_err());
    let at: Vec<_> = headers(".debug_line", &data).map(|header| header.unwrap()).collect();
    let offsets: Vec<_> =
        at.iter().map(|(offset, table)| (*offset as usize, table.params.line_base)).collect();
    assert_eq!(offsets, [(0, -5), (damaged.len(), -5), (damaged.len() + sound.len(), -1)]);
    assert!(at.iter().all(|(_, table)| table.sequences.is_empty()));
    // After a header that cannot be read the position of the next one is unknown.
    let mut data = data;
    data[damaged.len() + 4] = 9;
    let results: Vec<_> = headers(".debug_line", &data).map(|header| header.is_ok()).collect();
    assert_eq!(results, [true, false]);
}

/// Where an op ends the program can end: it then has the ops before, and that one.
fn cut_at_every_op(bytes: &[u8]) -> Result<(), TestCaseError> {
    let placed = decode_with_offsets(".debug_line", bytes).unwrap().remove(0);
    prop_assert_eq!((placed.offset, placed.size), (0, bytes.len() as u64));
    let (sequence, place) = (&placed.table.sequences[0], &placed.sequences[0]);
    prop_assert_eq!((place.offset, place.size), (placed.header_size, placed.size - placed.header_size));
    prop_assert_eq!(place.op_ends.len(), sequence.ops.len());
    for (number, end) in (1..).zip(&place.op_ends) {
        let mut cut = [&bytes[..*end as usize], &[0, 1, 1][..]].concat(); // DW_LNE_end_sequence
        let length = cut.len() as u32 - 4;
        cut[..4].copy_from_slice(&length.to_le_bytes());
        let again = decode(".debug_line", &cut).unwrap().remove(0).sequences.remove(0);
        // The advance before an end is the end's own.
        let ops = &sequence.ops[..number];
        let ops = ops.strip_suffix(&[LineOp::Advance(again.end)]).unwrap_or(ops);
        prop_assert_eq!(&*again.ops, ops);
    }
    Ok(())
}

/// 1000 files in a directory of 10,000 bytes would take 700 times their names.
#[test]
fn paths_take_no_more_than_names_allow() {
    let table = |directory, count| LineTable {
        params: DWARF2_PARAMS,
        directories: vec![vec![b'd'; 10_000].into()],
        files: vec![LineFile { name: b"a.cu".into(), directory, mtime: 0, size: 0 }; count],
        debug_str_base: None,
        has_lone_end: false,
        sequences: Vec::new(),
    };
    let paths = table(1, 100).paths(".debug_line").unwrap();
    assert_eq!((paths.len(), paths[99].as_ref().map(String::len)), (100, Some(10_005)));
    assert_eq!(table(0, 1000).paths(".debug_line").unwrap()[999].as_deref(), Some("a.cu"));
    assert_eq!(table(2, 1).paths(".debug_line").unwrap(), [None]);
    let fault = table(1, 1000).paths(".debug_line").unwrap_err();
    assert_eq!(fault.section(), ".debug_line");
}
