//! Location expressions of DWARF 2 (DWARF 2.0.0 §2.4).

use dwarf2_reader::Cursor;
use dwarf2_reader::constants::{DW_OP_addr, DW_OP_nop, DW_OP_plus_uconst};
use dwarf2_reader::expression::{EXPRESSION, operations_from};

/// The facts about an expression that rules need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Expression {
    /// The operation whose operand goes past the end, and its byte offset.
    pub(super) cut: Option<(u64, u8)>,
    /// Whether the expression is `DW_OP_addr` and an addend. The address follows the first byte.
    pub(super) is_address: bool,
}

impl Expression {
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut end = 0;
        let mut is_address = bytes.first() == Some(&DW_OP_addr);
        for operation in operations_from(Cursor::new(EXPRESSION, bytes).with_long_numbers()) {
            let Ok(operation) = operation else {
                return Self { cut: bytes.get(end as usize).map(|&cut| (end, cut)), is_address: false };
            };
            is_address &= end == 0 || matches!(operation.opcode, DW_OP_plus_uconst | DW_OP_nop);
            end = operation.span.end;
        }
        Self { cut: None, is_address }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_end_inside_the_block() {
        let cut = |bytes: &[u8]| Expression::read(bytes).cut;
        assert_eq!(cut(&[DW_OP_plus_uconst, 0x80]), Some((0, DW_OP_plus_uconst)));
        assert_eq!(cut(&[DW_OP_plus_uconst, 0x80, 1]), None);
        assert_eq!(cut(&[DW_OP_nop, DW_OP_addr, 1, 2]), Some((1, DW_OP_addr)));
        assert_eq!(cut(&[[DW_OP_plus_uconst].as_slice(), &[0x80; 20], &[1]].concat()), None);
        assert_eq!(cut(&[]), None);
    }

    #[test]
    fn an_address_and_what_is_added() {
        let is_address =
            |after: &[u8]| Expression::read(&[[DW_OP_addr].as_slice(), &[0; 8], after].concat()).is_address;
        assert!(is_address(&[]));
        assert!(is_address(&[DW_OP_plus_uconst, 0]));
        assert!(is_address(&[DW_OP_plus_uconst, 0x80, 1, DW_OP_nop, DW_OP_plus_uconst, 8]));
        // Cut short, and the address of something else.
        assert!(!is_address(&[DW_OP_plus_uconst, 0x80]));
        assert!(!is_address(&[0x06]));
        assert!(!is_address(&[DW_OP_addr, 0, 0, 0, 0, 0, 0, 0, 0]));
        assert!(!Expression::read(&[DW_OP_addr, 0]).is_address);
        assert!(!Expression::read(&[]).is_address);
    }
}
