//! The line program of one code section, as a value.

use super::LineOp;

/// The line program of one code section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// The operand of `DW_LNE_set_address` as it stands in the section. In a cubin it is 0 and has
    /// a relocation that names the function.
    pub base: u64,
    /// The byte offset in the section of the operand of `DW_LNE_set_address`, to which the
    /// relocation applies.
    pub base_offset: u64,
    /// The operations between `DW_LNE_set_address` and `DW_LNE_end_sequence`.
    pub ops: Vec<LineOp>,
    /// The address of the first byte after the sequence's code, relative to its base.
    pub end: u64,
}

impl Sequence {
    /// Iterates over `(address, line)` at each change of the line, in program order. Rows count,
    /// and so do address advances without a row, which ptxas writes in `.nv_debug_line_sass` where
    /// the line is again that of the last row.
    pub fn line_changes(&self) -> impl Iterator<Item = (u64, u32)> {
        let changes = self.ops.iter().scan(1, |line, op| {
            let change = match *op {
                LineOp::Row { address, line: new } => {
                    *line = new;
                    Some((address, new))
                }
                LineOp::Advance(address) => Some((address, *line)),
                _ => None,
            };
            Some(change)
        });
        changes.flatten()
    }
}
