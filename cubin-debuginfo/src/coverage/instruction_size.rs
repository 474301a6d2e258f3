//! The size of an instruction.

/// The size in bytes of one instruction, from sm_70 on. Observed: nvdisasm 13.2, sm_75-sm_121.
pub const INSTRUCTION_SIZE: u64 = 16;
