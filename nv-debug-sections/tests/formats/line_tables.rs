//! `docs/formats/line-tables.md`.

use crate::{number, pair, section};
use dwarf2_writer::{Address, Reloc, SymbolId};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::line::{self, DWARF2_PARAMS, LineFile, LineOp, LineTable, Sequence};

fn table(debug_str_base: Option<u32>, sequences: Vec<Sequence>) -> LineTable<'static> {
    LineTable {
        params: DWARF2_PARAMS,
        directories: vec![b"/src"[..].into()],
        files: vec![LineFile { name: b"a.cu"[..].into(), directory: 1, mtime: 200, size: 5 }],
        debug_str_base,
        has_lone_end: false,
        sequences,
    }
}

fn sequence(ops: Vec<LineOp>, end: u64) -> Sequence {
    Sequence { base: 0, base_offset: 0, ops, end }
}

fn function(index: usize, _: &Sequence) -> Address {
    Address::Symbol { symbol: SymbolId(index as u32 + 5), addend: 0 }
}

/// The bytes of the program of one sequence, from the first opcode after `DW_LNE_set_address` on.
fn program(ops: Vec<LineOp>, end: u64) -> Vec<u8> {
    let table =
        LineTable { directories: Vec::new(), files: Vec::new(), ..table(None, vec![sequence(ops, end)]) };
    let bytes = line::encode(".debug_line", &table, None, function).unwrap().bytes;
    bytes[4 + 2 + 4 + 14 + 2 + 11..].to_vec()
}

/// `DW_LNE_end_sequence`.
const END: [u8; 3] = [0, 1, 1];

fn row(address: u64, line: u32) -> LineOp {
    LineOp::Row { address, line }
}

#[test]
fn a_unit_byte_by_byte() {
    let ops = vec![LineOp::SetFile(1), row(0, 10), row(16, 12)];
    let encoded =
        line::encode(".debug_line", &table(Some(0), vec![sequence(ops, 0x100)]), None, function).unwrap();
    let expected: Vec<u8> = [
        &[63, 0, 0, 0][..],                 // unit_length
        &[2, 0],                            // version
        &[34, 0, 0, 0],                     // header_length, with the four bytes of the base
        &[1, 1, 0xfb, 14, 10], // min_inst_length, default_is_stmt, line_base -5, line_range, opcode_base
        &[0, 1, 1, 1, 1, 0, 0, 0, 1], // operands of the standard opcodes
        b"/src\0\0",           // directories
        b"a.cu\0\x01\xc8\x01\x05\0", // files: name, directory, time, size
        &[0, 0, 0, 0],         // offset of the names in .debug_str
        &[0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0], // DW_LNE_set_address
        &[4, 1],               // DW_LNS_set_file
        &[3, 9, 1],            // line 10: DW_LNS_advance_line, DW_LNS_copy
        &[241],                // 16 bytes and 2 lines on: special opcode 10 + 14 * 16 + 2 + 5
        &[2, 0xf0, 1],         // the end: DW_LNS_advance_pc of 0xf0 as SLEB128
        &END,
    ]
    .concat();
    assert_eq!(encoded.bytes, expected);
    assert_eq!(encoded.relocs, [Reloc::new(47, 8, SymbolId(5), 0)]);
    let read = line::decode(".debug_line", &expected).unwrap();
    assert_eq!((read[0].params, read[0].debug_str_base), (DWARF2_PARAMS, Some(0)));
    assert_eq!((read[0].sequences[0].end, read[0].sequences[0].ops.len()), (0x100, 3));
}

#[test]
fn a_unit_without_sequences_has_a_header() {
    let empty = LineTable { directories: Vec::new(), files: Vec::new(), ..table(None, Vec::new()) };
    let bytes = line::encode(".debug_line", &empty, None, function).unwrap().bytes;
    assert_eq!(bytes.len(), 26);
    assert_eq!(bytes[24..], [0, 0]);
}

#[test]
fn rows_are_special_opcodes_where_address_and_line_move_a_little() {
    for (lines, opcode) in [(-5_i32, 0xea), (-1, 0xee), (1, 0xf0), (8, 0xf7)] {
        let line = 100_u32.wrapping_add_signed(lines);
        let bytes = program(vec![row(0, 100), row(16, line)], 32);
        assert_eq!(bytes, [&[3, 0xe3, 0, 1, opcode, 2, 16][..], &END].concat(), "{lines}");
    }
    // One line too many, or a step of more than 16 bytes: long forms.
    for (address, line, long) in [
        (16, 109, &[3, 9, 2, 16, 1][..]),
        (16, 94, &[3, 0x7a, 2, 16, 1]),
        (32, 101, &[3, 1, 2, 32, 1]),
        // The line stays: no advance of the line; the address stays: no advance of the address.
        (16, 100, &[2, 16, 1]),
        (0, 101, &[3, 1, 1]),
        // Neither moves: an advance of no lines.
        (0, 100, &[3, 0, 1]),
    ] {
        let bytes = program(vec![row(0, 100), row(address, line)], address + 16);
        assert_eq!(bytes, [&[3, 0xe3, 0, 1][..], long, &[2, 16], &END].concat(), "{address} {line}");
    }
}

#[test]
fn advances_are_signed_leb128() {
    // 0x50 has bit 6 set: two bytes, where ULEB128 has one.
    assert_eq!(program(vec![row(0x50, 2)], 0x120), [&[3, 1, 2, 0xd0, 0, 1, 2, 0xd0, 1][..], &END].concat());
    // An end at the last address needs no advance.
    assert_eq!(program(vec![row(0, 2)], 0), [&[3, 1, 1][..], &END].concat());
}

