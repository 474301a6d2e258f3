//! A few opcodes assembled in a register, to be copied at a fixed size and cut to their length.

use leb128_nv::Leb128;

/// Opcodes with their operands, at most 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Opcodes {
    /// The first byte lowest.
    pub(super) bits: u128,
    /// In bytes.
    pub(super) len: u32,
}

impl Opcodes {
    pub(super) const NONE: Self = Self { bits: 0, len: 0 };

    /// Stands for a form that cannot say something; [`Opcodes::or`] takes any other.
    pub(super) const TOO_MANY: Self = Self { bits: 0, len: u32::MAX };

    /// Appends an opcode without operands.
    pub(super) const fn op(self, opcode: u8) -> Self {
        Self { bits: self.bits | (opcode as u128) << (8 * self.len), len: self.len + 1 }
    }

    /// Appends an opcode with one operand.
    pub(super) const fn with(self, opcode: u8, operand: Leb128) -> Self {
        let this = self.op(opcode);
        Self { bits: this.bits | operand.to_bits() << (8 * this.len), len: this.len + operand.len() as u32 }
    }

    /// Appends an opcode with two fixed bytes.
    pub(super) const fn with_u16(self, opcode: u8, operand: u16) -> Self {
        let this = self.op(opcode);
        Self { bits: this.bits | (operand as u128) << (8 * this.len), len: this.len + 2 }
    }

    /// The shorter; of equals the first.
    pub(super) const fn or(self, other: Self) -> Self {
        if other.len < self.len { other } else { self }
    }
}
