//! When the `.loc` of a function itself is written.

use super::{Dialect, Instruction, OpenFunction};

/// Where the `.loc` of a function itself stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FunctionHeader {
    /// Whether it stands before the code.
    pub(super) before_code: bool,
    /// The 0-based number of the instruction before which it stands once more.
    pub(super) repeat_before: Option<usize>,
}

/// The rules of a dialect.
pub(super) fn function_header(dialect: Dialect, function: &OpenFunction) -> FunctionHeader {
    let instructions = &function.instructions;
    match dialect {
        // A function has one if an instruction has a location.
        Dialect::Compute90 => {
            let before_code = instructions.iter().any(|instruction| instruction.location.is_some());
            FunctionHeader { before_code, repeat_before: None }
        }
        // Each function has one. If none of the instructions up to the first branch has a line, it
        // is repeated before the first of these that computes something, unless that one has a
        // location of line 0.
        Dialect::Compute100 => {
            let is_branch = |index| matches!(opcode(function, index), "bra" | "brx" | "ret" | "exit");
            let branch = (0..instructions.len()).find(|index| is_branch(*index));
            let beginning = branch.map_or(instructions.len(), |branch| branch + 1);
            let instructions = instructions.get(..beginning).unwrap_or_default();
            let line = |instruction: &Instruction| instruction.location.map(|location| location.line);
            let has_line =
                instructions.iter().any(|instruction| line(instruction).is_some_and(|line| line != 0));
            let computes = (0..beginning).find(|index| opcode(function, *index) != "mov");
            let repeat_before = computes.filter(|index| {
                !has_line
                    && instructions.get(*index).is_some_and(|instruction| instruction.location.is_none())
            });
            FunctionHeader { before_code: !instructions.is_empty(), repeat_before }
        }
    }
}

/// The first word of an instruction without what follows a `.`: the opcode, or `//` of inline
/// assembly.
fn opcode(function: &OpenFunction, index: usize) -> &str {
    let start = function.instructions.get(index).map_or(0, |instruction| instruction.at);
    let text = function.body.get(start..).unwrap_or_default();
    let mut words = text.split([' ', '\t', '\n', ';']).filter(|word| !word.is_empty());
    let word = words.find(|word| !word.starts_with('@')).unwrap_or_default();
    word.split('.').next().unwrap_or_default()
}