#[test]
fn lines_wrap_at_32_bits() {
    let bytes = program(vec![row(0, 10), row(0, 4_000_000_000)], 0);
    let advance = leb128_nv::sleb128(-294_967_306);
    assert_eq!(bytes, [&[3, 9, 1, 3][..], advance.as_slice(), &[1], &END].concat());
}

#[test]
fn vendor_opcodes_byte_by_byte() {
    let ops = vec![
        LineOp::EntryRow(1),
        LineOp::InlinedCall { context: 2, name: 300 },
        LineOp::InlinedCall { context: 0, name: 0 },
        LineOp::SetFunctionName(7),
    ];
    let expected =
        [&[0, 2, 0x92, 1][..], &[0, 4, 0x90, 2, 0xac, 2], &[0, 3, 0x90, 0, 0], &[0, 2, 0x91, 7], &END];
    assert_eq!(program(ops, 0), expected.concat());
}

/// `inlined.ptx` has calls that were inlined, in each of three modes; `flat.ptx` has none.
#[test]
fn the_header_of_ptxas_has_four_more_bytes_where_code_is_inlined() {
    for (name, inlined) in [
        ("inlined.sm_86.lineinfo", true),
        ("inlined.sm_90.lineinfo", true),
        ("stand_in.sm_100.lineinfo.c", true),
        ("flat.sm_75.lineinfo", false),
    ] {
        let file = pair(name);
        let cubin = Cubin::parse(&file).unwrap();
        let bytes = section(&cubin, ".debug_line");
        let tables = line::decode(".debug_line", &bytes).unwrap();
        let [table] = &tables[..] else { panic!("{name}: {} units", tables.len()) };
        assert_eq!(table.debug_str_base, inlined.then_some(0), "{name}");
        let calls = |op: &LineOp| matches!(op, LineOp::InlinedCall { .. });
        assert_eq!(table.sequences.iter().flat_map(|sequence| &sequence.ops).any(calls), inlined, "{name}");
        assert_eq!((number(&bytes, 0, 4) as usize, number(&bytes, 4, 2)), (bytes.len() - 4, 2), "{name}");
        assert_eq!(table.params, DWARF2_PARAMS, "{name}");
        let sass =
            line::decode(".nv_debug_line_sass", &section(&cubin, ".nv_debug_line_sass")).unwrap().len();
        assert_eq!(sass, 1, "{name}");
    }
}

/// Sequences end with the code section, and each begins at the symbol of its function.
#[test]
fn a_sequence_covers_a_code_section() {
    for name in [
        "called.sm_75.lineinfo.c",
        "folded.sm_75.lineinfo",
        "folded.sm_90.lineinfo",
        "stand_in.sm_100.lineinfo.c",
        "sequence_order.sm_75.g",
        "sequence_order.sm_90.g",
    ] {
        let file = pair(name);
        let cubin = Cubin::parse(&file).unwrap();
        let index = cubin.section_by_name(".debug_line").unwrap();
        let bytes = section(&cubin, ".debug_line");
        let tables = line::decode(".debug_line", &bytes).unwrap();
        let targets: Vec<_> =
            cubin.relocations_of(index).map(|(_, entry)| (entry.offset, entry.symbol)).collect();
        let mut order = Vec::new();
        for sequence in &tables[0].sequences {
            let (_, symbol) = targets.iter().find(|(offset, _)| *offset == sequence.base_offset).unwrap();
            let function = cubin.symbols()[symbol.as_usize()];
            assert!(function.is_function() && function.value == 0 && sequence.base == 0, "{name}");
            let code = function.section().unwrap();
            assert_eq!(sequence.end, cubin.bytes(code).unwrap().len() as u64, "{name}");
            order.push((symbol.as_usize(), code.as_usize()));
        }
        assert!(!order.is_empty(), "{name}");
        let by_symbol = order.is_sorted_by_key(|(symbol, _)| *symbol);
        let by_section = order.is_sorted_by_key(|(_, section)| *section);
        assert!(if cubin.header.sm() < 90 { by_section } else { by_symbol }, "{name}: {order:?}");
        // The code sections of this one have another order than the symbols.
        assert!(!name.starts_with("sequence_order") || by_section != by_symbol, "{name}: {order:?}");
    }
}

/// The tables of PTX lines have no file in whole programs, and one in relocatable files: the
/// section with the text.
#[test]
fn the_file_of_ptx_lines_is_the_text() {
    for (name, files) in
        [("folded.sm_75.lineinfo", 0), ("called.sm_75.lineinfo.c", 1), ("stand_in.sm_100.lineinfo.c", 1)]
    {
        let file = pair(name);
        let cubin = Cubin::parse(&file).unwrap();
        let bytes = section(&cubin, ".nv_debug_line_sass");
        let tables = line::decode(".nv_debug_line_sass", &bytes).unwrap();
        let names: Vec<_> = tables[0].files.iter().map(|file| String::from_utf8_lossy(&file.name)).collect();
        assert_eq!((tables[0].directories.len(), names.len()), (0, files), "{name}");
        assert!(names.iter().all(|text| cubin.section_by_name(text).is_some()), "{name}: {names:?}");
        for sequence in &tables[0].sequences {
            assert_eq!(sequence.ops[0], LineOp::SetFile(files as u64), "{name}");
        }
    }
}
