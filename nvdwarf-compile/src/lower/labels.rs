//! The addresses of code labels.

use crate::code_facts::{CodeFacts, CodeSection, FunctionPart, LabelAddress};
use crate::lower::ptx_facts::{Bound, FunctionFacts, PtxFacts};
use foldhash::{HashMap, HashMapExt as _};
use std::sync::OnceLock;

/// Size of an instruction since sm_70.
const INSTRUCTION_BYTES: u64 = 16;

/// Finds the SASS address of a PTX label: the address that the code generator gives; otherwise the
/// first instruction made from the PTX at or after the label, if no part of the instruction before
/// belongs to that already; otherwise the end of its code. The first and the last label of a
/// function stand for its bounds.
#[derive(Debug)]
pub(super) struct Labels<'f> {
    facts: &'f PtxFacts<'f>,
    image: &'f CodeFacts,
    /// Made for the first label that the code generator does not name: without debug sections in
    /// the PTX there is none.
    index: OnceLock<Index>,
}

/// Places that labels can have.
#[derive(Debug)]
struct Index {
    /// Address of a label before PTX instruction `i` of the module.
    before: Vec<Option<LabelAddress>>,
    functions: HashMap<String, Span>,
}

/// The range of a function's code.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: LabelAddress,
    /// The offset after the last instruction; a branch to itself and padding follow.
    code_end: LabelAddress,
    /// The offset after everything.
    end: LabelAddress,
}

impl<'f> Labels<'f> {
    /// Labels in the image.
    pub(super) fn new(facts: &'f PtxFacts<'f>, image: &'f CodeFacts) -> Self {
        Self { facts, image, index: OnceLock::new() }
    }

    /// Address of the label, `None` when its function has no code in the image.
    pub(super) fn address(&self, name: &str) -> Option<LabelAddress> {
        if let Some(known) = self.image.labels.get(name) {
            return Some(*known);
        }
        let label = self.facts.labels.get(name)?;
        let function = self.facts.functions.get(label.function)?;
        let index = self.index.get_or_init(|| Index::new(self.facts, self.image));
        let span = index.functions.get(label.function)?;
        match label.bound {
            Some(Bound::Start) => return Some(span.start),
            Some(Bound::End) => return Some(span.end),
            None => {}
        }
        // Nothing stands before the first instruction but the prologue, which belongs to it.
        if label.next_instruction == function.first_instruction {
            return Some(span.start);
        }
        let inside = label.next_instruction < function.end_instruction;
        let address = if inside { index.before[label.next_instruction] } else { None };
        address.or(Some(span.code_end))
    }
}

impl Index {
    fn new(facts: &PtxFacts<'_>, image: &CodeFacts) -> Self {
        let mut index = Self { before: vec![None; facts.instructions.len()], functions: HashMap::new() };
        for section in &image.sections {
            let ends = section.parts.iter().skip(1).map(|part| part.address).chain([section.size]);
            for (part, end) in section.parts.iter().zip(ends) {
                index.add(facts, section, part, end);
            }
        }
        index
    }

    fn add(&mut self, facts: &PtxFacts<'_>, section: &CodeSection, part: &FunctionPart, end: u64) {
        let Some((&name, &function)) = facts.functions.get_key_value(part.name.as_str()) else { return };
        // A function folded into several sections is taken from the first.
        if self.functions.contains_key(name) {
            return;
        }
        let address = |offset| LabelAddress { symbol: section.symbol, offset };
        let lines = section.lines_between(part.address, end).unwrap_or_default();
        let code_end = lines.last().map_or(end, |(last, _)| {
            let exit = section.exits.get(section.exits.partition_point(|exit| exit < last)).copied();
            end.min(exit.filter(|exit| *exit < end).unwrap_or(*last).saturating_add(INSTRUCTION_BYTES))
        });
        let (start, code_end, end) = (address(part.address), address(code_end), address(end));
        self.functions.insert(name.to_owned(), Span { start, code_end, end });
        self.fill(facts, function, lines, section, address);
    }

    fn fill(
        &mut self,
        facts: &PtxFacts<'_>,
        function: FunctionFacts,
        lines: &[(u64, u32)],
        section: &CodeSection,
        address: impl Fn(u64) -> LabelAddress,
    ) {
        let mut first_at_line = HashMap::new();
        for &(at, line) in lines {
            first_at_line.entry(line).or_insert(at);
        }
        let mut next = None;
        for index in (function.first_instruction..function.end_instruction).rev() {
            let at_line = |index: usize| first_at_line.get(&facts.instructions.get(index)?.line).copied();
            next = at_line(index).or(next);
            let previous = index.checked_sub(1).filter(|previous| *previous >= function.first_instruction);
            let branch = previous.filter(|previous| facts.instructions[*previous].branches);
            let after_branch =
                branch.and_then(at_line).map(|branch| branch.saturating_add(INSTRUCTION_BYTES));
            let at = next.map(|next| after_branch.filter(|after| *after < next).unwrap_or(next));
            let at = at.map(|at| before_setup(section, at));
            self.before[index] = at.map(&address);
        }
    }
}

