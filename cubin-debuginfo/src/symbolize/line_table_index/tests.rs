//! Tests of sequences whose rows are replaced by checkpoints.

use super::*;
use dwarf2_writer::Address;
use nv_debug_sections::line::{DWARF2_PARAMS, LineOp, Sequence, encode};

/// Rows that are given up for marks after the first mebibyte are read again where marks do not do:
/// a last row is inlined.
#[test]
fn long_sequences_answer_as_their_rows_do() {
    let count = 2 * MAX_ROWS_BESIDE_MARKS / size_of::<u64>() / 2;
    let plain: Vec<LineOp> = (1..=count as u32)
        .map(|number| LineOp::Row { address: u64::from(number) * 16, line: 1 + number % 7 })
        .collect();
    let call = [LineOp::InlinedCall { context: 2, name: 0 }, LineOp::Row { address: (1 << 40) - 1, line: 9 }];
    for (is_inlined, last) in [(false, &[][..]), (true, &call[..])] {
        // Addresses of 32 bits and no more are packed.
        let last = last.iter().map(|op| match op {
            LineOp::Row { line, .. } => LineOp::Row { address: (count as u64 + 1) * 16, line: *line },
            other => other.clone(),
        });
        let ops = plain.iter().cloned().chain(last).collect();
        let sequence = Sequence { base: 0, base_offset: 0, ops, end: (count as u64 + 2) * 16 };
        let (params, debug_str_base) = (DWARF2_PARAMS, is_inlined.then_some(0));
        let (directories, files, sequences) = (Vec::new(), Vec::new(), vec![sequence]);
        let table = LineTable { params, directories, files, debug_str_base, sequences, has_lone_end: false };
        let debug_str = is_inlined.then_some(dwarf2_writer::SymbolId(1));
        let encoded = encode(".debug_line", &table, debug_str, |_, _| Address::Constant(0)).unwrap();
        let place = |_, _| Some((SectionIndex(1), 0));
        let bytes = Cow::Borrowed(&*encoded.bytes);
        let index =
            LineTableIndex::new(".debug_line", bytes, &encoded.bytes, 2, place, |_, _| Ok(())).unwrap();
        let (_, rows) = index.of(SectionIndex(1)).next().unwrap();
        let want = RowTable::new(0, &table, &table.sequences[0]);
        assert!(rows.rows().eq(want.all().iter().copied()));
        assert_eq!(index.packed.heap_bytes() > MAX_ROWS_BESIDE_MARKS, is_inlined);
    }
}
