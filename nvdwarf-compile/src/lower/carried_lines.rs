//! Source lines of code of line 0 on sm_90 before CUDA 12.8.

use super::ptx_facts::PtxFacts;
use crate::code_facts::CodeSection;
use nv_debug_sections::line_table::{LocId, LocatedInstruction};
use std::collections::HashSet;

/// Gives the first code of each basic block, if it has line 0, the `.loc` of the PTX instruction
/// before the block. One of line 0 is not given on.
///
/// ptxas before CUDA 12.8 did not place the blocks yet when it made the rows: a block then follows
/// that of the PTX before it. Observed: ptxas 11.8 to 12.6.
pub(super) fn carry_into_blocks(
    facts: &PtxFacts<'_>,
    section: &CodeSection,
    located: &mut [LocatedInstruction],
) {
    let mut seen = HashSet::new();
    let lines = section.ptx_lines.iter().flatten();
    for (&(address, line), instruction) in lines.zip(located) {
        let Some(block) = block_at_line(facts, line) else { continue };
        let is_first = section.follows_block_end(address) && seen.insert(block);
        if is_first && instruction.loc.is_some_and(|loc| facts.is_line_0(loc)) {
            instruction.loc = loc_before_block(facts, block).or(instruction.loc);
        }
    }
}

/// The basic block that has the first instruction of a line, as the index of its own first
/// instruction; `None` with line markers, where lines are in no order.
fn block_at_line(facts: &PtxFacts<'_>, line: u32) -> Option<usize> {
    if facts.has_line_markers() {
        return None;
    }
    let index = facts.instructions.partition_point(|instruction| instruction.line < line);
    facts.instructions.get(index).filter(|instruction| instruction.line == line)?;
    facts.instructions.get(..=index)?.iter().rposition(|instruction| instruction.begins_block)
}

/// The `.loc` of the instruction before a basic block in its function, unless it is for line 0, or
/// the block does no more than leave the function.
fn loc_before_block(facts: &PtxFacts<'_>, block: usize) -> Option<LocId> {
    let is_first = facts.functions.values().any(|function| function.first_instruction == block);
    let leaves = facts.instructions.get(block)?.leaves;
    let before = facts.instructions.get(block.checked_sub(1)?).filter(|_| !is_first && !leaves)?;
    before.loc.filter(|loc| !facts.is_line_0(*loc))
}
