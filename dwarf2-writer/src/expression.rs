use alloc::vec::Vec;

use crate::constants::{DW_OP_addr, DW_OP_bregx};
use crate::section::put_address;
use crate::{Address, Error, Reloc, Section};
use leb128_nv::{sleb128, uleb128};

mod operation;

pub use operation::Operation;

/// A location expression: its operations as bytes, with the relocations in it (DWARF 2.0.0 §2.4).
///
/// Made from operations with [`Expression::new`]; or byte by byte, where what is said does not
/// matter here:
///
/// ```
/// use dwarf2_writer::{Address, Expression, SymbolId, constants::DW_OP_plus};
///
/// // The function's address plus a register: where a function that was folded into another one returns to.
/// let mut value = Expression::default();
/// value.addr(Address::Symbol { symbol: SymbolId(7), addend: 0 }).bregx(0x500_0014, 0).op(DW_OP_plus);
/// assert_eq!(value.bytes.len(), 9 + 6 + 1);
/// assert_eq!((value.relocs[0].offset, value.relocs[0].symbol), (1, SymbolId(7)));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expression {
    /// The encoded operations.
    pub bytes: Vec<u8>,
    /// The fields of `bytes` that depend on symbols. Their offsets count from the start of the
    /// expression.
    pub relocs: Vec<Reloc>,
}

impl Expression {
    /// Encodes a list of operations as an expression.
    ///
    /// ```
    /// use dwarf2_writer::{Expression, Operation, constants::DW_OP_deref};
    ///
    /// // At the address that is kept 8 bytes into the frame.
    /// let kept = Expression::new(&[Operation::Fbreg(8), Operation::Plain(DW_OP_deref)])?;
    /// assert_eq!(kept.bytes, [0x91, 8, 0x06]);
    /// # Ok::<(), dwarf2_writer::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Operand`], [`Error::PlainOperation`], [`Error::BranchTarget`] and
    /// [`Error::BranchDistance`].
    pub fn new(operations: &[Operation]) -> Result<Self, Error> {
        operation::encode(operations)
    }

    /// Appends an operation without operands (`DW_OP_*`).
    pub fn op(&mut self, op: u8) -> &mut Self {
        self.bytes.push(op);
        self
    }

    /// Appends a ULEB128 operand to the last operation.
    pub fn uleb128(&mut self, value: u64) -> &mut Self {
        self.bytes.extend_from_slice(&uleb128(value));
        self
    }

    /// Appends an SLEB128 operand to the last operation.
    pub fn sleb128(&mut self, value: i64) -> &mut Self {
        self.bytes.extend_from_slice(&sleb128(value));
        self
    }

    /// Appends `DW_OP_addr` with an 8-byte address.
    pub fn addr(&mut self, address: Address) -> &mut Self {
        self.op(DW_OP_addr);
        put_address(&mut self.bytes, &mut self.relocs, address);
        self
    }

    /// Appends `DW_OP_bregx`, which pushes the contents of `register` plus `offset`.
    pub fn bregx(&mut self, register: u64, offset: i64) -> &mut Self {
        self.op(DW_OP_bregx).uleb128(register).sleb128(offset)
    }

    /// Appends the block form: a ULEB128 length, then the operations.
    pub(crate) fn put_block(&self, section: &mut Section) -> Result<(), Error> {
        check_relocs(&self.bytes, &self.relocs)?;
        section.bytes.extend_from_slice(&uleb128(self.bytes.len() as u64));
        section.append_parts(&self.bytes, &self.relocs);
        Ok(())
    }
}

impl From<Vec<u8>> for Expression {
    /// Operations without symbolic fields.
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, relocs: Vec::new() }
    }
}

/// Rejects relocations that are not 4- or 8-byte fields of the expression in ascending order.
pub(crate) fn check_relocs(bytes: &[u8], relocs: &[Reloc]) -> Result<(), Error> {
    let mut free = 0;
    for &Reloc { offset, width, .. } in relocs {
        match offset.checked_add(u64::from(width)) {
            Some(end) if matches!(width, 4 | 8) && offset >= free && end <= bytes.len() as u64 => free = end,
            _ => return Err(Error::ExpressionReloc { offset, width, len: bytes.len() }),
        }
    }
    Ok(())
}
