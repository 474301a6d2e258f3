//! Native instructions that come from no Mercury instruction.
//!
//! The native form of a Mercury instruction belongs to it, and has its lines. On sm_110 there is one that does not: `IMNMX`, into
//! which ptxas makes integer minima and maxima (`VIMNMX` in Mercury code and on other chips). It has the lines of an instruction
//! before it in the function: of the last `LDC`, `LDCU`, `S2R`, `BAR.SYNC`, `DEPBAR`, `MEMBAR`, `HMMA`, ..., never of `MOV`, `LDG`, `IADD3`,
//! `MUFU`, ... (observed: ptxas 13.0.88, 421 instructions before a `max.u32`; without one of these in the function, the lines
//! that this starts with). No other instruction and no other chip has that: 480 modules with integer minima and maxima.

/// The chip that has them.
const SM: u32 = 110;
/// Opcode of `IMNMX` in the low nine bits of an instruction; the bits above say where the second operand is.
const IMNMX: u16 = 0x17;
const OPCODE: u16 = 0x1ff;
/// Bytes of an instruction.
pub(crate) const INSTRUCTION: u64 = 16;

/// Byte offsets of such instructions in the native code of a section for SM `sm`, ascending.
pub fn added_instructions(sm: u32, code: &[u8]) -> Vec<u64> {
    if sm != SM {
        return Vec::new();
    }
    let instructions = (0_u64..).step_by(INSTRUCTION as usize).zip(code.chunks_exact(INSTRUCTION as usize));
    let is_minimum =
        |bytes: &[u8]| bytes.first_chunk().is_some_and(|bytes| u16::from_le_bytes(*bytes) & OPCODE == IMNMX);
    instructions.filter(|(_, bytes)| is_minimum(bytes)).map(|(at, _)| at).collect()
}
