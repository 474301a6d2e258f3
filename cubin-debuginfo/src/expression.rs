//! Location expressions (DWARF 2.0.0 §2.4.3) as operations and in words, with NVIDIA's registers.

use crate::limits::MAX_OPERATIONS;
use dwarf2_reader::constants::DW_OP;
use dwarf2_reader::expression::{self, Operand, Operation};
use nv_debug_sections::register::DwarfRegister;
use std::fmt::Write as _;

/// Size of an address in an expression, in bytes. It is the last thing in its operation.
const ADDRESS_SIZE: u64 = 8;

/// Byte offset of the address of an operation that has one, in the expression.
pub(crate) fn address_field(operation: &Operation<'_>) -> u64 {
    operation.span.end.saturating_sub(ADDRESS_SIZE)
}

/// The operations of an expression up to the first one that cannot be read, and up to a limit.
pub(crate) fn operations(bytes: &[u8]) -> impl Iterator<Item = Operation<'_>> {
    expression::operations(bytes).map_while(Result::ok).take(MAX_OPERATIONS)
}

/// Returns a location expression as text: `DW_OP_addr .nv.global+0x10; DW_OP_plus`. Bytes that are
/// not an operation are shown as numbers.
///
/// `base` is the expression's offset in its section; `address` puts the field at a section offset
/// into words.
pub fn operations_text(bytes: &[u8], base: u64, address: &dyn Fn(u64, u64) -> String) -> String {
    let mut text = String::new();
    let mut end = 0;
    let separate = |text: &mut String| text.push_str(if text.is_empty() { "" } else { "; " });
    for operation in operations(bytes) {
        end = usize::try_from(operation.span.end).unwrap_or(usize::MAX);
        separate(&mut text);
        match DW_OP.name(operation.opcode) {
            Some(name) => text.push_str(name),
            None => _ = write!(text, "DW_OP_{:#04x}", operation.opcode),
        }
        for operand in operation.operands.iter().flatten() {
            let _ = match *operand {
                Operand::Address(value) => {
                    write!(text, " {}", address(base + address_field(&operation), value))
                }
                Operand::Unsigned(value) => write!(text, " {value}"),
                Operand::Signed(value) => write!(text, " {value}"),
                Operand::Register(number) => write!(text, " {}", DwarfRegister::from_uleb(number)),
                Operand::Block(bytes) => write!(text, " {bytes:02x?}"),
            };
        }
    }
    let rest = bytes.get(end..).unwrap_or_default();
    if !rest.is_empty() {
        separate(&mut text);
        let _ = write!(text, "bytes {rest:02x?}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_by_name_and_by_number() {
        let words = |bytes: &[u8]| operations_text(bytes, 0, &|_, value| format!("{value:#x}"));
        // `%f1` as in docs/formats/entries.md, registers, observed in ptxas 13.0.88's .debug_info.
        assert_eq!(words(&[0x90, 0xb1, 0xcc, 0x95, 0x01]), "DW_OP_regx %f1");
        assert_eq!(words(&[0x92, 0x94, 0x80, 0x80, 0x28, 0x00, 0x22]), "DW_OP_bregx R20 0; DW_OP_plus");
        assert_eq!(words(&[0x90, 0x05]), "DW_OP_regx 5");
        assert_eq!(words(&[0x91, 0x78, 0x96]), "DW_OP_fbreg -8; DW_OP_nop");
        assert_eq!(words(&[0x03, 1, 2]), "bytes [03, 01, 02]");
    }

    #[test]
    fn operations_with_operands_have_dwarf_s_names() {
        let words = |bytes: &[u8]| operations_text(bytes, 0, &|_, value| format!("{value:#x}"));
        // DWARF 2.0.0 §7.7.1: 0x70 and 0x8f are breg0 and breg31, 0x50 is reg0, 0x3f lit15.
        assert_eq!(words(&[0x70, 0x7f, 0x8f, 0x01]), "DW_OP_breg0 -1; DW_OP_breg31 1");
        assert_eq!(words(&[0x50, 0x3f, 0x0b, 0xfe, 0xff]), "DW_OP_reg0; DW_OP_lit15; DW_OP_const2s -2");
    }
}
