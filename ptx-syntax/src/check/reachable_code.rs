//! Reachability: the functions that kernels reach, the labels that code of a function reaches, and
//! the instructions that other instructions need.

use std::collections::{HashMap, HashSet};

use crate::function::Function;
use crate::function_kind::FunctionKind;
use crate::instruction::Instruction;
use crate::lexer::{TokenKind, tokenize};
use crate::module::{Item, Module};
use crate::statement::Statement;

/// The labels of a function that code which runs names: it jumps there, or takes their address.
pub(super) fn reached_labels<'a>(function: &Function<'a>) -> HashSet<&'a str> {
    let statements = function.body.as_ref().map_or(&[][..], |body| &body.statements);
    let labels = statements.iter().enumerate().filter_map(|(index, statement)| match statement {
        Statement::Label(label) => Some((label.text, index)),
        _ => None,
    });
    let labels: HashMap<&str, usize> = labels.collect();
    let mut reached = HashSet::new();
    let mut seen = vec![false; statements.len()];
    let mut open = vec![0];
    while let Some(start) = open.pop() {
        // What has been seen has been followed to where it leaves.
        for (index, statement) in statements.iter().enumerate().skip(start) {
            match seen.get_mut(index) {
                Some(seen) if !*seen => *seen = true,
                _ => break,
            }
            let mut names = |text: &'a str| {
                let new = idents(text).filter_map(|word| labels.get_key_value(word));
                let new = new.filter(|&(label, _)| reached.insert(*label)).map(|(_, &at)| at);
                open.extend(new);
            };
            match statement {
                Statement::Instruction(instruction) => {
                    names(instruction.text());
                    if leaves(instruction) {
                        break;
                    }
                }
                // Code names the table, which stands for its labels.
                Statement::BranchTargets(targets)
                    if targets.label.is_some_and(|table| reached.contains(table.text)) =>
                {
                    targets.names().for_each(|name| {
                        if let Some(&at) = labels.get(name.text).filter(|_| reached.insert(name.text)) {
                            open.push(at);
                        }
                    });
                }
                _ => {}
            }
        }
    }
    reached
}

/// Opcodes that do nothing but write registers.
pub(super) const PURE: &[&str] = &[
    "abs", "add", "addc", "and", "bfe", "bfi", "bfind", "bmsk", "brev", "clz", "cnot", "copysign", "cos",
    "cvt", "cvta", "div", "dp2a", "dp4a", "ex2", "fma", "fns", "isspacep", "ld", "ldu", "lg2", "lop3", "mad",
    "mad24", "madc", "mapa", "max", "min", "mov", "mul", "mul24", "neg", "not", "or", "popc", "prmt", "rcp",
    "rem", "rsqrt", "sad", "selp", "set", "setp", "shf", "shl", "shr", "sin", "slct", "sqrt", "sub", "subc",
    "szext", "tanh", "testp", "xor",
];

/// The instructions that give code, judged by their registers: those that do more than write
/// registers, and those that write one which such an instruction reads. By the index of the
/// statement.
///
/// Observed: ptxas 13.0.88 leaves out the others, with -g too, where it keeps those with a
/// predicate.
pub(super) struct LiveInstructions {
    optimised: Vec<bool>,
    unoptimised: Vec<bool>,
}

impl LiveInstructions {
    pub(super) fn of(function: &Function<'_>) -> Self {
        let is_effect = |instruction: &Instruction<'_>| {
            !PURE.contains(&instruction.mnemonic())
                || instruction.modifiers().any(|word| matches!(word.text, ".volatile" | ".mmio"))
        };
        Self {
            optimised: needed(function, is_effect),
            unoptimised: needed(function, |one| is_effect(one) || one.predicate().is_some()),
        }
    }

    pub(super) fn optimised(&self, statement: usize) -> bool {
        self.optimised.get(statement).copied().unwrap_or(true)
    }

    pub(super) fn unoptimised(&self, statement: usize) -> bool {
        self.unoptimised.get(statement).copied().unwrap_or(true)
    }
}

