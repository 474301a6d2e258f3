use alloc::vec::Vec;

use leb128_nv::{sleb128, uleb128};

#[allow(clippy::wildcard_imports, reason = "all of DW_OP_*")]
use crate::constants::*;
use crate::section::put_address;
use crate::{Address, Error, Expression};

/// One operation of a location expression (DWARF 2.0.0 §2.4.3). The variant is the encoding; the
/// writer does not choose a shorter one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "operands are named as in DWARF 2.0.0 §2.4.3")]
pub enum Operation {
    /// An operation without operands, by its number: `DW_OP_plus`, `DW_OP_deref`, ..., and of later
    /// versions `DW_OP_push_object_address`, `DW_OP_form_tls_address`, `DW_OP_call_frame_cfa` and
    /// `DW_OP_stack_value`.
    Plain(u8),
    /// `DW_OP_addr`: pushes an address.
    Addr(Address),
    /// `DW_OP_lit0` to `DW_OP_lit31`: pushes the number.
    Lit(u8),
    /// `DW_OP_const1u`: pushes an unsigned number of 1 byte.
    Const1u(u8),
    /// `DW_OP_const1s`: pushes a signed number of 1 byte.
    Const1s(i8),
    /// `DW_OP_const2u`: pushes an unsigned number of 2 bytes.
    Const2u(u16),
    /// `DW_OP_const2s`: pushes a signed number of 2 bytes.
    Const2s(i16),
    /// `DW_OP_const4u`: pushes an unsigned number of 4 bytes.
    Const4u(u32),
    /// `DW_OP_const4s`: pushes a signed number of 4 bytes.
    Const4s(i32),
    /// `DW_OP_const8u`: pushes an unsigned number of 8 bytes.
    Const8u(u64),
    /// `DW_OP_const8s`: pushes a signed number of 8 bytes.
    Const8s(i64),
    /// `DW_OP_constu`: pushes an unsigned number, as ULEB128.
    Constu(u64),
    /// `DW_OP_consts`: pushes a signed number, as SLEB128.
    Consts(i64),
    /// `DW_OP_pick`: pushes a copy of the stack entry at a 0-based depth.
    Pick(u8),
    /// `DW_OP_plus_uconst`: adds a number to the top of the stack.
    PlusUconst(u64),
    /// `DW_OP_skip`: continues at the operation with this 0-based number in the expression. The
    /// number of operations stands for the end.
    Skip(usize),
    /// `DW_OP_bra`: pops a value, and if it is not 0 continues at another operation, as
    /// [`Operation::Skip`].
    Bra(usize),
    /// `DW_OP_reg0` to `DW_OP_reg31`: the object is in the register.
    Reg(u8),
    /// `DW_OP_regx`: the object is in the register.
    Regx(u64),
    /// `DW_OP_breg0` to `DW_OP_breg31`: pushes the contents of the register plus `offset`.
    Breg { register: u8, offset: i64 },
    /// `DW_OP_bregx`: pushes the contents of the register plus `offset`.
    Bregx { register: u64, offset: i64 },
    /// `DW_OP_fbreg`: pushes the frame base plus an offset.
    Fbreg(i64),
    /// `DW_OP_piece`: the location that the operations before describe holds a piece of this many
    /// bytes.
    Piece(u64),
    /// `DW_OP_deref_size`: pops an address, pushes this many bytes from there, at most 8.
    DerefSize(u8),
    /// `DW_OP_xderef_size`: pops an address and an address space, pushes this many bytes from
    /// there, at most 8.
    XderefSize(u8),
}

/// The opcodes that [`Operation::Plain`] accepts.
const PLAIN: [u8; 32] = [
    DW_OP_deref,
    DW_OP_dup,
    DW_OP_drop,
    DW_OP_over,
    DW_OP_swap,
    DW_OP_rot,
    DW_OP_xderef,
    DW_OP_abs,
    DW_OP_and,
    DW_OP_div,
    DW_OP_minus,
    DW_OP_mod,
    DW_OP_mul,
    DW_OP_neg,
    DW_OP_not,
    DW_OP_or,
    DW_OP_plus,
    DW_OP_shl,
    DW_OP_shr,
    DW_OP_shra,
    DW_OP_xor,
    DW_OP_eq,
    DW_OP_ge,
    DW_OP_gt,
    DW_OP_le,
    DW_OP_lt,
    DW_OP_ne,
    DW_OP_nop,
    DW_OP_push_object_address,
    DW_OP_form_tls_address,
    DW_OP_call_frame_cfa,
    DW_OP_stack_value,
];

/// The kinds of operand that can follow an opcode.
enum Operand {
    None,
    Address(Address),
    /// The low bytes of a number.
    Fixed(u64, usize),
    Uleb(u64),
    Sleb(i64),
    Leb2(u64, i64),
    /// Distance to an operation, in two bytes.
    Branch(usize),
}

