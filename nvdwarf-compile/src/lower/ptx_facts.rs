//! The facts about a PTX module that lowering needs, indexed once.

mod intermediate_locs;
mod stack_facts;

use super::line_locs::LineLocs;
use super::ptx_sections::PtxSections;
use crate::diagnostic::Diagnostic;
use intermediate_locs::IntermediateLocs;
use nv_debug_sections::address_space::parameter_base;
use nv_debug_sections::line_table::{Loc, LocId};
use nv_debug_sections::release::Target;
use ptx_syntax::check::PtxasLines;
use ptx_syntax::{
    CallSite, CallSites, Function, FunctionKind, InlinedAt, Instruction, LineCursor, LineIndex, LocDirective,
    Module, Name, StateSpace, Statement, TokenKind, Variable, tokenize,
};
use stack_facts::StackFacts;
use std::collections::{HashMap, HashSet};

/// The code, labels, variables and `.loc` directives of a PTX module, indexed for the making of
/// debug sections.
///
/// Lines are 1-based, and as ptxas counts them: from the last line marker (`# 77 "f.ptx"`) on.
#[derive(Debug, Default)]
pub struct PtxFacts<'a> {
    /// Functions with a body, by name.
    pub(crate) functions: HashMap<&'a str, FunctionFacts>,
    /// The lines of their `{`, ascending.
    open_lines: Vec<u32>,
    /// The lines of all instructions, ascending; empty if those of `instructions` are, as they are
    /// without line markers.
    sorted_lines: Vec<u32>,
    /// Every `.loc` of every body, in text order.
    pub(crate) locs: Vec<Loc>,
    /// The column of each, which ptxas drops.
    pub(crate) columns: Vec<u32>,
    /// Every instruction, in text order. Lines never decrease but where line markers say so.
    pub(crate) instructions: Vec<InstructionFacts>,
    /// The instructions over several lines, by first line.
    split: Vec<SplitInstruction>,
    /// What [`PtxFacts::loc_at_line`] gives.
    line_locs: LineLocs,
    /// The same of `.loc` for line 0, which count where no other does; the first in the text wins.
    line_0_locs: LineLocs,
    /// Every `.loc_intermediate`.
    pub(crate) intermediate: IntermediateLocs,
    /// Code labels by name.
    pub(crate) labels: HashMap<&'a str, LabelFacts<'a>>,
    /// Variables of the module and of bodies, by name.
    pub(crate) variables: HashMap<&'a str, VariableFacts<'a>>,
    /// What is known of the stack frames of functions with local variables, by function.
    pub(crate) stacks: HashMap<&'a str, StackFacts<'a>>,
    /// Byte offsets of kernel parameters in constant bank 0.
    pub(crate) kernel_parameters: HashMap<&'a str, u64>,
    /// Number of lines of the text.
    pub(crate) line_count: u32,
}

/// One function body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FunctionFacts {
    /// Whether it is an `.entry`.
    pub(crate) is_kernel: bool,
    /// Line of the `{`.
    pub(crate) open_line: u32,
    /// The body's first `.loc`, unless it is for line 0. Where bodies share lines, that of the last
    /// body in the text with the line of the `{` (observed: ptxas 13.0.88).
    pub(crate) first_loc: Option<LocId>,
    /// Index in [`PtxFacts::instructions`] of the first instruction.
    pub(crate) first_instruction: usize,
    /// The index after the last one.
    pub(crate) end_instruction: usize,
}

/// One PTX instruction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InstructionFacts {
    /// The line ptxas records for it.
    pub(crate) line: u32,
    /// The `.loc` in force; if its line is 0, the one of the instruction before on this PTX line.
    pub(crate) loc: Option<LocId>,
    /// Whether it is a `bra`: what ptxas adds at the place where branches meet is given its line,
    /// but lies in the next block.
    pub(crate) branches: bool,
    /// Whether it begins a basic block.
    pub(crate) begins_block: bool,
    /// Whether it leaves the function: ptxas joins these blocks and places them last.
    pub(crate) leaves: bool,
}

