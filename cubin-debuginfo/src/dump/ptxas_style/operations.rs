//! Location operations as cuobjdump 13.0.88 prints them.
//!
//! Seed 001 states `DW_OP_addr: 0x%x`, `DW_OP_const4u: %d`, `DW_OP_xderef`, `DW_OP_plus_uconst:
//! %llu`, `DW_OP_lit%u`, `DW_OP_reg%d`, `DW_OP_breg%d %lld`, `DW_OP_fbreg: %lld`, `DW_OP_nop` and
//! `DW_OP_stack_value`. The others, and the two blanks after `DW_OP_lit%u` and `DW_OP_reg%d`, were
//! observed by putting every opcode into a cubin.

use crate::dump::ptxas_style::names;
use dwarf2_reader::info::Attribute;
use nv_debug_sections::Result;
use nv_debug_sections::cursor::Cursor;
use nv_debug_sections::register::DwarfRegister;
use std::fmt;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// The operand of an operation, and how it is shown.
#[derive(Clone, Copy)]
enum Operand {
    /// Nothing.
    Nothing,
    /// Address of 8 bytes: `: 0x%x`.
    Address,
    /// `: %d` of four bytes.
    Signed4,
    /// `: %d` of one byte.
    Byte,
    /// `: %llu`
    Uleb,
    /// `: %lld`
    Sleb,
    /// The operation's number, and two blanks.
    Number,
    /// The operation's number, and ` %lld`.
    NumberSleb,
    /// `: ` and the register.
    Register,
    /// `: `, the register, and ` 0x%llx`.
    RegisterSleb,
}

/// The opcodes of a family, its name, and its operand. Others are shown as nothing, and are taken
/// to have no operands.
const OPERATIONS: &[(RangeInclusive<u8>, &str, Operand)] = &[
    (0x03..=0x03, "DW_OP_addr", Operand::Address),
    (0x0c..=0x0c, "DW_OP_const4u", Operand::Signed4),
    (0x10..=0x10, "DW_OP_constu", Operand::Uleb),
    (0x18..=0x18, "DW_OP_xderef", Operand::Nothing),
    (0x22..=0x22, "DW_OP_plus", Operand::Nothing),
    (0x23..=0x23, "DW_OP_plus_uconst", Operand::Uleb),
    (0x30..=0x4f, "DW_OP_lit", Operand::Number),
    (0x50..=0x6f, "DW_OP_reg", Operand::Number),
    (0x70..=0x8f, "DW_OP_breg", Operand::NumberSleb),
    (0x90..=0x90, "DW_OP_regx", Operand::Register),
    (0x91..=0x91, "DW_OP_fbreg", Operand::Sleb),
    (0x92..=0x92, "DW_OP_bregx", Operand::RegisterSleb),
    (0x93..=0x93, "DW_OP_piece", Operand::Uleb),
    (0x94..=0x94, "DW_OP_deref_size", Operand::Byte),
    (0x96..=0x96, "DW_OP_nop", Operand::Nothing),
    (0x9f..=0x9f, "DW_OP_stack_value", Operand::Nothing),
];

/// `DW_OP_fbreg: -8; DW_OP_nop`. A zero opcode ends the list; an operand that the block has not
/// whole ends it too, after the operation's name.
pub(super) struct Operations<'b>(pub(super) &'b [u8]);

impl fmt::Display for Operations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cursor = Cursor::new("expression", self.0);
        // One operation at a time, since an expression may be as long as the file.
        let mut text = String::new();
        let mut is_first = true;
        while let Ok(opcode @ 1..) = cursor.u8("an opcode") {
            text.clear();
            if !std::mem::take(&mut is_first) {
                text.push_str("; ");
            }
            let known = OPERATIONS.iter().find(|(known, ..)| known.contains(&opcode));
            let is_whole = known.is_none_or(|(opcodes, name, operand)| {
                text.push_str(name);
                write_operand(&mut cursor, *operand, opcode - opcodes.start(), &mut text).is_ok()
            });
            f.write_str(&text)?;
            if !is_whole {
                break;
            }
        }
        Ok(())
    }
}

