//! Location expressions: the operations of a block (DWARF 2.0.0 §2.4.3 and §7.7.1), also those of
//! versions 3 and 4.
//!
//! ```
//! use dwarf2_reader::constants::*;
//! use dwarf2_reader::expression::{Operand, operations};
//!
//! let all: Vec<_> = operations(&[DW_OP_fbreg, 8, DW_OP_deref]).collect::<Result<_, _>>()?;
//! assert_eq!((all[0].opcode, all[0].operands), (DW_OP_fbreg, [Some(Operand::Signed(8)), None]));
//! assert_eq!((all[1].opcode, all[1].span.clone()), (DW_OP_deref, 2..3));
//! # Ok::<(), dwarf2_reader::Error>(())
//! ```
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

#[allow(clippy::wildcard_imports, reason = "all of DW_OP_*")]
use crate::constants::*;
use crate::{Cursor, Result, Span, cursor};

/// The section name in errors about a location expression. The offsets of these errors count from
/// the start of the expression.
pub const EXPRESSION: &str = "expression";

/// One operation of a location expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation<'d> {
    /// The byte range of the opcode and its operands, counted from the start of the expression.
    pub span: Span,
    /// The opcode, `DW_OP_*`. An opcode without a name is read as if it had no operands.
    pub opcode: u8,
    /// The operands of the operation, at most two.
    pub operands: [Option<Operand<'d>>; 2],
}

/// The operand of a location operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operand<'d> {
    /// An address of 8 bytes, the operand of `DW_OP_addr`. It ends where the operation ends.
    Address(u64),
    /// An unsigned number.
    Unsigned(u64),
    /// A signed number.
    Signed(i64),
    /// A register number: the bytes of a ULEB128 number, which for NVIDIA's registers may have more
    /// than 64 bits.
    Register(&'d [u8]),
    /// The bytes of a block, without the length before them (`DW_OP_implicit_value`).
    Block(&'d [u8]),
}

/// How an operand is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Address,
    /// An unsigned number of this many bytes.
    Unsigned(u8),
    /// A signed number of this many bytes.
    Signed(u8),
    Uleb,
    Sleb,
    Register,
    /// A ULEB128 length, and bytes.
    Block,
}

/// `DW_OP_breg31`.
const LAST_BREG: u8 = DW_OP_breg0 + 31;

/// The operands of an operation, in the order in which they stand.
fn encodings(opcode: u8) -> &'static [Encoding] {
    use Encoding::{Address, Block, Register, Signed, Sleb, Uleb, Unsigned};
    match opcode {
        DW_OP_addr => &[Address],
        DW_OP_const1u | DW_OP_pick | DW_OP_deref_size | DW_OP_xderef_size => &[Unsigned(1)],
        DW_OP_const1s => &[Signed(1)],
        DW_OP_const2u | DW_OP_call2 => &[Unsigned(2)],
        DW_OP_const2s | DW_OP_bra | DW_OP_skip => &[Signed(2)],
        DW_OP_const4u | DW_OP_call4 | DW_OP_call_ref => &[Unsigned(4)],
        DW_OP_const4s => &[Signed(4)],
        DW_OP_const8u => &[Unsigned(8)],
        DW_OP_const8s => &[Signed(8)],
        DW_OP_constu | DW_OP_plus_uconst | DW_OP_piece => &[Uleb],
        DW_OP_consts | DW_OP_fbreg | DW_OP_breg0..=LAST_BREG => &[Sleb],
        DW_OP_regx => &[Register],
        DW_OP_bregx => &[Register, Sleb],
        DW_OP_bit_piece => &[Uleb, Uleb],
        DW_OP_implicit_value => &[Block],
        _ => &[],
    }
}

/// Iterates over the operations of a location expression. An operation that is cut short is an
/// error, and the last item.
pub fn operations(expression: &[u8]) -> impl Iterator<Item = Result<Operation<'_>>> {
    operations_from(Cursor::new(EXPRESSION, expression))
}

/// Iterates over the operations of a location expression, starting at a cursor. The cursor may be
/// one [that accepts long numbers](Cursor::with_long_numbers).
pub fn operations_from(cursor: Cursor<'_>) -> impl Iterator<Item = Result<Operation<'_>>> {
    cursor::items(Ok(cursor), operation)
        .map(|operation| operation.map(|(span, (opcode, operands))| Operation { span, opcode, operands }))
}

fn operation<'d>(cursor: &mut Cursor<'d>) -> Result<(u8, [Option<Operand<'d>>; 2])> {
    let opcode = cursor.u8("an opcode")?;
    let mut operands = [None; 2];
    for (operand, encoding) in operands.iter_mut().zip(encodings(opcode)) {
        let what = "an operand";
        *operand = Some(match *encoding {
            Encoding::Address => Operand::Address(cursor.number(8, what)?),
            Encoding::Unsigned(width) => Operand::Unsigned(cursor.number(width, what)?),
            Encoding::Signed(width) => {
                let unused = 64 - 8 * u32::from(width);
                Operand::Signed((cursor.number(width, what)? << unused) as i64 >> unused)
            }
            Encoding::Uleb => Operand::Unsigned(cursor.uleb(what)?),
            Encoding::Sleb => Operand::Signed(cursor.sleb(what)?),
            Encoding::Register => Operand::Register(cursor.leb_bytes(what)?),
            Encoding::Block => {
                let length = cursor.uleb(what)?;
                Operand::Block(cursor.take(length, what)?)
            }
        });
    }
    Ok((opcode, operands))
}
