//! Line programs byte by byte: expectations are written out from DWARF 2.0.0 §6.2 and
//! docs/formats/line-tables.md, header.

use dwarf2_writer::line::{FileEntry, Header, LineProgram, Params, Policy};
use dwarf2_writer::{Address, Error, Reloc, Section, SymbolId};
use leb128_nv::Field;

const START: [u8; 11] = [0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0];
const HEADER_WITHOUT_TABLES: [u8; 26] =
    [0, 0, 0, 0, 2, 0, 16, 0, 0, 0, 1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0];

fn program() -> LineProgram {
    LineProgram::new(Params::default()).expect("valid")
}

fn name(name: &[u8]) -> FileEntry<'_> {
    FileEntry { name, directory: 0, mtime: 0, size: 0 }
}

/// The opcodes of one sequence, without its start at 0 and its end.
fn opcodes(write: impl FnOnce(&mut LineProgram) -> Result<(), Error>) -> Vec<u8> {
    const MARK: [u8; 3] = [0, 1, 0xff];
    let mut program = program();
    program.begin_sequence(Address::Constant(0)).expect("closed");
    write(&mut program).expect("valid");
    program.raw_extended(MARK[2], &[]).expect("open");
    program.end_sequence(1 << 60).expect("open");
    let bytes = program.finish().expect("closed").bytes;
    let body = bytes[HEADER_WITHOUT_TABLES.len()..].strip_prefix(&START).expect("start");
    let end = body.windows(MARK.len()).rposition(|window| window == MARK).expect("mark");
    body[..end].to_vec()
}

#[test]
fn rows() {
    // (rows before, row, its opcodes); a sequence starts at address 0, line 1.
    for (before, (address, line), expected) in [
        // Special: both move, the line by -5..=8, and the opcode fits: 10 + 14 * advance + line
        // advance + 5.
        (&[][..], (16, 2), &[0xf0][..]),
        (&[], (16, 9), &[0xf7]),
        (&[(0, 6)], (16, 1), &[0xea]),
        (&[], (1, 2), &[0x1e]),
        (&[], (17, 2), &[0xfe]),
        (&[], (17, 3), &[0xff]),
        // Too far for special.
        (&[], (17, 4), &[3, 3, 2, 17, 1]),
        (&[], (16, 10), &[3, 9, 2, 16, 1]),
        (&[(0, 7)], (16, 1), &[3, 0x7a, 2, 16, 1]),
        (&[], (32, 2), &[3, 1, 2, 32, 1]),
        // Only one moves, or none.
        (&[], (0, 2), &[3, 1, 1]),
        (&[], (16, 1), &[2, 16, 1]),
        (&[], (0, 1), &[3, 0, 1]),
        // The operand of advance_pc is SLEB128.
        (&[], (0x3f, 1), &[2, 0x3f, 1]),
        (&[], (0x50, 1), &[2, 0xd0, 0, 1]),
        (&[], (0xd0, 1), &[2, 0xd0, 1, 1]),
        (&[], (0xffff_ffff_0000, 1), &[2, 0x80, 0x80, 0xfc, 0xff, 0xff, 0xff, 0x3f, 1]),
        // Line advances wrap at 32 bits: 10 to 4000000000 is -294967306.
        (&[(0, 10)], (0, 4_000_000_000), &[3, 0xf6, 0xcf, 0xac, 0xf3, 0x7e, 1]),
        (&[(0, u32::MAX)], (16, 1), &[0xf1]),
        (&[], (0, 0), &[3, 0x7f, 1]),
    ] {
        let with = |rows: &[(u64, u32)]| {
            opcodes(|program| rows.iter().try_for_each(|&(address, line)| program.row(address, line)))
        };
        let skipped = with(before).len();
        let all = with(&[before, &[(address, line)]].concat());
        assert_eq!(&all[skipped..], expected, "{before:?}, then {address:#x} line {line}");
    }
}