fn write_operand(cursor: &mut Cursor<'_>, operand: Operand, number: u8, text: &mut String) -> Result<()> {
    let what = "an operand";
    let _ = match operand {
        Operand::Nothing => Ok(()),
        Operand::Address => write!(text, ": {:#x}", cursor.u64(what)?),
        Operand::Signed4 => write!(text, ": {}", cursor.u32(what)?.cast_signed()),
        Operand::Byte => write!(text, ": {}", cursor.u8(what)?),
        Operand::Uleb => write!(text, ": {}", cursor.uleb(what)?),
        Operand::Sleb => write!(text, ": {}", cursor.sleb(what)?),
        Operand::Number => write!(text, "{number}  "),
        Operand::NumberSleb => write!(text, "{number} {}", cursor.sleb(what)?),
        Operand::Register => write!(text, ": {}", register(cursor)?),
        Operand::RegisterSleb => write!(text, ": {} {:#x}", register(cursor)?, cursor.sleb(what)?),
    };
    Ok(())
}

/// The name of a register. For a number that is not a name cuobjdump shows the characters of its
/// bytes; this function shows the number.
fn register(cursor: &mut Cursor<'_>) -> Result<DwarfRegister> {
    Ok(DwarfRegister::from_uleb(cursor.leb_bytes("a register")?))
}

/// Returns the operations of an attribute's location expression as text: `DW_OP_fbreg: -8;
/// DW_OP_nop`. `None` for attributes that have no location expression, and for empty blocks.
pub fn operations<'b>(attribute: &Attribute<'_>, block: &'b [u8]) -> Option<impl fmt::Display + use<'b>> {
    (names::is_location(attribute.name) && !block.is_empty()).then_some(Operations(block))
}

#[cfg(test)]
mod tests {
    use super::Operations;

    fn text(bytes: &[u8]) -> String {
        Operations(bytes).to_string()
    }

    // What cuobjdump 13.0.88 shows of these bytes in a DW_AT_location.
    #[test]
    fn operations() {
        for (bytes, want) in [
            (&[0x03, 0x60, 1, 0, 0, 0, 0, 0, 0][..], "DW_OP_addr: 0x160"),
            (&[0x0c, 0x85, 0x7f, 0x96, 0x96], "DW_OP_const4u: -1768521851"),
            (&[0x18, 0x85, 0x7f], "DW_OP_xderef; DW_OP_breg21 -1"),
            (&[0x23, 0x85, 0x7f, 0x22], "DW_OP_plus_uconst: 16261; DW_OP_plus"),
            (&[0x4f, 0x50, 0x70, 0x85, 0x7f], "DW_OP_lit31  ; DW_OP_reg0  ; DW_OP_breg0 -123"),
            (&[0x90, 0xb1, 0xc8, 0xc9, 0xab, 2], "DW_OP_regx: %rd1"),
            (&[0x92, 0xb1, 0xe4, 0x95, 1, 5], "DW_OP_bregx: %r1 0x5"),
            (
                &[0x91, 0x78, 0x96, 0x94, 8, 0x9f],
                "DW_OP_fbreg: -8; DW_OP_nop; DW_OP_deref_size: 8; DW_OP_stack_value",
            ),
            // What it does not know, and what ends the list.
            (&[0x9c, 0x9d, 0x96], "; ; DW_OP_nop"),
            (&[0x9c, 0x9d, 0x9e, 0, 0x9f], "; ; "),
            (&[0x30, 0, 0x30], "DW_OP_lit0  "),
            (&[0, 0, 0x96], ""),
        ] {
            assert_eq!(text(bytes), want, "{bytes:02x?}");
        }
        assert_eq!(text(&[0x96, 0x03, 1]), "DW_OP_nop; DW_OP_addr");
    }
}
