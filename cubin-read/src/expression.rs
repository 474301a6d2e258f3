//! Location expressions (DWARF 2.0.0 §2.4.3) as operations and in words, with NVIDIA's registers.

use dwarf2_writer::constants::DW_OP;
use nv_debug_sections::Result;
use nv_debug_sections::bytes::Cursor;
use nv_debug_sections::register::DwarfRegister;
use std::fmt::Write as _;

/// How an operand is encoded.
#[derive(Clone, Copy)]
enum Operand {
    /// Address of 8 bytes.
    Address,
    /// Unsigned, so many bytes.
    Unsigned(u8),
    /// Signed, so many bytes.
    Signed(u8),
    Uleb,
    Sleb,
    /// Register number, ULEB128 of any length.
    Register,
    /// Length and bytes.
    Block,
}

use Operand::{Address, Block, Register, Signed, Sleb, Uleb, Unsigned};

/// Operands of the operations that have some. `DW_OP_breg` stands for all of `DW_OP_breg0` to `DW_OP_breg31`.
const OPERANDS: &[(&str, &[Operand])] = &[
    ("DW_OP_addr", &[Address]),
    ("DW_OP_const1u", &[Unsigned(1)]),
    ("DW_OP_const1s", &[Signed(1)]),
    ("DW_OP_const2u", &[Unsigned(2)]),
    ("DW_OP_const2s", &[Signed(2)]),
    ("DW_OP_const4u", &[Unsigned(4)]),
    ("DW_OP_const4s", &[Signed(4)]),
    ("DW_OP_const8u", &[Unsigned(8)]),
    ("DW_OP_const8s", &[Signed(8)]),
    ("DW_OP_constu", &[Uleb]),
    ("DW_OP_consts", &[Sleb]),
    ("DW_OP_pick", &[Unsigned(1)]),
    ("DW_OP_plus_uconst", &[Uleb]),
    ("DW_OP_bra", &[Signed(2)]),
    ("DW_OP_skip", &[Signed(2)]),
    ("DW_OP_breg", &[Sleb]),
    ("DW_OP_regx", &[Register]),
    ("DW_OP_fbreg", &[Sleb]),
    ("DW_OP_bregx", &[Register, Sleb]),
    ("DW_OP_piece", &[Uleb]),
    ("DW_OP_deref_size", &[Unsigned(1)]),
    ("DW_OP_xderef_size", &[Unsigned(1)]),
    ("DW_OP_call2", &[Unsigned(2)]),
    ("DW_OP_call4", &[Unsigned(4)]),
    ("DW_OP_call_ref", &[Unsigned(4)]),
    ("DW_OP_bit_piece", &[Uleb, Uleb]),
    ("DW_OP_implicit_value", &[Block]),
];

/// The operands of an operation by its name, or by that of its family.
fn operands(operation: &str) -> &'static [Operand] {
    let of = |name: &str| OPERANDS.iter().find(|(known, _)| *known == name).map(|(_, operands)| *operands);
    let family = operation.trim_end_matches(|c: char| c.is_ascii_digit());
    of(operation).or_else(|| of(family)).unwrap_or_default()
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// `DW_OP_*`.
    pub opcode: u8,
    /// In the order in which they stand; none for an opcode without name.
    pub operands: Vec<OperandValue>,
}

/// An operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperandValue {
    /// An address: byte offset of its field in the expression, and what the field holds.
    Address(u64, u64),
    /// A number without sign.
    Unsigned(u64),
    /// A number with sign.
    Signed(i64),
    /// A register.
    Register(DwarfRegister),
    /// Bytes.
    Block(Vec<u8>),
}

/// The operations of an expression, and the bytes from the first on that is none.
pub fn operations(bytes: &[u8]) -> (Vec<Operation>, &[u8]) {
    let mut cursor = Cursor::new("expression", bytes);
    let mut operations = Vec::new();
    loop {
        let rest = cursor.rest();
        if rest.is_empty() {
            return (operations, rest);
        }
        match operation(&mut cursor) {
            Ok(operation) => operations.push(operation),
            Err(_) => return (operations, rest),
        }
    }
}

