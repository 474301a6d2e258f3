//! Addresses of code labels.

use crate::code_image::{CodeImage, LabelAddress};
use crate::lower::ptx_facts::{FunctionFacts, PtxFacts};
use std::collections::HashMap;

/// Finds the SASS address of a PTX label: what the code generator says, else the first instruction made from the PTX at or behind
/// the label, else the function's end.
#[derive(Debug)]
pub(super) struct Labels<'f> {
    facts: &'f PtxFacts<'f>,
    image: &'f CodeImage,
    /// Address of the first instruction made from PTX instruction `i` of the module or a later one of its function.
    at_or_after: Vec<Option<LabelAddress>>,
    /// End of each function.
    ends: HashMap<&'f str, LabelAddress>,
}

impl<'f> Labels<'f> {
    /// Indexes the image.
    pub(super) fn new(facts: &'f PtxFacts<'f>, image: &'f CodeImage) -> Self {
        let mut labels =
            Self { facts, image, at_or_after: vec![None; facts.instructions.len()], ends: HashMap::new() };
        for section in &image.sections {
            let ends = section.parts.iter().skip(1).map(|part| part.address).chain([section.size]);
            for (part, end) in section.parts.iter().zip(ends) {
                let Some((&name, function)) = facts.functions.get_key_value(part.name.as_str()) else {
                    continue;
                };
                let address = |offset| LabelAddress { symbol: section.symbol, offset };
                // A function folded into several sections is taken from the first.
                if labels.ends.contains_key(name) {
                    continue;
                }
                labels.ends.insert(name, address(end));
                let start = section.ptx_lines.partition_point(|(at, _)| *at < part.address);
                let lines = section.ptx_lines[start..].iter().take_while(|(at, _)| *at < end);
                labels.fill(*function, lines, address);
            }
        }
        labels
    }

    fn fill<'l>(
        &mut self,
        function: FunctionFacts,
        lines: impl Iterator<Item = &'l (u64, u32)>,
        address: impl Fn(u64) -> LabelAddress,
    ) {
        let mut first_at_line = HashMap::new();
        for &(at, line) in lines {
            first_at_line.entry(line).or_insert(at);
        }
        let mut next = None;
        for index in (function.first_instruction..function.end_instruction).rev() {
            let own = first_at_line.get(&self.facts.instructions[index].line).map(|&at| address(at));
            next = own.or(next);
            self.at_or_after[index] = next;
        }
    }

    /// Address of the label, `None` when its function has no code in the image.
    pub(super) fn address(&self, name: &str) -> Option<LabelAddress> {
        if let Some(known) = self.image.labels.get(name) {
            return Some(*known);
        }
        let label = self.facts.labels.get(name)?;
        let function = self.facts.functions.get(label.function)?;
        let inside = label.next_instruction < function.end_instruction;
        let address = if inside { self.at_or_after[label.next_instruction] } else { None };
        address.or_else(|| self.ends.get(label.function).copied())
    }
}
