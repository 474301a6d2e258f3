//! Expressions by this crate and by gimli: opcodes, and how many bytes each operation has.
#![allow(unreachable_pub, reason = "a module of tests")]
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

use super::outcome::{Outcome, Reading, compare as compare_readings};
use dwarf2_reader::constants::{DW_OP_bregx, DW_OP_piece, DW_OP_regx, DW_OP_stack_value};
use dwarf2_reader::expression;
use gimli::{EndianSlice, LittleEndian};

/// Compares both readings of an expression.
pub fn compare(bytes: &[u8]) -> Outcome {
    let (ours, theirs) = (ours(bytes), theirs(bytes));
    compare_readings(&ours, &theirs, || {
        let both = ours.0.len().min(theirs.0.len());
        let at = (0..both).find(|at| ours.0[*at] != theirs.0[*at]).unwrap_or(both);
        match ours.0.get(at).or(theirs.0.get(at))?.0 {
            DW_OP_regx | DW_OP_bregx => Some(("a large register", false)),
            DW_OP_piece => Some(("a large piece", false)),
            3 | 6 | 8..=DW_OP_stack_value => None,
            _ => Some(("an opcode that DWARF 4 does not have", true)),
        }
    })
}

fn ours(bytes: &[u8]) -> Reading<(u8, u64)> {
    let mut all = Vec::new();
    for operation in expression::operations(bytes) {
        let Ok(operation) = operation else { return (all, false) };
        all.push((operation.opcode, operation.span.end - operation.span.start));
    }
    (all, true)
}

fn theirs(bytes: &[u8]) -> Reading<(u8, u64)> {
    let encoding = gimli::Encoding { address_size: 8, format: gimli::Format::Dwarf32, version: 2 };
    let (mut all, mut rest) = (Vec::new(), EndianSlice::new(bytes, LittleEndian));
    while let Some(opcode) = rest.first().copied() {
        let before = rest.len();
        if gimli::Operation::parse(&mut rest, encoding).is_err() {
            return (all, false);
        }
        all.push((opcode, (before - rest.len()) as u64));
    }
    (all, true)
}
