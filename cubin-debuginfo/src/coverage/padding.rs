//! Code sections split by function, with the padding of each piece.

use super::INSTRUCTION_SIZE;
use crate::symbolize::Symbolizer;
use nv_debug_sections::Result;
use nv_debug_sections::code::Function;
use nv_debug_sections::cubin::{Cubin, SectionIndex};

/// First two bytes of `NOP` without a guard: opcode 0x918, predicate PT. Observed: nvdisasm 13.2,
/// sm_75-sm_121.
const NOP: [u8; 2] = [0x18, 0x79];

/// Neighbouring code of one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'s> {
    /// `None` where no symbol covers it.
    pub(super) function: Option<&'s Function<'s>>,
    /// The name of the code section that has the code.
    pub(super) section_name: &'s str,
    /// The code section that has the code.
    pub(super) section: SectionIndex,
    /// Byte offset of the first instruction.
    pub(super) start: u64,
    /// The first byte after the last instruction that is not padding.
    pub(super) code_end: u64,
    /// The first byte after the padding.
    pub(super) end: u64,
}

impl Piece<'_> {
    /// Number of instructions of padding.
    pub(super) fn padding(&self) -> u64 {
        instructions(self.code_end, self.end)
    }
}

/// Instructions that start in `start..end`.
pub(super) fn instructions(start: u64, end: u64) -> u64 {
    end.div_ceil(INSTRUCTION_SIZE).saturating_sub(start.div_ceil(INSTRUCTION_SIZE))
}

/// All code, by section and offset.
pub(super) fn pieces<'s>(cubin: &Cubin<'_>, symbolizer: &'s Symbolizer<'_>) -> Result<Vec<Piece<'s>>> {
    let mut pieces = Vec::new();
    for section in symbolizer.sections() {
        let bytes = cubin.bytes(section.index)?;
        pieces.extend(symbolizer.code().ranges_of(section.index).map(|(range, function)| Piece {
            function,
            section_name: section.name,
            section: section.index,
            start: range.start,
            code_end: code_end(&bytes, range.start, range.end),
            end: range.end,
        }));
    }
    Ok(pieces)
}

/// Returns where the run of `NOP`s at the end of `start..end` starts. No running code reaches it:
/// the function ends after the last other instruction. A range that is nothing but `NOP` is left as
/// it is.
fn code_end(bytes: &[u8], start: u64, end: u64) -> u64 {
    let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    let Some(code) = range.and_then(|(start, end)| bytes.get(start..end)) else { return end };
    let (instructions, _) = code.as_chunks::<{ INSTRUCTION_SIZE as usize }>();
    let last = instructions.iter().rposition(|instruction| !instruction.starts_with(&NOP));
    last.map_or(end, |last| start + (last as u64 + 1) * INSTRUCTION_SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_after_the_last_other_instruction() {
        let nop = [&NOP[..], &[0; 14]].concat();
        let other = [0x47; 16].to_vec();
        let code = [&nop, &other, &nop, &other, &nop, &nop].map(Clone::clone).concat();
        assert_eq!(code_end(&code, 0, 0x60), 0x40);
        assert_eq!(code_end(&code, 0, 0x20), 0x20);
        assert_eq!(code_end(&code, 0x10, 0x30), 0x20);
        assert_eq!(code_end(&code, 0x40, 0x60), 0x60);
        assert_eq!(code_end(&[], 0, 0x40), 0x40);
    }

    #[test]
    fn instructions_count_where_they_start() {
        for (start, end, want) in [(0, 0x20, 2), (0, 0x21, 3), (1, 0x20, 1), (0x20, 0x20, 0), (1, 2, 0)] {
            assert_eq!(instructions(start, end), want);
        }
    }
}
