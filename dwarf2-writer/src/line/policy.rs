//! How opcodes are chosen.

/// How opcodes are chosen for the operations of a line program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// Every call writes its own opcodes, even if they change nothing. A row is a special opcode if
    /// address and line both move and the advances fit, else `DW_LNS_advance_line` and
    /// `DW_LNS_advance_pc` (with an SLEB128 operand) as needed, and `DW_LNS_copy`. GPU assemblers
    /// write programs so.
    #[default]
    Plain,
    /// The same rows in the fewest bytes. Each row has the shortest opcodes; file, column,
    /// `is_stmt` and ISA are written only where a row needs them; advances without a row are joined
    /// with the next advance. Changes after the last row of a sequence are not written.
    Compact(Header),
}

/// Which numbers of the line program's header [`Policy::Compact`] may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// Changes `line_base` to a number from -64 to 0 if that saves more than about a thirtieth of
    /// the program. The other numbers of the header stay.
    #[default]
    Choose,
    /// Changes no number of the header.
    Keep,
}
