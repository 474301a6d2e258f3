//! Line tables: `.debug_line`, `.nv_debug_line_sass` and their Mercury copies, as values.
//!
//! The tables are DWARF 2 line programs (DWARF 2.0.0 §6.2) with three vendor opcodes and, when rows
//! of inlined code occur, four more header bytes: the offset of this unit's names in `.debug_str`.
//! docs/formats/line-tables.md, header; observed: ptxas 13.0.88, sm_75-sm_121.
//!
//! A program is kept as [`LineOp`]s: everything a reader can tell apart, and nothing else. Which
//! opcode a row was written with and how long its operands were is decided anew by [`encode`].

mod decode;
mod encode;
mod headers;
mod line_file;
mod line_op;
mod line_row;
mod line_state;
mod line_table;
mod line_table_with_offsets;
mod opcodes;
mod params;
mod row_table;
mod sequence;
mod sequence_program;
mod steps;
#[cfg(test)]
mod tests;
mod unit_programs;
mod units;

pub use decode::{decode, decode_sequence, decode_with_offsets};
pub use encode::{EncodedSequence, encode, encode_as, join_sequences};
pub use headers::headers;
pub use line_file::LineFile;
pub use line_op::LineOp;
pub use line_row::LineRow;
pub use line_state::{LineState, Step, set_address, step};
pub use line_table::LineTable;
pub use line_table_with_offsets::{LineTableWithOffsets, SequenceOffsets};
pub use opcodes::{DW_LNE_NVIDIA_ENTRY_ROW, DW_LNE_NVIDIA_INLINED_CALL, DW_LNE_NVIDIA_SET_FUNCTION_NAME};
pub use params::{DWARF2_PARAMS, DWARF3_PARAMS, params};
pub use row_table::RowTable;
pub use sequence::Sequence;
pub use sequence_program::SequenceProgram;
pub use steps::Steps;
pub use unit_programs::{UnitProgram, unit_programs};
