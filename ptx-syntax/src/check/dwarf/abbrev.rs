//! Forms and tags that matter here, and LEB128 as ptxas reads it.

/// `DW_TAG_formal_parameter`.
pub(super) const TAG_PARAMETER: u16 = 0x05;
/// `DW_TAG_lexical_block`.
pub(super) const TAG_BLOCK: u16 = 0x0b;
/// `DW_TAG_compile_unit`.
pub(super) const TAG_COMPILE_UNIT: u16 = 0x11;
/// `DW_TAG_inlined_subroutine`.
pub(super) const TAG_INLINED: u16 = 0x1d;
/// `DW_TAG_subprogram`.
pub(super) const TAG_SUBPROGRAM: u16 = 0x2e;
/// `DW_TAG_variable`.
pub(super) const TAG_VARIABLE: u16 = 0x34;

/// `DW_AT_sibling`.
pub(super) const AT_SIBLING: u16 = 0x01;
/// `DW_AT_location`.
pub(super) const AT_LOCATION: u16 = 0x02;
/// `DW_AT_name`.
pub(super) const AT_NAME: u16 = 0x03;
/// `DW_AT_low_pc`.
pub(crate) const AT_LOW_PC: u16 = 0x11;
/// `DW_AT_high_pc`.
pub(super) const AT_HIGH_PC: u16 = 0x12;
/// `DW_AT_address_class`.
pub(super) const AT_ADDRESS_CLASS: u16 = 0x33;
/// `DW_AT_decl_file`.
pub(crate) const AT_DECL_FILE: u16 = 0x3a;
/// `DW_AT_call_file`.
pub(super) const AT_CALL_FILE: u16 = 0x58;
/// `DW_AT_MIPS_linkage_name`.
pub(super) const AT_LINKAGE_NAME: u16 = 0x2007;

/// How a value is laid out. DWARF 2.0.0 §7.5.4; no form has been added since that ptxas knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As wide as an address of the unit.
    Address,
    /// An address-wide offset into `.debug_info`.
    RefAddress,
    /// A length of so many bytes, then that many bytes.
    Block(usize),
    /// A ULEB128 length, then that many bytes.
    BlockLeb,
    /// A number of so many bytes.
    Data(usize),
    /// An offset from the start of the unit, of so many bytes.
    Ref(usize),
    /// The same as ULEB128.
    RefLeb,
    /// A LEB128 number.
    Leb,
    /// Bytes up to a NUL.
    String,
    /// A four-byte offset into `.debug_str`.
    Strp,
    /// The form stands before the value, as ULEB128.
    Indirect,
}

impl Form {
    /// The form of a `DW_FORM` number.
    pub(super) fn of(number: u64) -> Option<Self> {
        Some(match number {
            0x01 => Self::Address,
            0x03 => Self::Block(2),
            0x04 => Self::Block(4),
            0x05 => Self::Data(2),
            0x06 => Self::Data(4),
            0x07 => Self::Data(8),
            0x08 => Self::String,
            0x09 => Self::BlockLeb,
            0x0a => Self::Block(1),
            0x0b | 0x0c => Self::Data(1),
            0x0d | 0x0f => Self::Leb,
            0x0e => Self::Strp,
            0x10 => Self::RefAddress,
            0x11 => Self::Ref(1),
            0x12 => Self::Ref(2),
            0x13 => Self::Ref(4),
            0x14 => Self::Ref(8),
            0x15 => Self::RefLeb,
            0x16 => Self::Indirect,
            _ => return None,
        })
    }
}

/// A little-endian number of at most 8 bytes.
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// A ULEB128 value of any length and the bytes it takes, or `None` where the bytes end first.
///
/// Bits beyond 64 wrap around, as they do in ptxas: `80 80 80 80 80 80 80 80 80 80 01` is 64.
pub(super) fn wrapping_uleb(bytes: &[u8]) -> Option<(u64, usize)> {
    match leb128_nv::read_uleb128(bytes) {
        Ok(read) => Some(read),
        Err(leb128_nv::Error::Truncated) => None,
        Err(leb128_nv::Error::Overflow) => {
            let len = bytes.iter().position(|byte| *byte < 0x80)? + 1;
            Some((bytes.iter().take(len).zip((0..=u32::MAX).step_by(7).cycle()).fold(0, group), len))
        }
    }
}

fn group(value: u64, (byte, shift): (&u8, u32)) -> u64 {
    value | u64::from(byte & 0x7f) << (shift % 64)
}