/// An instruction that is written over several lines.
#[derive(Debug, Clone, Copy)]
struct SplitInstruction {
    first_line: u32,
    last_line: u32,
    loc: Option<LocId>,
    intermediate_loc: Option<LocId>,
}

/// A code label.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LabelFacts<'a> {
    /// The function it is in.
    pub(crate) function: &'a str,
    /// Index in [`PtxFacts::instructions`] of the next instruction, which may be the next
    /// function's.
    pub(crate) next_instruction: usize,
    /// Where it stands for its function's start or end, wherever it is in the text (observed: ptxas
    /// 13.0.88, sm_75-100).
    pub(crate) bound: Option<Bound>,
}

/// The position that a label around a function's code stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The label stands for the start of its function. The first label of a function does, if the
    /// function has a `.loc` and no instruction before the label ends a basic block.
    Start,
    /// The label stands for the end of its function. The last label to which no branch goes does,
    /// unless it stands for the start.
    End,
}

/// A variable.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VariableFacts<'a> {
    /// Its state space.
    pub(crate) space: StateSpace,
    /// The function whose body declares it; `None` for the module's own.
    pub(crate) function: Option<&'a str>,
    /// Size in bytes, where the declaration tells.
    pub(crate) size: Option<u64>,
}

impl<'a> PtxFacts<'a> {
    /// Collects the facts of a module, for an SM and a release. `lines` are the lines of its text.
    /// Faults of the PTX are ignored.
    ///
    /// Names of inlined functions are looked for in the debug sections that are given; without any
    /// they are 0.
    pub fn of(
        module: &Module<'a>,
        target: Target,
        lines: &LineIndex,
        sections: Option<&PtxSections<'a>>,
    ) -> Self {
        let name_offset = |label: &str| sections.map_or(Some(0), |sections| sections.label_offset(label));
        Self::collect(module, target, lines, &name_offset, &mut Vec::new())
    }

    /// Indexes a module for a target. `name_offset` gives the offset of a `function_name` label in
    /// its section.
    pub(crate) fn collect(
        module: &Module<'a>,
        target: Target,
        lines: &LineIndex,
        name_offset: &impl Fn(&str) -> Option<u64>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let numbers = PtxasLines::new(module.text, lines);
        let line_locs = LineLocs::new(numbers.has_markers());
        let intermediate = IntermediateLocs::new(numbers.has_markers());
        let mut collector = Collector {
            facts: Self { line_count: lines.line_count(), line_locs, intermediate, ..Self::default() },
            target,
            lines: lines.cursor(),
            numbers,
            first_locs: LineLocs::new(true),
            name_offset,
            diagnostics,
            call_sites: CallSites::of(module),
            of_line_0: Vec::new(),
        };
        for variable in module.variables() {
            collector.variable(variable, None);
        }
        for function in module.functions() {
            collector.function(function);
        }
        let Collector { mut facts, numbers, first_locs, of_line_0, .. } = collector;
        facts.line_0_locs = LineLocs::new(numbers.has_markers());
        for Covered { loc, first, last } in of_line_0.into_iter().rev() {
            facts.line_0_locs.cover(first, last, loc);
        }
        facts.intermediate.finish();
        let lines = facts.functions.values().map(|function| function.open_line);
        let first: HashMap<u32, LocId> = lines
            .filter_map(|line| Some((line, first_locs.get(line).filter(|loc| !facts.is_line_0(*loc))?)))
            .collect();
        for function in facts.functions.values_mut() {
            function.first_loc = first.get(&function.open_line).copied();
        }
        facts.stacks = stack_facts::collect(module, &facts.functions, &facts.instructions);
        if numbers.has_markers() {
            facts.open_lines.sort_unstable();
            facts.split.sort_by_key(|split| split.first_line);
            facts.sorted_lines = facts.instructions.iter().map(|instruction| instruction.line).collect();
            facts.sorted_lines.sort_unstable();
        }
        facts
    }

    pub(super) fn is_line_0(&self, loc: LocId) -> bool {
        self.locs.get(loc.0 as usize).is_some_and(|loc| loc.line == 0)
    }

