//! Operands of location expressions (DWARF 2.0.0 §7.7.1).

use super::abbrev::{Form, wrapping_uleb};

/// How an operand is laid out.
enum Operand {
    Bytes(usize),
    Leb,
}

/// The operands of an operation of DWARF 2; none for one without operands, or of a later version.
fn operands(operation: u8) -> &'static [Operand] {
    use Operand::{Bytes, Leb};
    match operation {
        0x03 | 0x0e | 0x0f => &[Bytes(8)],
        0x08 | 0x09 | 0x15 | 0x94 | 0x95 => &[Bytes(1)],
        0x0a | 0x0b | 0x28 | 0x2f => &[Bytes(2)],
        0x0c | 0x0d => &[Bytes(4)],
        0x10 | 0x11 | 0x23 | 0x70..=0x91 | 0x93 => &[Leb],
        0x92 => &[Leb, Leb],
        _ => &[],
    }
}

/// The operation of an expression whose operand goes past its end, and where in the value it stands. None for values
/// that are not blocks.
pub(super) fn cut_operand(layout: Form, value: &[u8]) -> Option<(usize, u8)> {
    let width = match layout {
        Form::Block(width) => width,
        Form::BlockLeb => wrapping_uleb(value)?.1,
        _ => return None,
    };
    let mut at = width;
    while let Some(&operation) = value.get(at) {
        let start = at;
        at += 1;
        for operand in operands(operation) {
            let rest = value.get(at..)?;
            let size = match operand {
                Operand::Bytes(size) => Some(*size).filter(|&size| size <= rest.len()),
                Operand::Leb => wrapping_uleb(rest).map(|(_, size)| size),
            };
            let Some(size) = size else { return Some((start, operation)) };
            at += size;
        }
    }
    None
}

/// Where in a value the address is of an expression that is `DW_OP_addr` and what is added to it. None for other expressions, and
/// for values that are not blocks.
pub(super) fn address(layout: Form, value: &[u8]) -> Option<usize> {
    const DW_OP_ADDR: u8 = 0x03;
    const DW_OP_PLUS_UCONST: u8 = 0x23;
    const DW_OP_NOP: u8 = 0x96;
    let width = match layout {
        Form::Block(width) => width,
        Form::BlockLeb => wrapping_uleb(value)?.1,
        _ => return None,
    };
    let (&[DW_OP_ADDR, ..], mut rest) = value.get(width..)?.split_first_chunk::<9>()? else { return None };
    while let Some((&operation, operand)) = rest.split_first() {
        rest = match operation {
            DW_OP_NOP => operand,
            DW_OP_PLUS_UCONST => operand.get(wrapping_uleb(operand)?.1..)?,
            _ => return None,
        };
    }
    Some(width + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_end_inside_the_block() {
        assert_eq!(cut_operand(Form::Block(1), &[2, 0x23, 0x80]), Some((1, 0x23)));
        assert_eq!(cut_operand(Form::Block(1), &[3, 0x23, 0x80, 1]), None);
        assert_eq!(cut_operand(Form::BlockLeb, &[4, 0x30, 0x03, 1, 2]), Some((2, 0x03)));
        assert_eq!(cut_operand(Form::Data(4), &[2, 0x23, 0x80, 0]), None);
    }

    #[test]
    fn an_address_and_what_is_added() {
        let expression = |before: &[u8], after: &[u8]| [before, &[0x03], &[0; 8], after].concat();
        let address_in =
            |width, before: &[u8], after: &[u8]| address(Form::Block(width), &expression(before, after));
        assert_eq!(address_in(1, &[9], &[]), Some(2));
        assert_eq!(address_in(1, &[11], &[0x23, 0]), Some(2));
        assert_eq!(address_in(2, &[15, 0], &[0x23, 0x80, 1, 0x96, 0x23, 8]), Some(3));
        assert_eq!(address(Form::BlockLeb, &expression(&[0x8b, 0], &[0x23, 0])), Some(3));
        // Cut short, and the address of something else.
        assert_eq!(address_in(1, &[11], &[0x23, 0x80]), None);
        assert_eq!(address_in(1, &[10], &[0x06]), None);
        assert_eq!(address_in(1, &[17], &[0x03, 0, 0, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(address(Form::Block(1), &[2, 0x03, 0]), None);
        assert_eq!(address(Form::Data(8), &expression(&[], &[])), None);
    }
}