/// The instructions for which something holds, and those that write what such an instruction reads.
fn needed(function: &Function<'_>, holds: impl Fn(&Instruction<'_>) -> bool) -> Vec<bool> {
    let statements = function.body.as_ref().map_or(&[][..], |body| &body.statements);
    let mut needed = vec![false; statements.len()];
    let mut writers: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut open = Vec::new();
    for (index, statement) in statements.iter().enumerate() {
        let Statement::Instruction(instruction) = statement else { continue };
        if holds(instruction) {
            open.push(index);
        } else {
            let (written, _) = operands(instruction);
            idents(written).for_each(|name| writers.entry(name).or_default().push(index));
        }
    }
    while let Some(index) = open.pop() {
        let (Some(known), Some(Statement::Instruction(instruction))) =
            (needed.get_mut(index), statements.get(index))
        else {
            continue;
        };
        if std::mem::replace(known, true) {
            continue;
        }
        let (first, others) = operands(instruction);
        // The first operand of a store is read.
        let first = if PURE.contains(&instruction.mnemonic()) { "" } else { first };
        let predicate = instruction.predicate().map(|predicate| predicate.register.text);
        // Each list is followed once.
        for name in idents(first).chain(idents(others)).chain(predicate) {
            open.extend(writers.remove(name).into_iter().flatten());
        }
    }
    needed
}

/// The text of the first operand, and of the others.
fn operands<'a>(instruction: &Instruction<'a>) -> (&'a str, &'a str) {
    let text = instruction.text();
    let start = instruction.opcode.range.end - instruction.range.start;
    let operands = text.get(start as usize..).unwrap_or("");
    let mut depth = 0_u32;
    let end = operands.bytes().position(|byte| {
        depth = match byte {
            b'{' | b'[' | b'(' => depth + 1,
            b'}' | b']' | b')' => depth.saturating_sub(1),
            _ => depth,
        };
        byte == b',' && depth == 0
    });
    operands.split_at(end.unwrap_or(operands.len()))
}

/// Whether what follows an instruction runs only if a label stands there.
pub(super) fn leaves(instruction: &Instruction<'_>) -> bool {
    let leaving = matches!(instruction.mnemonic(), "ret" | "exit" | "bra" | "trap");
    leaving && instruction.predicate().is_none()
}

/// Indices, among all functions, of kernels and of what their code names, directly or not.
pub(super) fn reached_functions(module: &Module<'_>) -> HashSet<usize> {
    let functions: Vec<&Function<'_>> = module.functions().collect();
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, function) in functions.iter().enumerate() {
        by_name.entry(function.name.text).or_default().push(index);
    }
    let mut reached = HashSet::new();
    let mut open: Vec<usize> = Vec::new();
    let mut reach = |name: &str, open: &mut Vec<usize>| {
        let new = by_name.get(name).into_iter().flatten().filter(|&&index| reached.insert(index));
        open.extend(new);
    };
    for function in functions.iter().filter(|function| function.kind == FunctionKind::Entry) {
        reach(function.name.text, &mut open);
    }
    for item in &module.items {
        let Item::Variable(variable) = item else { continue };
        for initializer in variable.declarators.iter().filter_map(|declarator| declarator.initializer) {
            idents(initializer.range.slice(module.text)).for_each(|word| reach(word, &mut open));
        }
    }
    while let Some(index) = open.pop() {
        let body = functions.get(index).and_then(|function| function.body.as_ref());
        for statement in body.into_iter().flat_map(|body| &body.statements) {
            if let Statement::Instruction(instruction) = statement {
                idents(instruction.text()).for_each(|word| reach(word, &mut open));
            }
        }
    }
    reached
}

fn idents(text: &str) -> impl Iterator<Item = &str> {
    tokenize(text).filter(|token| token.kind == TokenKind::Ident).map(move |token| token.range.slice(text))
}