    /// Whether code can have lines of an intermediate language.
    pub(crate) fn has_intermediate_locs(&self) -> bool {
        !self.intermediate.locs.is_empty()
    }

    /// Whether line markers make PTX lines other than those of the text.
    pub(crate) fn has_line_markers(&self) -> bool {
        matches!(self.line_locs, LineLocs::Sparse(_))
    }

    /// Whether an instruction is recorded at this line, or may be: code generators can have other
    /// lines than ours for opcodes that are over several lines.
    pub(crate) fn has_instruction_at(&self, line: u32) -> bool {
        self.is_recorded(line) || self.split_over(line).is_some()
    }

    fn is_recorded(&self, line: u32) -> bool {
        if self.sorted_lines.is_empty() {
            return self.instructions.binary_search_by_key(&line, |instruction| instruction.line).is_ok();
        }
        self.sorted_lines.binary_search(&line).is_ok()
    }

    /// The instruction over several lines that includes this one.
    fn split_over(&self, line: u32) -> Option<&SplitInstruction> {
        let begun = self.split.partition_point(|split| split.first_line <= line);
        self.split.get(begun.checked_sub(1)?).filter(|split| line <= split.last_line)
    }

    /// Whether the first code of a function can count for the line of its `{`: if it is an
    /// instruction on that line, or if it is code without PTX and another body's `.loc` covers the
    /// line. Such code counts in a kernel, and in a `.func` from sm_90 on; before, only a `YIELD`
    /// does there: `counts` (observed: ptxas 13.0.88).
    pub(crate) fn opens_with_code(&self, function: &str, open_line: u32, counts: bool) -> bool {
        let Some(body) = self.functions.get(function) else { return false };
        let first =
            self.instructions.get(body.first_instruction..body.end_instruction).and_then(<[_]>::first);
        first.is_some_and(|first| first.line == open_line)
            || (body.is_kernel || counts)
                && self.loc_at_line(open_line).is_some_and(|loc| !self.is_line_0(loc))
    }

    /// Whether code can be recorded at this line: that of an instruction, or of the `{` that opens
    /// a body.
    pub(crate) fn has_code_at(&self, line: u32) -> bool {
        self.has_instruction_at(line) || self.open_lines.binary_search(&line).is_ok()
    }

    /// The `.loc` in force at a PTX line that the code generator names: the last in the text that
    /// covers it. The `{`, which code without PTX is given, has none of its own. A line within an
    /// instruction, for which it is not recorded, has that instruction's.
    pub(crate) fn loc_at_line(&self, line: u32) -> Option<LocId> {
        let found = self.line_locs.get(line).or_else(|| self.line_0_locs.get(line));
        found.or_else(|| self.split_over(line).filter(|_| !self.is_recorded(line))?.loc)
    }

    /// The `.loc_intermediate` in force at a PTX line that the code generator names, found as
    /// [`loc_at_line`](Self::loc_at_line) finds a `.loc`.
    pub(crate) fn intermediate_loc_at_line(&self, line: u32) -> Option<LocId> {
        let split = || self.split_over(line).filter(|_| !self.is_recorded(line))?.intermediate_loc;
        self.intermediate.at_line(line).or_else(split)
    }
}

struct Collector<'f, 'a, N> {
    facts: PtxFacts<'a>,
    target: Target,
    lines: LineCursor<'f>,
    numbers: PtxasLines<'f>,
    /// The first `.loc` of the body that covers a line.
    first_locs: LineLocs,
    name_offset: &'f N,
    diagnostics: &'f mut Vec<Diagnostic>,
    call_sites: CallSites,
    /// What each `.loc` of line 0 covers, in text order.
    of_line_0: Vec<Covered>,
}

/// The code that a `.loc` covers so far: see [`LineLocs`].
#[derive(Clone, Copy)]
struct Covered {
    loc: LocId,
    first: u32,
    last: u32,
}