/// Where what sets up the branch at `address` begins.
fn before_setup(section: &CodeSection, mut address: u64) -> u64 {
    let is_setup = |address| section.branch_setup.binary_search(&address).is_ok();
    while let Some(before) = address.checked_sub(INSTRUCTION_BYTES).filter(|before| is_setup(*before)) {
        address = before;
    }
    address
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

    use super::*;
    use nv_debug_sections::cubin::SymbolIndex;
    use nv_debug_sections::release::Release;
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
$open: .loc 1 1 1
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
            exits: Vec::new(),
            branch_setup: Vec::new(),
            block_ends: Vec::new(),
            imnmx: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// Returns `(symbol, offset)` of each label, with an image of these sections.
    fn places<const N: usize>(image: &CodeFacts, labels: [&str; N]) -> [Option<(u32, u64)>; N] {
        let parsed = ptx_syntax::parse(PTX);
        let facts = PtxFacts::collect(
            &parsed.module,
            Release::V13_0.target(80),
            &LineIndex::new(PTX),
            &|_| None,
            &mut Vec::new(),
        );
        let found = Labels::new(&facts, image);
        labels.map(|label| found.address(label).map(|at| (at.symbol.0, at.offset)))
    }

    #[test]
    fn a_label_is_at_the_first_code_of_its_line_or_a_later_one() {
        // Line 5 comes twice, since the scheduler moved code of line 8 between; line 7 gave no
        // code.
        let f = section(3, &[("f", 0)], &[(0x10, 5), (0x20, 8), (0x30, 5)]);
        let image = CodeFacts { sections: vec![f], ..CodeFacts::default() };
        assert_eq!(
            places(&image, ["$first", "$gone", "$end", "$open"]),
            [Some((3, 0)), Some((3, 0x20)), Some((3, 0x100)), None]
        );
    }

    #[test]
    fn a_folded_function_counts_where_it_is_first_and_ends_before_the_next() {
        let k =
            section(3, &[("k", 0), ("f", 0x40), ("g", 0x80)], &[(0, 13), (0x50, 5), (0x60, 8), (0x90, 5)]);
        let again = section(4, &[("f", 0)], &[(0, 5)]);
        let image = CodeFacts { sections: vec![k, again], ..CodeFacts::default() };
        assert_eq!(
            places(&image, ["$first", "$gone", "$end", "$open"]),
            [Some((3, 0x40)), Some((3, 0x60)), Some((3, 0x80)), Some((3, 0))]
        );
    }

    const BRANCHES: &str = "\
.version 8.0
.target sm_80
.entry k() {
$begin:
	mov.b32 %r1, 1;
	bra.uni $next;
$after:
$next:
	mov.b32 %r2, 2;
$before:
	bra.uni $out;
$out:
	ret;
$block:
$end:
}
";

    /// Observed in code that ptxas makes with `-g`: see `tests/labels.rs`.
    #[test]
    fn what_comes_with_a_branch_belongs_to_it() {
        let lines = [(0, 5), (0x20, 6), (0x50, 9), (0x80, 11), (0x90, 13)];
        let mut k = section(3, &[("k", 0)], &lines);
        // After the first branch comes what belongs to the next block, before the second a BSSY;
        // the kernel exits at 0xb0.
        k.branch_setup = vec![0x70];
        k.exits = vec![0xb0, 0xe0];
        let image = CodeFacts { sections: vec![k], ..CodeFacts::default() };
        let parsed = ptx_syntax::parse(BRANCHES);
        let lines = LineIndex::new(BRANCHES);
        let facts =
            PtxFacts::collect(&parsed.module, Release::V13_0.target(80), &lines, &|_| None, &mut Vec::new());
        let found = Labels::new(&facts, &image);
        let at = |label| found.address(label).map(|at| at.offset);
        let labels = ["$after", "$next", "$before", "$out", "$block", "$end"].map(at);
        assert_eq!(labels, [0x30, 0x30, 0x70, 0x90, 0xc0, 0x100].map(Some));
    }

    #[test]
    fn what_the_code_generator_says_wins() {
        let named = LabelAddress { symbol: SymbolIndex(9), offset: 0x70 };
        let f = section(3, &[("f", 0)], &[(0, 5)]);
        let labels = [("$first".to_owned(), named)].into_iter().collect();
        let image = CodeFacts { sections: vec![f], labels, ..CodeFacts::default() };
        assert_eq!(places(&image, ["$first"]), [Some((9, 0x70))]);
    }
}
