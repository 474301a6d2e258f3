//! The coverage of one function.

use super::covered_line::CoveredLine;
use super::instruction_counts::InstructionCounts;
use super::variable_counts::VariableCounts;
use nv_debug_sections::cubin::SectionIndex;
use std::collections::BTreeSet;

/// The coverage of one function: a kernel, a device function, or one that ptxas has folded into a
/// kernel's section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionCoverage<'s> {
    /// The name of the function's symbol; the name of the section where no symbol covers the code.
    pub name: &'s str,
    /// The code section that contains the function.
    pub section: SectionIndex,
    /// Byte offset of the function's code in its section.
    pub offset: u64,
    /// Whether the function is a kernel.
    pub kernel: bool,
    /// The counts of the function's instructions.
    pub instructions: InstructionCounts,
    /// The number of rows that `.debug_line` has at the function's addresses, without rows that end
    /// a sequence.
    pub rows: u64,
    /// The number of inlined calls that the function's instructions belong to, at any depth. Each
    /// pair of a call site and a callee is one call.
    pub inlined_calls: u64,
    /// The source lines of the function's instructions. For inlined code this is the line in the
    /// innermost callee.
    pub lines: BTreeSet<CoveredLine>,
    /// The source lines of the call sites of the function's inlined calls, without lines that also
    /// have instructions.
    pub call_lines: BTreeSet<CoveredLine>,
    /// The source lines that rows at the function's addresses name, but that no instruction and no
    /// call site has: a later row at the same address has replaced them.
    pub lost_lines: BTreeSet<CoveredLine>,
    /// Whether `.debug_info` has an entry for the function.
    pub entry: bool,
    /// The counts of the function's parameters, including those in inlined calls and blocks.
    pub parameters: VariableCounts,
    /// The counts of the function's local variables, including those in inlined calls and blocks.
    pub locals: VariableCounts,
}

impl FunctionCoverage<'_> {
    /// The counts of the function's parameters and local variables, added up.
    pub fn variables(&self) -> VariableCounts {
        let mut sum = self.parameters;
        sum += self.locals;
        sum
    }
}
