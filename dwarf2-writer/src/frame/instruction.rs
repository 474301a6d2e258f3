use leb128_nv::{sleb128, uleb128};

#[allow(clippy::wildcard_imports, reason = "all of DW_CFA_*")]
use crate::constants::*;
use crate::{Address, Error, Expression, Section};

/// A call frame instruction: one rule, or one advance to the next address. The variant is the
/// encoding; the writer does not choose a shorter one.
///
/// `A` is what an address is, `E` an expression: a writer has symbols in them, a reader what stands
/// in the section.
///
/// *Factored* operands are in units of the CIE's code or data alignment factor. Registers are
/// numbers as the producer uses them, of any size.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "operands are named as in DWARF 3 §6.4.2")]
pub enum CallFrameInstruction<A = Address, E = Expression> {
    /// `DW_CFA_nop`: no effect.
    Nop,
    /// `DW_CFA_set_loc`: the rules that follow hold from this address on.
    SetLoc(A),
    /// `DW_CFA_advance_loc`: advances the address by a factored step of at most 63, which is part
    /// of the opcode.
    AdvanceLoc(u8),
    /// `DW_CFA_advance_loc1`: advances the address by a factored step in one byte.
    AdvanceLoc1(u8),
    /// `DW_CFA_advance_loc2`: advances the address by a factored step in two bytes.
    AdvanceLoc2(u16),
    /// `DW_CFA_advance_loc4`: advances the address by a factored step in four bytes.
    AdvanceLoc4(u32),
    /// `DW_CFA_offset`: `register`, at most 63 and part of the opcode, is saved at CFA + factored
    /// offset.
    Offset { register: u8, factored_offset: u64 },
    /// `DW_CFA_offset_extended`: `register` is saved at CFA + factored offset.
    OffsetExtended { register: u64, factored_offset: u64 },
    /// `DW_CFA_offset_extended_sf`: `register` is saved at CFA + factored signed offset (DWARF 3).
    OffsetExtendedSf { register: u64, factored_offset: i64 },
    /// `DW_CFA_val_offset`: the value of `register` was CFA + factored offset (DWARF 3).
    ValOffset { register: u64, factored_offset: u64 },
    /// `DW_CFA_val_offset_sf`: the value of `register` was CFA + factored signed offset (DWARF 3).
    ValOffsetSf { register: u64, factored_offset: i64 },
    /// `DW_CFA_restore`: restores the CIE's rule for `register`, at most 63 and part of the opcode.
    Restore { register: u8 },
    /// `DW_CFA_restore_extended`: restores the CIE's rule for `register`.
    RestoreExtended { register: u64 },
    /// `DW_CFA_undefined`: the value of `register` cannot be recovered.
    Undefined { register: u64 },
    /// `DW_CFA_same_value`: `register` was not changed.
    SameValue { register: u64 },
    /// `DW_CFA_register`: `register` is saved in the register `source`.
    Register { register: u64, source: u64 },
    /// `DW_CFA_remember_state`: pushes all rules on a stack.
    RememberState,
    /// `DW_CFA_restore_state`: pops all rules from the stack.
    RestoreState,
    /// `DW_CFA_def_cfa`: CFA = `register` + `offset` bytes.
    DefCfa { register: u64, offset: u64 },
    /// `DW_CFA_def_cfa_sf`: CFA = `register` + factored signed offset (DWARF 3).
    DefCfaSf { register: u64, factored_offset: i64 },
    /// `DW_CFA_def_cfa_register`: changes the register of the CFA rule, and keeps the offset.
    DefCfaRegister { register: u64 },
    /// `DW_CFA_def_cfa_offset`: changes the offset of the CFA rule, in bytes, and keeps the
    /// register.
    DefCfaOffset(u64),
    /// `DW_CFA_def_cfa_offset_sf`: changes the offset of the CFA rule, factored and signed (DWARF
    /// 3).
    DefCfaOffsetSf(i64),
    /// `DW_CFA_def_cfa_expression`: CFA = value of the expression (DWARF 3).
    DefCfaExpression(E),
    /// `DW_CFA_expression`: `register` is saved at the address that the expression gives (DWARF 3).
    Expression { register: u64, expression: E },
    /// `DW_CFA_val_expression`: the value of `register` was that of the expression (DWARF 3).
    ValExpression { register: u64, expression: E },
}

