//! The `IMNMX` instructions of sm_110, whose lines are not those of the Mercury instruction that they come from.
//!
//! ptxas makes `IMNMX` of integer minima and maxima there, which are `VIMNMX` in Mercury code and on other chips. It gives an
//! `IMNMX` the lines of an instruction before it in the function: of the last `LDC`, `LDCU`, `S2R`, `BAR.SYNC`, `DEPBAR`, `MEMBAR`,
//! `HMMA`, ..., never of `MOV`, `LDG`, `IADD3`, `MUFU`, ..., and without one of the former the lines that the function starts with
//! (observed: ptxas 13.0.88, 421 instructions before a `max.u32`). No other instruction and no other chip has that: 480 modules
//! with integer minima and maxima.

/// The SM whose native code has `IMNMX`.
pub(crate) const SM: u32 = 110;
/// Opcode of `IMNMX` in the low nine bits of an instruction; the bits above say where the second operand is.
const IMNMX: u16 = 0x17;
/// The bits of an instruction that hold the opcode.
const OPCODE: u16 = 0x1ff;
/// Bytes of an instruction.
pub(crate) const INSTRUCTION: u64 = 16;

/// Byte offsets of the `IMNMX` instructions in the native code of a section, ascending; none unless `sm` is 110.
pub fn imnmx_addresses(sm: u32, code: &[u8]) -> Vec<u64> {
    if sm != SM {
        return Vec::new();
    }
    let instructions = (0_u64..).step_by(INSTRUCTION as usize).zip(code.chunks_exact(INSTRUCTION as usize));
    let is_imnmx =
        |bytes: &[u8]| bytes.first_chunk().is_some_and(|bytes| u16::from_le_bytes(*bytes) & OPCODE == IMNMX);
    instructions.filter(|(_, bytes)| is_imnmx(bytes)).map(|(at, _)| at).collect()
}