/// docs/formats/line-tables.md, opcodes, as they are written there.
fn rule(params: Params, units: i64, lines: i64) -> Vec<u8> {
    let (base, range) = (i64::from(params.line_base), i64::from(params.line_range));
    let opcode = i64::from(params.opcode_base) + range * units + lines - base;
    if units != 0 && lines != 0 && base <= lines && lines < base + range && opcode <= 255 {
        return vec![opcode as u8];
    }
    let mut out = Vec::new();
    if lines != 0 || units == 0 {
        out.push(3);
        out.extend_from_slice(&leb128_nv::sleb128(lines));
    }
    if units != 0 {
        out.push(2);
        out.extend_from_slice(&leb128_nv::sleb128(units));
    }
    out.push(1);
    out
}

#[test]
fn every_near_row_by_the_rule() {
    for (line_base, line_range, opcode_base) in [
        (-5, 14, 10),
        (-3, 12, 13),
        (0, 1, 10),
        (-128, 255, 10),
        (127, 255, 13),
        (122, 122, 10),
        (-1, 245, 10),
    ] {
        let params = Params { line_base, line_range, opcode_base, ..Params::default() };
        let mut program = LineProgram::new(params).expect("valid");
        let mut expected = Vec::new();
        for units in 0..270_u16 {
            for lines in -270..=270_i16 {
                program.begin_sequence(Address::Constant(0)).expect("closed");
                program.row(0, 1001).expect("open");
                program.row(units.into(), (1001 + lines) as u32).expect("open");
                program.end_sequence(units.into()).expect("open");
                expected.extend(START);
                expected.extend([3, 0xe8, 7, 1]); // by 1000 lines
                expected.extend(rule(params, units.into(), lines.into()));
                expected.extend([0, 1, 1]);
            }
        }
        let bytes = program.finish().expect("closed").bytes;
        assert!(bytes.ends_with(&expected), "{params:?}");
    }
}

#[test]
fn state_changes_are_written_as_called() {
    let written = opcodes(|program| {
        program.set_file(1)?;
        program.set_file(1)?;
        program.set_file(0xffff)?;
        program.set_column(300)?;
        program.negate_stmt()?;
        program.set_basic_block()?;
        program.raw_extended(0x90, &[1, 0x80, 1])?;
        program.raw_extended(0x80, &[0; 127])?;
        program.advance_to(0)?;
        program.advance_to(0x50)?;
        program.row(0x60, 2)
    });
    let mut expected = vec![4, 1, 4, 1, 4, 0xff, 0xff, 3, 5, 0xac, 2, 6, 7, 0, 4, 0x90, 1, 0x80, 1];
    expected.extend([0, 0x80, 1, 0x80]);
    expected.extend([0; 127]);
    expected.extend([2, 0, 2, 0xd0, 0, 0xf0]);
    assert_eq!(written, expected);
}

#[test]
fn header_tables_and_tail() {
    let mut program = program();
    assert_eq!(program.directory(b"/a"), Ok(1));
    assert_eq!(program.directory(b"b"), Ok(2));
    assert_eq!(program.file(FileEntry { name: b"x.cu", directory: 2, mtime: 300, size: 5 }), Ok(1));
    assert_eq!(program.file(name(b"y.h")), Ok(2));
    program.header_tail(&[9, 9]);
    program.header_tail_offset(Address::Symbol { symbol: SymbolId(4), addend: 0x1234 }).expect("near");
    let symbol = SymbolId(8);
    program.begin_sequence(Address::Symbol { symbol, addend: 0x40 }).expect("closed");
    assert_eq!(
        program.row(0x30, 1),
        Err(Error::AddressBackwards { from: 0x40, to: 0x30 }),
        "addresses start at the addend"
    );
    program.row(0x40, 1).expect("open");
    program.end_sequence(0x50).expect("open");
    let section = program.finish().expect("closed");

    let tables = b"/a\0b\0\0x.cu\0\x02\xac\x02\x05y.h\0\0\0\0\0";
    let tail = [9, 9, 0x34, 0x12, 0, 0];
    let opcodes = [0, 9, 2, 0x40, 0, 0, 0, 0, 0, 0, 0, 3, 0, 1, 2, 16, 0, 1, 1];
    let mut expected = HEADER_WITHOUT_TABLES[..24].to_vec();
    expected.extend(tables);
    expected.extend(tail);
    expected.extend(opcodes);
    expected[6] = (14 + tables.len() + tail.len()) as u8;
    expected[0] = (expected.len() - 4) as u8;
    assert_eq!(section.bytes, expected);
    let relocs = [
        Reloc::new(24 + tables.len() as u64 + 2, 4, SymbolId(4), 0x1234),
        Reloc::new(24 + (tables.len() + tail.len()) as u64 + 3, 8, symbol, 0x40),
    ];
    assert_eq!(section.relocs, relocs);

    let mut both = section.clone();
    both.append(&section);
    assert_eq!(both.bytes, [section.bytes.clone(), section.bytes.clone()].concat());
    assert_eq!(both.relocs[2].offset, section.bytes.len() as u64 + relocs[0].offset);
}

