//! The rows that a line table has so far, and its registers.

/// A row of a line table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) address: u64,
    pub(super) file: u16,
    pub(super) line: u32,
    /// The number of the call site's row, from 1; 0 for none.
    pub(super) context: usize,
    pub(super) name: u32,
}

/// The moves of the line that a special opcode can make.
const SPECIAL_LINES: std::ops::RangeInclusive<i64> = -5..=8;

/// The rows written, and the registers.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) list: Vec<Row>,
    pub(super) file: u16,
    /// The file that ptxas takes for the one in force.
    pub(super) assumed_file: Option<u16>,
    pub(super) context: usize,
    pub(super) name: u32,
    /// Of the last row, or of an advance without one.
    pub(super) address: u64,
    pub(super) line: u32,
}

impl Rows {
    pub(super) fn set_file(&mut self, file: u16) {
        if self.assumed_file.replace(file) != Some(file) {
            self.file = file;
        }
    }

    /// A change of name alone is not written.
    pub(super) fn set_context(&mut self, context: usize, name: u32) {
        if self.context != context {
            (self.context, self.name) = (context, name);
        }
    }

    pub(super) fn row(&mut self, address: u64, line: u32) {
        let Self { file, context, name, .. } = *self;
        (self.address, self.line) = (address, line);
        self.list.push(Row { address, file, line, context, name });
    }

    /// Whether a row here is a special opcode: it is of the next instruction, and the line moves a
    /// little.
    pub(super) fn is_special(&self, address: u64, line: u32) -> bool {
        let lines = i64::from(line) - i64::from(self.line);
        address.wrapping_sub(self.address) == 1 && lines != 0 && SPECIAL_LINES.contains(&lines)
    }

    /// A row, unless one with its address and line was written last.
    pub(super) fn row_unless_written(&mut self, address: u64, line: u32) {
        if self.list.is_empty() || (self.address, self.line) != (address, line) {
            self.row(address, line);
        }
    }
}
