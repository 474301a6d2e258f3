//! Parameters of a line program: header numbers, files, and the policy for opcodes.

use core::ops::RangeInclusive;

/// The versions whose units have the same header fields: DWARF 2 and DWARF 3.
pub(crate) const VERSION: RangeInclusive<u16> = 2..=3;

/// `opcode_base` from DWARF 2's to DWARF 3's: what lies between has known operands.
pub(crate) const OPCODE_BASE: RangeInclusive<u8> = 10..=13;

/// The header fields that opcodes depend on. The default is what compilers commonly choose: DWARF
/// 2's opcodes, line advances from -5 to 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// DWARF version of the unit. The writer takes 2 and 3, whose headers have the same fields.
    pub version: u16,
    /// The number of bytes that one unit of an address advance stands for, at least 1. Some readers
    /// ignore it, so 1 is safe.
    pub minimum_instruction_length: u8,
    /// The value of `is_stmt` at the start of each sequence.
    pub default_is_stmt: bool,
    /// The smallest line advance of a special opcode.
    pub line_base: i8,
    /// The number of different line advances that special opcodes have, at least 1.
    pub line_range: u8,
    /// The first special opcode, 10 to 13.
    pub opcode_base: u8,
}

impl Params {
    pub(super) const STANDARD: Self = Self {
        version: 2,
        minimum_instruction_length: 1,
        default_is_stmt: true,
        line_base: -5,
        line_range: 14,
        opcode_base: 10,
    };

    /// Whether opcodes are those of [`Params::STANDARD`].
    pub(super) fn has_standard_opcodes(self) -> bool {
        let Self { version, default_is_stmt, .. } = Self::STANDARD;
        Self { version, default_is_stmt, ..self } == Self::STANDARD
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::STANDARD
    }
}