/// The kinds of operand that can follow an opcode.
enum Operand<'a> {
    None,
    Uleb(u64),
    Sleb(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    Address(Address),
    Block(&'a Expression),
}

impl CallFrameInstruction {
    /// Opcode and operands (DWARF 3 §7.23, figure 40).
    fn encoding(&self) -> Result<(u8, [Operand<'_>; 2]), Error> {
        use Operand::{Address, Block, None, Sleb, U8, U16, U32, Uleb};
        Ok(match *self {
            Self::Nop => (DW_CFA_nop, [None, None]),
            Self::SetLoc(address) => (DW_CFA_set_loc, [Address(address), None]),
            Self::AdvanceLoc(delta) => (in_opcode(DW_CFA_advance_loc, delta)?, [None, None]),
            Self::AdvanceLoc1(delta) => (DW_CFA_advance_loc1, [U8(delta), None]),
            Self::AdvanceLoc2(delta) => (DW_CFA_advance_loc2, [U16(delta), None]),
            Self::AdvanceLoc4(delta) => (DW_CFA_advance_loc4, [U32(delta), None]),
            Self::Offset { register, factored_offset } => {
                (in_opcode(DW_CFA_offset, register)?, [Uleb(factored_offset), None])
            }
            Self::OffsetExtended { register, factored_offset } => {
                (DW_CFA_offset_extended, [Uleb(register), Uleb(factored_offset)])
            }
            Self::OffsetExtendedSf { register, factored_offset } => {
                (DW_CFA_offset_extended_sf, [Uleb(register), Sleb(factored_offset)])
            }
            Self::ValOffset { register, factored_offset } => {
                (DW_CFA_val_offset, [Uleb(register), Uleb(factored_offset)])
            }
            Self::ValOffsetSf { register, factored_offset } => {
                (DW_CFA_val_offset_sf, [Uleb(register), Sleb(factored_offset)])
            }
            Self::Restore { register } => (in_opcode(DW_CFA_restore, register)?, [None, None]),
            Self::RestoreExtended { register } => (DW_CFA_restore_extended, [Uleb(register), None]),
            Self::Undefined { register } => (DW_CFA_undefined, [Uleb(register), None]),
            Self::SameValue { register } => (DW_CFA_same_value, [Uleb(register), None]),
            Self::Register { register, source } => (DW_CFA_register, [Uleb(register), Uleb(source)]),
            Self::RememberState => (DW_CFA_remember_state, [None, None]),
            Self::RestoreState => (DW_CFA_restore_state, [None, None]),
            Self::DefCfa { register, offset } => (DW_CFA_def_cfa, [Uleb(register), Uleb(offset)]),
            Self::DefCfaSf { register, factored_offset } => {
                (DW_CFA_def_cfa_sf, [Uleb(register), Sleb(factored_offset)])
            }
            Self::DefCfaRegister { register } => (DW_CFA_def_cfa_register, [Uleb(register), None]),
            Self::DefCfaOffset(offset) => (DW_CFA_def_cfa_offset, [Uleb(offset), None]),
            Self::DefCfaOffsetSf(offset) => (DW_CFA_def_cfa_offset_sf, [Sleb(offset), None]),
            Self::DefCfaExpression(ref expression) => (DW_CFA_def_cfa_expression, [Block(expression), None]),
            Self::Expression { register, ref expression } => {
                (DW_CFA_expression, [Uleb(register), Block(expression)])
            }
            Self::ValExpression { register, ref expression } => {
                (DW_CFA_val_expression, [Uleb(register), Block(expression)])
            }
        })
    }

    /// Appends the instruction.
    pub(super) fn put(&self, section: &mut Section) -> Result<(), Error> {
        let (opcode, operands) = self.encoding()?;
        section.bytes.push(opcode);
        for operand in operands {
            let bytes = &mut section.bytes;
            match operand {
                Operand::None => {}
                Operand::Uleb(value) => bytes.extend_from_slice(&uleb128(value)),
                Operand::Sleb(value) => bytes.extend_from_slice(&sleb128(value)),
                Operand::U8(value) => bytes.push(value),
                Operand::U16(value) => bytes.extend_from_slice(&value.to_le_bytes()),
                Operand::U32(value) => bytes.extend_from_slice(&value.to_le_bytes()),
                Operand::Address(address) => section.address(address),
                Operand::Block(expression) => expression.put_block(section)?,
            }
        }
        Ok(())
    }
}

/// An opcode with `operand` in its low 6 bits.
fn in_opcode(opcode: u8, operand: u8) -> Result<u8, Error> {
    if operand > 0x3f {
        let field = DW_CFA.name(opcode).unwrap_or("DW_CFA");
        return Err(Error::Operand { field, value: u64::from(operand), max: 0x3f });
    }
    Ok(opcode | operand)
}
