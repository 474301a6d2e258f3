use crate::line::Params;

/// Why a section could not be written. Whatever was asked for is then not in the section, not even in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A NUL-terminated string has a NUL inside.
    #[error("{field} has a NUL byte at offset {offset}: its end is marked by one")]
    NulInString {
        /// Which string: `directory`, `file name`, `augmentation`.
        field: &'static str,
        /// 0-based byte offset in the string.
        offset: usize,
    },
    /// An empty string where one would end the table it is in.
    #[error("{field} is empty: that would end its table")]
    EmptyString {
        /// Which string: `directory`, `file name`.
        field: &'static str,
    },
    /// Header parameters that no program can be written with.
    #[error(
        "line program header: minimum_instruction_length {}, line_range {} (both at least 1), opcode_base {} ({}..={})",
        .0.minimum_instruction_length, .0.line_range, .0.opcode_base,
        crate::line::OPCODE_BASE.start(), crate::line::OPCODE_BASE.end()
    )]
    LineParams(Params),
    /// An opcode that the header's `opcode_base` gives to special opcodes.
    #[error("standard opcode {opcode} needs an opcode_base above it, this program has {opcode_base}")]
    StandardOpcode {
        /// The `DW_LNS_*` opcode.
        opcode: u8,
        /// Of the program's header.
        opcode_base: u8,
    },
    /// An address below the one before it in the same sequence.
    #[error("address {to:#x} is below {from:#x}, the one before it in the sequence")]
    AddressBackwards {
        /// Address reached so far.
        from: u64,
        /// Address asked for.
        to: u64,
    },
    /// An address advance that is no multiple of `minimum_instruction_length`.
    #[error("advance from {from:#x} to {to:#x} is no multiple of the minimum instruction length {unit}")]
    Misaligned {
        /// Address reached so far.
        from: u64,
        /// Address asked for.
        to: u64,
        /// Of the program's header.
        unit: u8,
    },
    /// A row, a state change or a sequence end outside any sequence.
    #[error("no sequence is open: begin one before its rows and state changes")]
    NoSequence,
    /// A second sequence, or the end of the program, before the open one has its end.
    #[error("the sequence at {reached:#x} is still open: end it first")]
    SequenceOpen {
        /// Address reached so far.
        reached: u64,
    },
    /// More bytes than the field that counts them can say.
    #[error("{field} would be {len:#x} bytes long, at most {max:#x} fit")]
    TooLong {
        /// What is too long: `line program`, `header`, `frame entry`, `CIE pointer`.
        field: &'static str,
        /// Its length in bytes.
        len: u64,
        /// The largest length.
        max: u64,
    },
    /// An FDE names a CIE that was not written before it.
    #[error("CIE {index} does not exist, {count} were written")]
    UnknownCie {
        /// 0-based.
        index: u32,
        /// CIEs written so far.
        count: usize,
    },
    /// A CIE version without a known layout.
    #[error("CIE version {version}: 1, 3 and 4 are known")]
    CieVersion {
        /// As asked for.
        version: u8,
    },
    /// An operand that does not fit its field.
    #[error("{field} is {value:#x}, at most {max:#x} fits")]
    Operand {
        /// `DW_CFA_*`, `DW_LNS_*` or CIE field.
        field: &'static str,
        /// As asked for.
        value: u64,
        /// The largest value.
        max: u64,
    },
    /// An alignment that is no power of two.
    #[error("alignment {alignment} is no power of two")]
    Alignment {
        /// As asked for.
        alignment: u8,
    },
    /// A relocation of an expression that is no 4- or 8-byte field inside it.
    #[error(
        "relocation of {width} bytes at {offset:#x} is no 4- or 8-byte field of the {len}-byte expression"
    )]
    ExpressionReloc {
        /// Byte offset in the expression.
        offset: u64,
        /// Its field's size in bytes.
        width: u8,
        /// The expression's size in bytes.
        len: usize,
    },
}