/// `DW_OP_addr .nv.global+0x10; DW_OP_plus`. What is no operation is shown as the bytes that it is.
///
/// `base` is the expression's offset in its section; `address` puts the field at a section offset into words.
pub fn words(bytes: &[u8], base: u64, address: &dyn Fn(u64, u64) -> String) -> String {
    let (operations, rest) = operations(bytes);
    let mut text = String::new();
    let separate = |text: &mut String| text.push_str(if text.is_empty() { "" } else { "; " });
    for operation in &operations {
        separate(&mut text);
        match DW_OP.name(operation.opcode) {
            Some(name) => text.push_str(name),
            None => _ = write!(text, "DW_OP_{:#04x}", operation.opcode),
        }
        for operand in &operation.operands {
            let _ = match operand {
                OperandValue::Address(at, value) => write!(text, " {}", address(base + at, *value)),
                OperandValue::Unsigned(value) => write!(text, " {value}"),
                OperandValue::Signed(value) => write!(text, " {value}"),
                OperandValue::Register(register) => write!(text, " {register}"),
                OperandValue::Block(bytes) => write!(text, " {bytes:02x?}"),
            };
        }
    }
    if !rest.is_empty() {
        separate(&mut text);
        let _ = write!(text, "bytes {rest:02x?}");
    }
    text
}

fn operation(cursor: &mut Cursor<'_>) -> Result<Operation> {
    let opcode = cursor.number(1, "an opcode")? as u8;
    let kinds = DW_OP.name(opcode).map(operands).unwrap_or_default();
    let mut operands = Vec::with_capacity(kinds.len());
    for operand in kinds {
        let what = "an operand";
        operands.push(match *operand {
            Address => OperandValue::Address(cursor.offset(), cursor.number(8, what)?),
            Unsigned(size) => OperandValue::Unsigned(cursor.number(size, what)?),
            Signed(size) => {
                let unused = 64 - 8 * u32::from(size);
                OperandValue::Signed((cursor.number(size, what)? << unused) as i64 >> unused)
            }
            Uleb => OperandValue::Unsigned(cursor.uleb(what)?),
            Sleb => OperandValue::Signed(cursor.sleb(what)?),
            Register => OperandValue::Register(DwarfRegister::from_uleb(cursor.leb_bytes(what)?)),
            Block => {
                let len = cursor.uleb(what)?;
                OperandValue::Block(cursor.take(len, what)?.to_vec())
            }
        });
    }
    Ok(Operation { opcode, operands })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_by_name_and_by_number() {
        let words = |bytes: &[u8]| words(bytes, 0, &|_, value| format!("{value:#x}"));
        // `%f1` as FORMATS 4 has it, observed in ptxas 13.0.88's .debug_info.
        assert_eq!(words(&[0x90, 0xb1, 0xcc, 0x95, 0x01]), "DW_OP_regx %f1");
        assert_eq!(words(&[0x92, 0x94, 0x80, 0x80, 0x28, 0x00, 0x22]), "DW_OP_bregx R20 0; DW_OP_plus");
        assert_eq!(words(&[0x90, 0x05]), "DW_OP_regx 5");
        assert_eq!(words(&[0x91, 0x78, 0x96]), "DW_OP_fbreg -8; DW_OP_nop");
        assert_eq!(words(&[0x03, 1, 2]), "bytes [03, 01, 02]");
    }

    #[test]
    fn operations_with_operands_have_dwarf_s_names() {
        for (name, _) in OPERANDS {
            let (first, last) = (DW_OP.value(&format!("{name}0")), DW_OP.value(&format!("{name}31")));
            assert!(DW_OP.value(name).or(first.and(last)).is_some(), "{name}");
        }
        let words = |bytes: &[u8]| words(bytes, 0, &|_, value| format!("{value:#x}"));
        // DWARF 2.0.0 §7.7.1: 0x70 and 0x8f are breg0 and breg31, 0x50 is reg0, 0x3f lit15.
        assert_eq!(words(&[0x70, 0x7f, 0x8f, 0x01]), "DW_OP_breg0 -1; DW_OP_breg31 1");
        assert_eq!(words(&[0x50, 0x3f, 0x0b, 0xfe, 0xff]), "DW_OP_reg0; DW_OP_lit15; DW_OP_const2s -2");
    }
}
