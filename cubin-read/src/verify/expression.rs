//! Location expressions: whether they can be decoded, and which registers they use (DWARF 2.0.0 §2.4, DWARF 4 §2.5).

use nv_debug_sections::bytes::Cursor;
use nv_debug_sections::register::DwarfRegister;
use nv_debug_sections::{ErrorKind, Result};
use std::ops::RangeInclusive;

/// What stands behind an opcode.
#[derive(Debug, Clone, Copy)]
enum Operand {
    /// So many bytes.
    Bytes(u8),
    /// A LEB128 number, signed or not.
    Leb,
    /// The number of a register, which in cubins is its packed PTX name.
    Register,
    /// A length as LEB128, and so many bytes.
    Block,
}

use Operand::{Block, Bytes, Leb, Register};

/// Opcodes with what stands behind them; [`PLAIN`] has those with nothing.
const OPERANDS: [(RangeInclusive<u8>, &[Operand]); 20] = [
    (0x03..=0x03, &[Bytes(8)]), // addr
    (0x08..=0x09, &[Bytes(1)]), // const1u, const1s
    (0x0a..=0x0b, &[Bytes(2)]),
    (0x0c..=0x0d, &[Bytes(4)]),
    (0x0e..=0x0f, &[Bytes(8)]),
    (0x10..=0x11, &[Leb]),           // constu, consts
    (0x15..=0x15, &[Bytes(1)]),      // pick
    (0x23..=0x23, &[Leb]),           // plus_uconst
    (0x28..=0x28, &[Bytes(2)]),      // bra
    (0x2f..=0x2f, &[Bytes(2)]),      // skip
    (0x70..=0x8f, &[Leb]),           // breg0 to breg31
    (0x90..=0x90, &[Register]),      // regx
    (0x91..=0x91, &[Leb]),           // fbreg
    (0x92..=0x92, &[Register, Leb]), // bregx
    (0x93..=0x93, &[Leb]),           // piece
    (0x94..=0x95, &[Bytes(1)]),      // deref_size, xderef_size
    (0x98..=0x98, &[Bytes(2)]),      // call2
    (0x99..=0x9a, &[Bytes(4)]),      // call4, call_ref
    (0x9d..=0x9d, &[Leb, Leb]),      // bit_piece
    (0x9e..=0x9e, &[Block]),         // implicit_value
];

/// Opcodes with nothing behind them: deref, stack operations, arithmetic, comparisons, literals, registers, nop,
/// push_object_address, form_tls_address, call_frame_cfa, stack_value.
const PLAIN: [RangeInclusive<u8>; 9] = [
    0x06..=0x06,
    0x12..=0x14,
    0x16..=0x22,
    0x24..=0x27,
    0x29..=0x2e,
    0x30..=0x6f,
    0x96..=0x97,
    0x9b..=0x9c,
    0x9f..=0x9f,
];

/// The PTX registers that an expression uses, in order.
///
/// # Errors
///
/// An unknown opcode, or an operand that is cut short: with its offset in the expression.
pub(super) fn registers(bytes: &[u8]) -> Result<Vec<String>> {
    let mut cursor = Cursor::new("expression", bytes);
    let mut registers = Vec::new();
    while !cursor.is_empty() {
        let offset = cursor.offset();
        let opcode = cursor.u8("an opcode")?;
        let row = OPERANDS.iter().find(|(opcodes, _)| opcodes.contains(&opcode));
        let operands = match row {
            Some((_, operands)) => *operands,
            None if PLAIN.iter().any(|opcodes| opcodes.contains(&opcode)) => &[],
            None => {
                let kind = ErrorKind::Value {
                    field: "opcode",
                    found: opcode.into(),
                    expected: "an operation of DWARF 2 to 4",
                };
                return Err(cursor.error_at(offset, kind));
            }
        };
        for operand in operands {
            match operand {
                Bytes(count) => {
                    cursor.take((*count).into(), "an operand")?;
                }
                Leb => {
                    cursor.leb_bytes("an operand")?;
                }
                Register => {
                    if let DwarfRegister::Ptx(name) =
                        DwarfRegister::from_uleb(cursor.leb_bytes("a register")?)
                    {
                        registers.push(name);
                    }
                }
                Block => {
                    let length = cursor.uleb("a length")?;
                    cursor.take(length, "a value")?;
                }
            }
        }
    }
    Ok(registers)
}

#[cfg(test)]
mod tests {
    use super::*;

    // FORMATS 4: `%f1` is 0x256631.
    #[test]
    fn registers_of_expressions() {
        assert_eq!(registers(&[0x90, 0xb1, 0xcc, 0x95, 0x01]).unwrap(), ["%f1"]);
        assert_eq!(registers(&[0x03, 0, 0, 0, 0, 0, 0, 0, 0, 0x96]).unwrap(), [""; 0]);
        assert_eq!(registers(&[0x91, 0x7f, 0x03]).unwrap_err().offset(), 3);
        assert_eq!(registers(&[0x01]).unwrap_err().offset(), 0);
        assert!(PLAIN.iter().all(|plain| {
            OPERANDS.iter().all(|(with, _)| !with.contains(plain.start()) && !with.contains(plain.end()))
        }));
    }
}