#[test]
fn empty_program() {
    let mut expected = HEADER_WITHOUT_TABLES;
    expected[0] = 22;
    assert_eq!(program().finish().expect("closed"), Section { bytes: expected.to_vec(), relocs: vec![] });
}

#[test]
fn dwarf_3_opcodes_need_their_opcode_base() {
    let mut program = program();
    program.begin_sequence(Address::Constant(0)).expect("closed");
    let refused = |opcode| Err(Error::StandardOpcode { opcode, opcode_base: 10 });
    assert_eq!(program.set_prologue_end(), refused(10));
    assert_eq!(program.set_epilogue_begin(), refused(11));
    assert_eq!(program.set_isa(1), refused(12));

    let params = Params { opcode_base: 13, ..Params::default() };
    let mut program = LineProgram::new(params).expect("valid");
    program.begin_sequence(Address::Constant(0)).expect("closed");
    program.set_prologue_end().expect("known");
    program.set_epilogue_begin().expect("known");
    program.set_isa(200).expect("known");
    program.row(1, 2).expect("open");
    program.end_sequence(1).expect("open");
    let bytes = program.finish().expect("closed").bytes;
    assert_eq!(bytes[14..27], [13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]);
    assert!(bytes.ends_with(&[10, 11, 12, 0xc8, 1, 13 + 14 + 6, 0, 1, 1]));
}

#[test]
fn errors_leave_nothing_behind() {
    let mut program = program();
    assert_eq!(program.directory(b""), Err(Error::EmptyString { field: "directory" }));
    assert_eq!(program.file(name(b"")), Err(Error::EmptyString { field: "file name" }));
    assert_eq!(program.directory(b"a\0"), Err(Error::NulInString { field: "directory", offset: 1 }));
    assert_eq!(program.file(name(b"ab\0c")), Err(Error::NulInString { field: "file name", offset: 2 }));
    for outside in [
        program.set_file(1),
        program.set_column(1),
        program.negate_stmt(),
        program.set_basic_block(),
        program.raw_extended(0x80, &[]),
        program.advance_to(0),
        program.row(0, 1),
        program.end_sequence(0),
    ] {
        assert_eq!(outside, Err(Error::NoSequence));
    }
    program.begin_sequence(Address::Constant(0x100)).expect("closed");
    program.row(0x120, 7).expect("open");
    let open = Err(Error::SequenceOpen { reached: 0x120 });
    assert_eq!(program.begin_sequence(Address::Constant(0)), open);
    assert_eq!(program.clone().finish().map(drop), open);
    let backwards = Err(Error::AddressBackwards { from: 0x120, to: 0x11f });
    assert_eq!(program.row(0x11f, 7), backwards);
    assert_eq!(program.advance_to(0x11f), backwards);
    assert_eq!(program.end_sequence(0x11f), backwards);
    let far = Error::Leb128 { field: Field::ADDRESS_ADVANCE, value: u64::MAX - 0x120, max: i64::MAX as u64 };
    assert_eq!(program.row(u64::MAX, 7), Err(far));
    program.end_sequence(0x120).expect("open");

    // Backwards by more than half of the address space is not an advance that wraps.
    let mut high = self::program();
    high.begin_sequence(Address::Constant(u64::MAX - 1)).expect("closed");
    assert_eq!(high.row(0, 1), Err(Error::AddressBackwards { from: u64::MAX - 1, to: 0 }));

    let bytes = program.finish().expect("closed").bytes;
    let opcodes = [0, 9, 2, 0, 1, 0, 0, 0, 0, 0, 0, 3, 6, 2, 32, 1, 0, 1, 1];
    assert_eq!(bytes[HEADER_WITHOUT_TABLES.len()..], opcodes);
}

