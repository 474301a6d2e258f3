//! Checks of location expressions: whether they can be decoded, and which registers they use (DWARF
//! 2.0.0 §2.4, DWARF 4 §2.5).

use dwarf2_reader::constants::DW_OP;
use dwarf2_reader::expression::{EXPRESSION, Operand, operations};
use nv_debug_sections::register::DwarfRegister;
use nv_debug_sections::{Error, ErrorKind, Result};

/// The PTX registers that an expression uses, in order.
///
/// # Errors
///
/// An unknown opcode, or an operand that is cut short: with its offset in the expression.
pub(super) fn registers(expression: &[u8]) -> Result<Vec<String>> {
    let mut registers = Vec::new();
    for operation in operations(expression) {
        let operation = operation?;
        if DW_OP.name(operation.opcode).is_none() {
            let (found, expected) = (operation.opcode.into(), "an operation of DWARF 2 to 4");
            let kind = ErrorKind::Value { field: "opcode", found, expected };
            return Err(Error::new(EXPRESSION, operation.span.start, kind));
        }
        for operand in operation.operands.into_iter().flatten() {
            let Operand::Register(number) = operand else { continue };
            if let DwarfRegister::Ptx(name) = DwarfRegister::from_uleb(number) {
                registers.push(name);
            }
        }
    }
    Ok(registers)
}

#[cfg(test)]
mod tests {
    use super::*;

    // docs/formats/entries.md, registers: `%f1` is 0x256631.
    #[test]
    fn registers_of_expressions() {
        assert_eq!(registers(&[0x90, 0xb1, 0xcc, 0x95, 0x01]).unwrap(), ["%f1"]);
        assert_eq!(registers(&[0x03, 0, 0, 0, 0, 0, 0, 0, 0, 0x96]).unwrap(), [""; 0]);
        assert_eq!(registers(&[0x91, 0x7f, 0x03]).unwrap_err().offset(), 3);
        assert_eq!(registers(&[0x01]).unwrap_err().offset(), 0);
    }
}
