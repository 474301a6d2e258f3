//! `--code none`: no code generator. Every PTX instruction gets one 16-byte slot, every function an address of its own.

use super::Provided;
use crate::code_image::{CodeImage, CodeSection, FunctionPart, ImageSymbol};
use crate::lower::ptx_facts::{FunctionFacts, PtxFacts};
use anyhow::Result;
use nv_debug_sections::cubin::{Function, debug_only};
use ptx_syntax::{FunctionKind, Linkage, Module};

/// Bytes of an instruction since sm_70.
const SLOT: u64 = 16;

/// The image of a module without code.
///
/// # Errors
///
/// More functions than an ELF file holds.
pub fn provide(module: &Module<'_>, facts: &PtxFacts<'_>, sm: u32) -> Result<Provided<'static>> {
    let mut functions = Vec::new();
    let mut bodies = Vec::new();
    for function in module.functions().filter(|function| function.body.is_some()) {
        let name = function.name.text;
        let Some(body) = facts.functions.get(name) else { continue };
        bodies.push(*body);
        functions.push(Function {
            name,
            size: (body.end_instruction - body.first_instruction).max(1) as u64 * SLOT,
            kernel: function.kind == FunctionKind::Entry,
            local: function.linkage == Linkage::None && function.kind == FunctionKind::Func,
        });
    }
    let (container, symbols) = debug_only(sm, &functions)?;
    let mut image = CodeImage::default();
    for ((function, body), symbol) in functions.iter().zip(bodies).zip(symbols) {
        let defined = ImageSymbol { index: symbol, value: 0, defined: true };
        image.symbols.insert(function.name.to_owned(), defined);
        image.sections.push(CodeSection {
            function: function.name.to_owned(),
            symbol,
            size: function.size,
            parts: vec![FunctionPart { name: function.name.to_owned(), address: 0 }],
            ptx_lines: ptx_lines(facts, body),
            registers: Vec::new(),
        });
    }
    Ok(Provided { image, container, placed: true })
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