#[test]
fn unusable_parameters() {
    for params in [
        Params { version: 1, ..Params::default() },
        Params { version: 4, ..Params::default() },
        Params { minimum_instruction_length: 0, ..Params::default() },
        Params { line_range: 0, ..Params::default() },
        Params { opcode_base: 9, ..Params::default() },
        Params { opcode_base: 14, ..Params::default() },
    ] {
        assert_eq!(LineProgram::new(params).map(drop), Err(Error::LineParams(params)));
    }
}

#[test]
fn advances_in_units_of_instructions() {
    let params = Params { minimum_instruction_length: 16, ..Params::default() };
    let mut program = LineProgram::new(params).expect("valid");
    program.begin_sequence(Address::Constant(0)).expect("closed");
    assert_eq!(program.row(24, 1), Err(Error::Misaligned { from: 0, to: 24, unit: 16 }));
    program.row(0x20, 2).expect("two units"); // 10 + 14 * 2 + 6
    program.end_sequence(0x30).expect("one unit");
    assert!(program.finish().expect("closed").bytes.ends_with(&[44, 2, 1, 0, 1, 1]));
}

const POLICIES: [Policy; 3] = [Policy::Plain, Policy::Compact(Header::Keep), Policy::Compact(Header::Choose)];

#[test]
fn addresses_do_not_wrap() {
    let last = u64::MAX - 15;
    for policy in POLICIES {
        for opcode_base in [10, 13] {
            let params = Params { opcode_base, ..Params::default() };
            let mut program = LineProgram::with_policy(params, policy).expect("valid");
            program.begin_sequence(Address::Constant(last)).expect("closed");
            let backwards = Err(Error::AddressBackwards { from: last, to: 0 });
            program.row(last, 1).expect("no step");
            assert_eq!(program.row(0, 2), backwards);
        }
    }
}

#[test]
fn an_owed_advance_counts_in_rows() {
    for policy in [Policy::Compact(Header::Keep), Policy::Compact(Header::Choose)] {
        let mut program = LineProgram::with_policy(Params::default(), policy).expect("valid");
        program.begin_sequence(Address::Constant(0)).expect("closed");
        program.advance_to(i64::MAX as u64).expect("the largest advance");
        let (address, max) = (1 << 63, i64::MAX as u64);
        let refused = Err(Error::Leb128 { field: Field::ADDRESS_ADVANCE, value: address, max });
        assert_eq!(program.row(address, 1), refused);
        assert_eq!(program.end_sequence(address), refused);
    }
}

/// Bytes of a program of these rows, without its header.
fn compact_len(params: Params, header: Header, rows: &[(u64, u32)]) -> usize {
    let mut program = LineProgram::with_policy(params, Policy::Compact(header)).expect("valid");
    program.begin_sequence(Address::Constant(0)).expect("closed");
    for &(address, line) in rows {
        program.row(address, line).expect("ascending");
    }
    program.end_sequence(rows.last().map_or(0, |(address, _)| *address)).expect("open");
    program.finish().expect("closed").bytes.len() - HEADER_WITHOUT_TABLES.len()
}

#[test]
fn far_rows_take_a_special_opcode_too() {
    for bits in [28, 35, 50, 55, 60, 62] {
        // A special opcode; DW_LNS_advance_pc, its operand (a special opcode may save a byte of it)
        // and a special opcode.
        let most = START.len() + 1 + 1 + (bits / 7 + 1) + 1 + 3;
        let rows = [(0, 2), (1 << bits, 3)];
        assert!(compact_len(Params::default(), Header::Keep, &rows) <= most, "{bits}");
    }
}

#[test]
fn a_line_base_that_serves_nothing_is_given_up() {
    let rows: Vec<_> = (1..1000).map(|n| (u64::from(n), n)).collect();
    let params = Params { line_base: -128, line_range: 100, ..Params::default() };
    assert!(compact_len(params, Header::Keep, &rows) > 2 * compact_len(params, Header::Choose, &rows));
}
