//! A line unit with the byte offsets of its parts.

use super::LineTable;

/// A line unit with the offsets of its parts, in bytes from the start of the section. Header and
/// sequences follow one another without a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineTableWithOffsets<'d> {
    /// The decoded line unit.
    pub table: LineTable<'d>,
    /// The byte offset of the unit, at its field `unit_length`.
    pub offset: u64,
    /// The number of bytes of the unit before its first sequence.
    pub header_size: u64,
    /// The number of bytes of the whole unit.
    pub size: u64,
    /// The byte offsets of each sequence in [`LineTable::sequences`].
    pub sequences: Vec<SequenceOffsets>,
}

/// The byte offsets of a sequence and of its operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceOffsets {
    /// The byte offset of the sequence, at its `DW_LNE_set_address`, which has
    /// [`SequenceOffsets::START_SIZE`] bytes.
    pub offset: u64,
    /// The number of bytes of the whole sequence, including `DW_LNE_end_sequence`.
    pub size: u64,
    /// The byte offset after each operation in [`Sequence::ops`](super::Sequence::ops). An
    /// operation starts where the one before it ends, and the first one after `DW_LNE_set_address`.
    /// `DW_LNE_end_sequence` follows the last one.
    pub op_ends: Vec<u64>,
}

impl SequenceOffsets {
    /// The size in bytes of the `DW_LNE_set_address` that starts a sequence.
    pub const START_SIZE: u64 = 11;
}
