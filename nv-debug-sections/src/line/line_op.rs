//! One operation of a line program.

/// One operation of a line program. Addresses are byte offsets from the sequence's base.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineOp {
    /// `DW_LNS_set_file`: sets the file, by its 1-based number in the file table (0 throughout
    /// `.nv_debug_line_sass`).
    SetFile(u64),
    /// `DW_LNS_set_column`: sets the column.
    SetColumn(u64),
    /// `DW_LNS_negate_stmt`: inverts the register `is_stmt`.
    NegateStmt,
    /// `DW_LNS_set_basic_block`: marks the start of a basic block.
    SetBasicBlock,
    /// `DW_LNS_set_prologue_end` (DWARF 3), in programs with an `opcode_base` above 10.
    SetPrologueEnd,
    /// `DW_LNS_set_epilogue_begin` (DWARF 3), in programs with an `opcode_base` above 11.
    SetEpilogueBegin,
    /// `DW_LNS_set_isa` (DWARF 3), in programs with an `opcode_base` above 12.
    SetIsa(u64),
    /// Opcode 0x90: the rows that follow are inlined code. `context` is the 1-based number of the
    /// row of this sequence that is the call site (0: not inlined), and `name` is the offset of the
    /// callee's name, relative to [`LineTable::debug_str_base`](super::LineTable::debug_str_base).
    InlinedCall {
        /// Row number of the call site, 0 for none; below 2^32.
        context: u64,
        /// Offset of the callee's name; below 2^32.
        name: u64,
    },
    /// Opcode 0x91: sets another name for the inlined code of the rows that follow, by an offset
    /// relative to [`LineTable::debug_str_base`](super::LineTable::debug_str_base), below 2^32.
    SetFunctionName(u64),
    /// Opcode 0x92: whether the rows that follow are function entry rows. The operand is below
    /// 0x80.
    EntryRow(u8),
    /// `DW_LNS_advance_pc`, `DW_LNS_const_add_pc` or `DW_LNS_fixed_advance_pc`: advances the
    /// address to this value, without a row.
    Advance(u64),
    /// `DW_LNS_advance_line` with another operation between it and the next row: advances the line
    /// to this value. Observed: ptxas 13.5, before [`SetPrologueEnd`](Self::SetPrologueEnd).
    AdvanceLine(u32),
    /// A row, made by a special opcode or `DW_LNS_copy`. Lines have 32 bits and wrap around.
    Row {
        /// Address, relative to the sequence's base.
        address: u64,
        /// 1-based line; 0 for none.
        line: u32,
    },
    /// Another extended opcode, which is kept as it is.
    Extended {
        /// The opcode after the length.
        opcode: u8,
        /// The operands of the opcode, undecoded.
        operands: Vec<u8>,
    },
}
