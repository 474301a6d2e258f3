//! The base of a function's stack frame.

use nv_debug_sections::register::DwarfRegister;

/// A location of a variable at an offset in the stack frame of its function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameOffset {
    /// Byte offset of the variable from the function's `DW_AT_frame_base`.
    pub offset: i64,
    /// The frame base from which `offset` counts.
    pub base: FrameBase,
    /// Byte offset of the variable from the stack pointer R1 once the function has set up its
    /// frame: `offset` plus the frame size in `.debug_frame`. `None` if that is not known.
    pub from_stack_pointer: Option<i64>,
}

/// The base of a function's stack frame: the value of `DW_AT_frame_base`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameBase {
    /// The frame base is the canonical frame address (`DW_OP_call_frame_cfa`), which `.debug_frame`
    /// defines.
    CallFrame,
    /// The frame base is a register: `%Depot`, which CUDA-GDB cannot read, or `%SP`.
    Register(DwarfRegister),
    /// The function has no `DW_AT_frame_base`, or the function is not known.
    Missing,
    /// The frame base is another expression. The value is its operations as text.
    Words(String),
}
