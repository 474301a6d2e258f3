//! `--code none`: no code generator. Every PTX instruction gets one 16-byte slot, and every
//! function its own address.

use super::Provided;
use crate::code_facts::{CodeFacts, CodeSection, FunctionPart, ImageSymbol};
use crate::error::Result;
use crate::lower::ptx_facts::{FunctionFacts, PtxFacts};
use nv_debug_sections::address_space::shared_window_reserve;
use nv_debug_sections::cubin::{
    DebugOnlyFunction, DebugOnlyObject, DebugOnlyVariable, VariableSpace, debug_only,
};
use nv_debug_sections::release::Target;
use ptx_syntax::{FunctionKind, Linkage, Module, StateSpace, Statement};

/// Bytes of an instruction since sm_70.
const SLOT: u64 = 16;

/// The image of a module without code.
///
/// # Errors
///
/// More functions than an ELF file holds.
pub(crate) fn provide(
    module: &Module<'_>,
    facts: &PtxFacts<'_>,
    target: Target,
) -> Result<Provided<'static>> {
    let mut functions = Vec::new();
    let mut bodies = Vec::new();
    for function in module.functions().filter(|function| function.body.is_some()) {
        let name = function.name.text;
        let Some(body) = facts.functions.get(name) else { continue };
        bodies.push(*body);
        functions.push(DebugOnlyFunction {
            name,
            size: (body.end_instruction - body.first_instruction).max(1) as u64 * SLOT,
            kernel: function.kind == FunctionKind::Entry,
            local: function.linkage == Linkage::None && function.kind == FunctionKind::Func,
        });
    }
    let variables = placed_variables(module);
    let DebugOnlyObject { cubin: mut container, functions: symbols, variables: variable_symbols } =
        debug_only(target, &functions, &variables)?;
    container.append_writer(env!("CARGO_PKG_VERSION"))?;
    let mut image = CodeFacts::default();
    let defined = |index| ImageSymbol { index: Some(index), value: 0, defined: true };
    for (variable, symbol) in variables.iter().zip(variable_symbols) {
        image.symbols.insert(variable.name.to_owned(), defined(symbol));
    }
    for (name, value) in shared_offsets(module, target) {
        // In a whole program the field holds the offset itself.
        let symbol = ImageSymbol { index: None, value, defined: true };
        image.symbols.entry(name.to_owned()).or_insert(symbol);
    }
    for ((function, body), symbol) in functions.iter().zip(bodies).zip(symbols) {
        image.symbols.insert(function.name.to_owned(), defined(symbol));
        image.sections.push(CodeSection {
            function: function.name.to_owned(),
            symbol,
            size: function.size,
            parts: vec![FunctionPart { name: function.name.to_owned(), address: 0 }],
            ptx_lines: Some(ptx_lines(facts, body)),
            registers: Vec::new(),
            exits: Vec::new(),
            branch_setup: Vec::new(),
            block_ends: Vec::new(),
            imnmx: Vec::new(),
            calls: Vec::new(),
        });
    }
    Ok(Provided { image, mercury: None, container, debug_only: true })
}

/// Every variable declaration of the module, in bodies too.
fn declarations<'m, 'a>(module: &'m Module<'a>) -> impl Iterator<Item = &'m ptx_syntax::Variable<'a>> {
    let bodies = module.functions().filter_map(|function| function.body.as_ref());
    let in_bodies = bodies.flat_map(|body| &body.statements).filter_map(|statement| match statement {
        Statement::Variable(variable) => Some(&**variable),
        _ => None,
    });
    module.variables().chain(in_bodies)
}

/// Global and constant bank variables that the module defines.
fn placed_variables<'a>(module: &Module<'a>) -> Vec<DebugOnlyVariable<'a>> {
    let mut variables = Vec::new();
    for declaration in declarations(module).filter(|declaration| declaration.linkage != Linkage::Extern) {
        let space = match declaration.space {
            StateSpace::Global => VariableSpace::Global,
            StateSpace::Const => VariableSpace::Constant,
            _ => continue,
        };
        variables.extend(declaration.declarators.iter().map(|declarator| DebugOnlyVariable {
            name: declarator.name.text,
            size: declaration.size(declarator).unwrap_or(0),
            align: declaration.alignment(),
            space,
            local: declaration.linkage == Linkage::None,
        }));
    }
    variables
}

/// Offsets of shared variables in the window, in order of declaration; kernels do not share their
/// space, but offsets that differ tell variables apart.
fn shared_offsets<'a>(module: &Module<'a>, target: Target) -> Vec<(&'a str, u64)> {
    let mut offset = shared_window_reserve(target);
    let mut offsets = Vec::new();
    for declaration in declarations(module).filter(|declaration| declaration.space == StateSpace::Shared) {
        for declarator in &declaration.declarators {
            let align = declaration.alignment().max(1);
            offset = offset.checked_next_multiple_of(align).unwrap_or(offset);
            offsets.push((declarator.name.text, offset));
            offset = offset.saturating_add(declaration.size(declarator).unwrap_or(0));
        }
    }
    offsets
}

/// The line of each slot, where it changes.
fn ptx_lines(facts: &PtxFacts<'_>, body: FunctionFacts) -> Vec<(u64, u32)> {
    let instructions = &facts.instructions[body.first_instruction..body.end_instruction];
    let mut lines: Vec<(u64, u32)> = Vec::new();
    for (slot, instruction) in instructions.iter().enumerate() {
        if lines.last().is_none_or(|(_, line)| *line != instruction.line) {
            lines.push((slot as u64 * SLOT, instruction.line));
        }
    }
    lines
}