impl<'a, N: Fn(&str) -> Option<u64>> Collector<'_, 'a, N> {
    /// The line of an offset, none before those of the last one asked for.
    fn line(&mut self, offset: u32) -> u32 {
        self.numbers.number(self.lines.line(offset))
    }

    fn cover(&mut self, covered: Option<Covered>) {
        let Some(Covered { loc, first, last }) = covered else { return };
        if self.facts.is_line_0(loc) {
            self.of_line_0.push(Covered { loc, first, last });
        } else {
            self.facts.line_locs.cover(first, last, loc);
        }
    }

    /// The `.loc` that counts for an instruction on `line`; `first_instruction` is its body's.
    fn counting_loc(&self, line: u32, current: Option<LocId>, first_instruction: usize) -> Option<LocId> {
        let body = self.facts.instructions.get(first_instruction..).unwrap_or_default();
        match body.last() {
            Some(before) if before.line == line && current.is_some_and(|loc| self.facts.is_line_0(loc)) => {
                before.loc
            }
            _ => current,
        }
    }

    /// The PTX line of an instruction and the `.loc` that counts for it. What `current` covers
    /// grows by the line.
    fn instruction_lines(
        &mut self,
        instruction: &Instruction<'a>,
        current: Option<LocId>,
        first_instruction: usize,
        covered: &mut Option<Covered>,
    ) -> (u32, Option<LocId>) {
        let first_line = self.line(instruction.range.start);
        // Most are written on one line.
        let on_one_line = self.lines.is_passed(instruction.range.end - 1);
        // Without line markers lines without an instruction's end do not count.
        let begin = self.numbers.has_markers().then(|| self.line(instruction.begin_anchor()));
        let line = if on_one_line { first_line } else { self.line(instruction.line_anchor()) };
        let loc = self.counting_loc(line, current, first_instruction);
        if let Some(loc) = current {
            covered.get_or_insert(Covered { loc, first: begin.unwrap_or(line), last: line }).last = line;
        }
        self.facts.intermediate.instruction(begin.unwrap_or(line), line);
        let last_line = if on_one_line { first_line } else { self.line(instruction.range.end - 1) };
        if first_line < last_line {
            let intermediate_loc = self.facts.intermediate.current();
            self.facts.split.push(SplitInstruction { first_line, last_line, loc, intermediate_loc });
        }
        (line, loc)
    }

    fn function(&mut self, function: &Function<'a>) {
        if function.kind == FunctionKind::Entry {
            self.kernel_parameters(function);
        }
        let Some(body) = &function.body else { return };
        let name = function.name.text;
        let first_instruction = self.facts.instructions.len();
        let open_line = self.line(body.open.start);
        let mut current = None;
        let mut covered = None;
        let mut first_loc = None;
        let mut labels = Vec::new();
        let mut targets = HashSet::new();
        let (mut first_is_start, mut has_ended_block) = (false, false);
        self.call_sites.begin_function();
        let mut begins_block = true;
        for statement in &body.statements {
            match statement {
                Statement::Loc(directive) => {
                    self.cover(covered.take());
                    let loc = self.loc(directive);
                    first_loc = first_loc.or(Some(loc));
                    current = Some(loc);
                }
                Statement::IntermediateLoc(directive) => self.facts.intermediate.directive(directive),
                Statement::Label(label) => {
                    begins_block = true;
                    let next_instruction = self.facts.instructions.len();
                    let label_facts = LabelFacts { function: name, next_instruction, bound: None };
                    self.facts.labels.entry(label.text).or_insert(label_facts);
                    first_is_start |= labels.is_empty() && !has_ended_block;
                    labels.push(label.text);
                }
                Statement::Instruction(instruction) => {
                    let (line, loc) =
                        self.instruction_lines(instruction, current, first_instruction, &mut covered);
                    let mnemonic = instruction.mnemonic();
                    let branches = mnemonic == "bra";
                    let leaves = matches!(mnemonic, "ret" | "exit");
                    has_ended_block |= BLOCK_ENDS.contains(&mnemonic);
                    targets.extend(branches.then(|| branch_target(instruction)).flatten());
                    self.facts.instructions.push(InstructionFacts {
                        line,
                        loc,
                        branches,
                        begins_block,
                        leaves,
                    });
                    begins_block = leaves || branches || mnemonic == "brx";
                }
                Statement::BranchTargets(list) => targets.extend(list.names().map(|name| name.text)),
                Statement::Variable(variable) => self.variable(variable, Some(name)),
                _ => {}
            }
        }
        self.cover(covered);
        self.facts.intermediate.end_body();
        let end = self.facts.instructions.len();
        let last = labels.iter().rfind(|label| !targets.contains(*label));
        let first = labels.first().filter(|_| first_is_start && first_loc.is_some());
        for (label, bound) in [(last, Bound::End), (first, Bound::Start)] {
            let facts = label.and_then(|label| self.facts.labels.get_mut(label));
            if let Some(facts) = facts.filter(|facts| facts.function == name) {
                facts.bound = Some(bound);
            }
        }
        if let Some(first_loc) = first_loc {
            let close_line = self.line(body.close.start);
            self.first_locs.cover(open_line, close_line, first_loc);
        }
        let facts = FunctionFacts {
            is_kernel: function.kind == FunctionKind::Entry,
            open_line,
            first_loc: None,
            first_instruction,
            end_instruction: end,
        };
        self.facts.open_lines.push(open_line);
        self.facts.functions.insert(name, facts);
    }

    fn loc(&mut self, directive: &LocDirective<'a>) -> LocId {
        let id = LocId(self.call_sites.next_number());
        let call_site = self.call_sites.take(directive);
        let (name, parent) = match &directive.inlined_at {
            None => (0, None),
            Some(inlined) => {
                if call_site == Some(CallSite::Unseen) {
                    let InlinedAt { file, line, column, .. } = **inlined;
                    self.diagnostics.push(Diagnostic::error(
                        inlined.range,
                        format!(
                            "Source location {file} {line} {column} used in inlined_at directive must be used in a preceding .loc directive"
                        ),
                    ));
                }
                let parent = match call_site {
                    Some(CallSite::Here(number) | CallSite::Elsewhere(number)) => Some(LocId(number)),
                    _ => None,
                };
                (self.name(&inlined.function_name) + inlined.name_offset, parent)
            }
        };
        self.facts.columns.push(directive.column as u32);
        self.facts.locs.push(Loc {
            file: directive.file as u32,
            line: directive.line as u32,
            name: name as u32,
            parent,
        });
        id
    }

    fn name(&mut self, label: &Name<'a>) -> u64 {
        (self.name_offset)(label.text).unwrap_or_else(|| {
            let message = format!(
                "Unresolved label '{}' used in function_name attribute: expected a label of a debug section, as .debug_str",
                label.text
            );
            self.diagnostics.push(Diagnostic::error(label.range, message));
            0
        })
    }

    fn variable(&mut self, variable: &Variable<'a>, function: Option<&'a str>) {
        for declarator in &variable.declarators {
            let facts = VariableFacts { space: variable.space, function, size: variable.size(declarator) };
            self.facts.variables.entry(declarator.name.text).or_insert(facts);
        }
    }

    /// Lays out parameters as the ABI does: each at the next multiple of its alignment, counted
    /// from the start of the bank.
    fn kernel_parameters(&mut self, function: &Function<'a>) {
        let mut offset = parameter_base(self.target);
        for parameter in &function.params {
            let alignment = parameter.alignment().max(1);
            offset = offset.checked_next_multiple_of(alignment).unwrap_or(offset);
            if let Some(name) = &parameter.name {
                self.facts.kernel_parameters.insert(name.text, offset);
            }
            offset = offset.saturating_add(parameter.size().unwrap_or(0));
        }
    }
}

/// The opcodes that end a basic block.
const BLOCK_ENDS: [&str; 7] = ["bra", "brx", "call", "ret", "exit", "bar", "barrier"];

/// The label that a `bra` leads to: its only operand.
fn branch_target<'a>(instruction: &Instruction<'a>) -> Option<&'a str> {
    let text = instruction.text();
    let names = tokenize(text).filter(|token| token.kind == TokenKind::Ident);
    names.last().map(|token| token.range.slice(text))
}
