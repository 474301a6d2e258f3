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
                let all = section.ptx_lines.as_deref().unwrap_or_default();
                let start = all.partition_point(|(at, _)| *at < part.address);
                let lines = all[start..].iter().take_while(|(at, _)| *at < end);
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

    use super::*;
    use crate::code_image::{CodeSection, FunctionPart};
    use nv_debug_sections::cubin::SymbolIndex;
    use ptx_syntax::LineIndex;

    const PTX: &str = "\
.version 8.0
.target sm_80
.func f() {
$first:
	mov.b32 %r1, 1;
$gone:
	mov.b32 %r2, 2;
	mov.b32 %r3, 3;
$end:
}
.entry k() {
$open:
	ret;
}
";

    fn section(symbol: u32, parts: &[(&str, u64)], ptx_lines: &[(u64, u32)]) -> CodeSection {
        let part = |&(name, address): &(&str, u64)| FunctionPart { name: name.to_owned(), address };
        CodeSection {
            function: parts[0].0.to_owned(),
            symbol: SymbolIndex(symbol),
            size: 0x100,
            parts: parts.iter().map(part).collect(),
            ptx_lines: Some(ptx_lines.to_vec()),
            registers: Vec::new(),
        }
    }

    /// `(symbol, offset)` of each label, with an image of these sections.
    fn places<const N: usize>(image: &CodeImage, labels: [&str; N]) -> [Option<(u32, u64)>; N] {
        let parsed = ptx_syntax::parse(PTX);
        let facts = PtxFacts::collect(&parsed.module, 80, &LineIndex::new(PTX), &|_| None, &mut Vec::new());
        let found = Labels::new(&facts, image);
        labels.map(|label| found.address(label).map(|at| (at.symbol.0, at.offset)))
    }

    #[test]
    fn a_label_is_at_the_first_code_of_its_line_or_a_later_one() {
        // Line 5 comes twice, since the scheduler moved code of line 8 between; line 7 gave no code.
        let f = section(3, &[("f", 0)], &[(0x10, 5), (0x20, 8), (0x30, 5)]);
        let image = CodeImage { sections: vec![f], ..CodeImage::default() };
        assert_eq!(
            places(&image, ["$first", "$gone", "$end", "$open"]),
            [Some((3, 0x10)), Some((3, 0x20)), Some((3, 0x100)), None]
        );
    }

    #[test]
    fn a_folded_function_counts_where_it_is_first_and_ends_before_the_next() {
        let k =
            section(3, &[("k", 0), ("f", 0x40), ("g", 0x80)], &[(0, 13), (0x50, 5), (0x60, 8), (0x90, 5)]);
        let again = section(4, &[("f", 0)], &[(0, 5)]);
        let image = CodeImage { sections: vec![k, again], ..CodeImage::default() };
        assert_eq!(
            places(&image, ["$first", "$gone", "$end", "$open"]),
            [Some((3, 0x50)), Some((3, 0x60)), Some((3, 0x80)), Some((3, 0))]
        );
    }

    #[test]
    fn what_the_code_generator_says_wins() {
        let named = LabelAddress { symbol: SymbolIndex(9), offset: 0x70 };
        let f = section(3, &[("f", 0)], &[(0, 5)]);
        let labels = HashMap::from([("$first".to_owned(), named)]);
        let image = CodeImage { sections: vec![f], labels, ..CodeImage::default() };
        assert_eq!(places(&image, ["$first"]), [Some((9, 0x70))]);
    }
}
