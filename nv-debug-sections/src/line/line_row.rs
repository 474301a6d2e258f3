//! One row of a line table.

use super::line_op::LineOp;

/// A row of a line table with the values of all registers of the line program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRow {
    /// The 1-based number of the row in its sequence. Inlining contexts refer to such numbers, but
    /// do not count a row that repeats the address and line of the row before
    /// (docs/formats/line-tables.md, opcodes of NVIDIA): see [`RowTable`](super::RowTable).
    pub number: u32,
    /// The address of the row, relative to the sequence's base.
    pub address: u64,
    /// The 1-based number of the file in the file table (0 in `.nv_debug_line_sass`).
    pub file: u64,
    /// The 1-based line of the row.
    pub line: u32,
    /// The 1-based column of the row; 0 for none. ptxas never writes one.
    pub column: u64,
    /// The row number of the call site; 0 if the row is not inlined code.
    pub context: u64,
    /// The offset of the inlined callee's name, relative to
    /// [`LineTable::debug_str_base`](super::LineTable::debug_str_base).
    pub name: u64,
    /// The register `is_stmt`: whether the row is a recommended breakpoint.
    pub is_stmt: bool,
    /// Whether opcode 0x92 marks the row as a function's entry row.
    pub entry: bool,
}

impl LineRow {
    /// Returns the registers at the start of a sequence, before its first row (DWARF 2.0.0 §6.2.2).
    pub fn start(is_stmt: bool) -> Self {
        Self {
            number: 0,
            address: 0,
            file: 1,
            line: 1,
            column: 0,
            context: 0,
            name: 0,
            is_stmt,
            entry: false,
        }
    }

    /// Sets the register that `op` changes. An operation on the address or the line has no effect
    /// here.
    pub fn apply(&mut self, op: &LineOp) {
        match *op {
            LineOp::SetFile(file) => self.file = file,
            LineOp::SetColumn(column) => self.column = column,
            LineOp::NegateStmt => self.is_stmt = !self.is_stmt,
            LineOp::InlinedCall { context, name } => (self.context, self.name) = (context, name),
            LineOp::SetFunctionName(name) => self.name = name,
            LineOp::EntryRow(flag) => self.entry = flag != 0,
            LineOp::Row { .. }
            | LineOp::Advance(_)
            | LineOp::AdvanceLine(_)
            | LineOp::SetBasicBlock
            | LineOp::SetPrologueEnd
            | LineOp::SetEpilogueBegin
            | LineOp::SetIsa(_)
            | LineOp::Extended { .. } => {}
        }
    }
}