impl Operation {
    /// Opcode and operands (DWARF 2.0.0 §7.7.1, figure 22).
    fn encoding(self) -> Result<(u8, Operand), Error> {
        use Operand::{Branch, Fixed, Leb2, None, Sleb, Uleb};
        Ok(match self {
            Self::Plain(opcode) if PLAIN.contains(&opcode) => (opcode, None),
            Self::Plain(opcode) => return Err(Error::PlainOperation { opcode }),
            Self::Addr(address) => (DW_OP_addr, Operand::Address(address)),
            Self::Lit(value) => (DW_OP_lit0 + at_most("DW_OP_lit", value, 31)?, None),
            Self::Const1u(value) => (DW_OP_const1u, Fixed(value.into(), 1)),
            Self::Const1s(value) => (DW_OP_const1s, Fixed(value as u64, 1)),
            Self::Const2u(value) => (DW_OP_const2u, Fixed(value.into(), 2)),
            Self::Const2s(value) => (DW_OP_const2s, Fixed(value as u64, 2)),
            Self::Const4u(value) => (DW_OP_const4u, Fixed(value.into(), 4)),
            Self::Const4s(value) => (DW_OP_const4s, Fixed(value as u64, 4)),
            Self::Const8u(value) => (DW_OP_const8u, Fixed(value, 8)),
            Self::Const8s(value) => (DW_OP_const8s, Fixed(value as u64, 8)),
            Self::Constu(value) => (DW_OP_constu, Uleb(value)),
            Self::Consts(value) => (DW_OP_consts, Sleb(value)),
            Self::Pick(depth) => (DW_OP_pick, Fixed(depth.into(), 1)),
            Self::PlusUconst(value) => (DW_OP_plus_uconst, Uleb(value)),
            Self::Skip(target) => (DW_OP_skip, Branch(target)),
            Self::Bra(target) => (DW_OP_bra, Branch(target)),
            Self::Reg(register) => (DW_OP_reg0 + at_most("DW_OP_reg", register, 31)?, None),
            Self::Regx(register) => (DW_OP_regx, Uleb(register)),
            Self::Breg { register, offset } => {
                (DW_OP_breg0 + at_most("DW_OP_breg", register, 31)?, Sleb(offset))
            }
            Self::Bregx { register, offset } => (DW_OP_bregx, Leb2(register, offset)),
            Self::Fbreg(offset) => (DW_OP_fbreg, Sleb(offset)),
            Self::Piece(size) => (DW_OP_piece, Uleb(size)),
            Self::DerefSize(size) => {
                (DW_OP_deref_size, Fixed(at_most("DW_OP_deref_size", size, 8)?.into(), 1))
            }
            Self::XderefSize(size) => {
                (DW_OP_xderef_size, Fixed(at_most("DW_OP_xderef_size", size, 8)?.into(), 1))
            }
        })
    }
}

fn at_most(field: &'static str, value: u8, max: u8) -> Result<u8, Error> {
    if value > max {
        return Err(Error::Operand { field, value: value.into(), max: max.into() });
    }
    Ok(value)
}

/// The expression, its branches resolved.
pub(super) fn encode(operations: &[Operation]) -> Result<Expression, Error> {
    let mut out = Expression { bytes: Vec::with_capacity(operations.len() * 8), relocs: Vec::new() };
    // Most have no branch and need no starts.
    let has_branches = operations.iter().any(|op| matches!(op, Operation::Skip(_) | Operation::Bra(_)));
    let (mut starts, mut branches) = (Vec::new(), Vec::new());
    for operation in operations {
        if has_branches {
            starts.push(out.bytes.len());
        }
        let (opcode, operand) = operation.encoding()?;
        out.bytes.push(opcode);
        match operand {
            Operand::None => {}
            Operand::Address(address) => put_address(&mut out.bytes, &mut out.relocs, address),
            Operand::Fixed(value, width) => out.bytes.extend(value.to_le_bytes().into_iter().take(width)),
            Operand::Uleb(value) => out.bytes.extend_from_slice(&uleb128(value)),
            Operand::Sleb(value) => out.bytes.extend_from_slice(&sleb128(value)),
            Operand::Leb2(first, second) => {
                out.uleb128(first).sleb128(second);
            }
            Operand::Branch(target) => {
                branches.push((out.bytes.len(), target));
                out.bytes.extend_from_slice(&[0; 2]);
            }
        }
    }
    if has_branches {
        starts.push(out.bytes.len());
    }
    for (at, target) in branches {
        let count = operations.len();
        let start = *starts.get(target).ok_or(Error::BranchTarget { target, count })?;
        let distance = start as i64 - (at as i64 + 2); // from after the operand
        let distance = i16::try_from(distance).map_err(|_| Error::BranchDistance { distance })?;
        if let Some(field) = out.bytes.get_mut(at..).and_then(|bytes| bytes.first_chunk_mut()) {
            *field = distance.to_le_bytes();
        }
    }
    Ok(out)
}
