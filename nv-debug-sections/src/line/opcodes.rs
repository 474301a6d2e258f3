//! The opcodes that NVIDIA adds to line programs.

/// The opcode `DW_LNE_NVIDIA_inlined_call`, 0x90, with two ULEB128 operands: the context row and
/// the offset of the callee's name. elfutils' `dwarf.h` has its name; docs/formats/line-tables.md,
/// opcodes of NVIDIA.
pub const DW_LNE_NVIDIA_INLINED_CALL: u8 = 0x90;

/// The opcode `DW_LNE_NVIDIA_set_function_name`, 0x91, with one ULEB128 operand: the offset of a
/// name. elfutils' `dwarf.h` has its name; ptxas 13.0.88 never writes it.
pub const DW_LNE_NVIDIA_SET_FUNCTION_NAME: u8 = 0x91;

/// The opcode 0x92 of Mercury line tables: its operand is 1 before the row at a function's entry,
/// and 0 after it. NVIDIA's name of the opcode is not known.
pub const DW_LNE_NVIDIA_ENTRY_ROW: u8 = 0x92;

/// Largest operand of [`DW_LNE_NVIDIA_ENTRY_ROW`]: a LEB128 number of one byte.
pub(super) const MAX_ENTRY_ROW: u8 = 0x7f;
