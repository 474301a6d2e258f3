//! Which addresses of optimised code belong to an inlined call or a block.

use super::error::Result;
use crate::code_facts::CodeSection;
use crate::lower::ptx_facts::PtxFacts;
use crate::lower::{Context, Lowered};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::SymbolIndex;
use nv_debug_sections::line;
use nv_debug_sections::line::Rows;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The code of a function.
#[derive(Debug, Clone)]
pub(super) struct Home {
    /// The code section's symbol.
    pub(super) symbol: SymbolIndex,
    /// Number of the section in the image.
    section: usize,
    start: u64,
    end: u64,
    /// Whether any of its `.loc` directives has `inlined_at`.
    pub(super) names_call_sites: bool,
}

/// One inlined call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Call {
    /// Names of the callee, any of which the line table may have.
    pub(super) names: Vec<Vec<u8>>,
    /// File of the call site.
    pub(super) file: u64,
    /// Line of the call site.
    pub(super) line: u64,
}

/// A step down a chain of calls: number of the node above, file and line of the call site, callee.
type Step = (usize, u64, u64, Vec<u8>);

/// Chains of inlined calls, outermost first, with the addresses that are in them.
#[derive(Debug, Default)]
struct Chains {
    /// Node of each code section.
    roots: HashMap<SymbolIndex, usize>,
    below: HashMap<Step, usize>,
    /// Of each node, ascending.
    ranges: Vec<Vec<(u64, u64)>>,
}

impl Chains {
    fn node(&mut self) -> usize {
        self.ranges.push(Vec::new());
        self.ranges.len() - 1
    }

    fn root(&mut self, symbol: SymbolIndex) -> usize {
        if let Some(root) = self.roots.get(&symbol) {
            return *root;
        }
        let root = self.node();
        self.roots.insert(symbol, root);
        root
    }

    fn add(&mut self, root: usize, range: (u64, u64), calls: Vec<Call>) {
        let mut node = root;
        for Call { names, file, line } in calls {
            let step = (node, file, line, names.into_iter().next().unwrap_or_default());
            node = if let Some(known) = self.below.get(&step) {
                *known
            } else {
                let new = self.node();
                self.below.insert(step, new);
                new
            };
            if let Some(ranges) = self.ranges.get_mut(node) {
                ranges.push(range);
            }
        }
    }
}

/// Addresses by PTX line.
type ByLine = HashMap<u32, Vec<(u64, u64)>>;

pub(super) struct Places<'p> {
    context: &'p Context<'p>,
    chains: Chains,
    /// Code of each function, in the first section that has it.
    homes: HashMap<&'p str, Home>,
    /// By section of the image.
    lines: Vec<ByLine>,
}

impl<'p> Places<'p> {
    /// Reads the chains of call sites from the line table that was made.
    ///
    /// # Errors
    ///
    /// It cannot be decoded.
    pub(super) fn new(context: &'p Context<'p>, lines: Option<&Lowered>, strings: &[u8]) -> Result<Self> {
        let mut places =
            Self { context, chains: Chains::default(), homes: HashMap::new(), lines: Vec::new() };
        for (section, code) in context.image.sections.iter().enumerate() {
            let ends = code.parts.iter().skip(1).map(|part| part.address).chain([code.size]);
            for (part, end) in code.parts.iter().zip(ends) {
                places.homes.entry(&part.name).or_insert_with(|| Home {
                    symbol: code.symbol,
                    section,
                    start: part.address,
                    end,
                    names_call_sites: names_call_sites(context.facts, &part.name),
                });
            }
            places.lines.push(by_line(code));
        }
        let Some(lines) = lines else { return Ok(places) };
        let symbols: HashMap<u64, SymbolIndex> =
            lines.relocs.iter().map(|reloc| (reloc.offset, SymbolIndex(reloc.symbol.0))).collect();
        for table in line::decode(SectionKind::DebugLine.name(), &lines.bytes)? {
            for sequence in &table.sequences {
                let Some(symbol) = symbols.get(&sequence.base_offset) else { continue };
                let root = places.chains.root(*symbol);
                let rows = Rows::new(0, &table, sequence);
                for (start, end, row) in rows.ranges() {
                    places.chains.add(root, (start, end), calls(&rows, row, strings));
                }
            }
        }
        Ok(places)
    }

    /// The function that a label is in, where its code is in the image.
    pub(super) fn home(&self, label: &str) -> Option<Home> {
        self.home_of(self.context.facts.labels.get(label)?.function)
    }

    /// The code of a function.
    pub(super) fn home_of(&self, function: &str) -> Option<Home> {
        self.homes.get(function).cloned()
    }

    /// Addresses of a function whose chain of inlined calls begins with `chain`.
    pub(super) fn inlined(&self, home: &Home, chain: &[Call]) -> Vec<(u64, u64)> {
        let mut nodes: BTreeSet<usize> = self.chains.roots.get(&home.symbol).copied().into_iter().collect();
        for Call { names, file, line } in chain {
            let below = |(node, name): (usize, &Vec<u8>)| {
                self.chains.below.get(&(node, *file, *line, name.clone())).copied()
            };
            let steps = nodes.iter().flat_map(|node| names.iter().map(|name| (*node, name)));
            nodes = steps.filter_map(below).collect();
        }
        let ranges = nodes.iter().filter_map(|node| self.chains.ranges.get(*node)).flatten();
        joined(ranges.filter_map(|(start, end)| home.clip(*start, *end)))
    }

    /// Number of the first instruction behind a label.
    pub(super) fn instruction(&self, label: &str) -> Option<u64> {
        Some(self.context.facts.labels.get(label)?.next_instruction as u64)
    }

    /// Addresses of the code that PTX instructions became.
    pub(super) fn of_instructions(&self, home: &Home, ranges: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let all = &self.context.facts.instructions;
        let instructions = ranges.iter().filter_map(|(low, high)| all.get(*low as usize..*high as usize));
        let lines: BTreeSet<u32> = instructions.flatten().map(|instruction| instruction.line).collect();
        let Some(code) = self.lines.get(home.section) else { return Vec::new() };
        let ranges = lines.iter().filter_map(|line| code.get(line)).flatten();
        joined(ranges.filter_map(|(start, end)| home.clip(*start, *end)))
    }
}

fn names_call_sites(facts: &PtxFacts<'_>, function: &str) -> bool {
    let instructions = facts
        .functions
        .get(function)
        .and_then(|function| facts.instructions.get(function.first_instruction..function.end_instruction));
    instructions.into_iter().flatten().any(|instruction| {
        let loc = facts.loc_at_line(instruction.line).and_then(|loc| facts.locs.get(loc.0 as usize));
        loc.is_some_and(|loc| loc.parent.is_some())
    })
}

fn by_line(code: &CodeSection) -> ByLine {
    let lines = code.ptx_lines.as_deref().unwrap_or_default();
    let ends = lines.iter().skip(1).map(|(at, _)| *at).chain([code.size]);
    let mut by_line = ByLine::new();
    for (&(start, line), end) in lines.iter().zip(ends) {
        by_line.entry(line).or_default().push((start, end));
    }
    by_line
}

impl Home {
    /// Its first address and the one behind its last.
    pub(super) fn span(&self) -> (u64, u64) {
        (self.start, self.end)
    }

    fn clip(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let (start, end) = (start.max(self.start), end.min(self.end));
        (start < end).then_some((start, end))
    }
}

/// The calls that a row is in, outermost first.
fn calls(rows: &Rows, row: usize, strings: &[u8]) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut at = row;
    while let Some((caller, inlined)) = rows.caller(at).and_then(|caller| Some((caller, rows.all().get(at)?)))
    {
        let Some(site) = rows.all().get(caller) else { break };
        let name =
            usize::try_from(inlined.name).ok().and_then(|name| strings.get(name..)).unwrap_or_default();
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
        calls.push(Call { names: vec![name], file: site.file, line: site.line.into() });
        at = caller;
    }
    calls.reverse();
    calls
}

/// Ranges, ascending, with those that touch made one.
fn joined(ranges: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut all: Vec<(u64, u64)> = ranges.collect();
    all.sort_unstable();
    let mut joined: Vec<(u64, u64)> = Vec::with_capacity(all.len());
    for (start, end) in all {
        match joined.last_mut() {
            Some((_, last)) if *last >= start => *last = end.max(*last),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// What two ascending lists of disjoint ranges have in common.
pub(super) fn common(ranges: &[(u64, u64)], others: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut common = Vec::new();
    for &(start, end) in ranges {
        let first = others.partition_point(|(_, behind)| *behind <= start);
        let inside = others.get(first..).unwrap_or_default().iter().take_while(|(other, _)| *other < end);
        common.extend(inside.map(|(other, behind)| (start.max(*other), end.min(*behind))));
    }
    common
}

/// What has an owner: disjoint ranges, ends by starts.
#[derive(Debug, Default)]
pub(super) struct Taken(BTreeMap<u64, u64>);

impl Taken {
    /// Takes what is free of a range.
    pub(super) fn take(&mut self, (start, end): (u64, u64)) -> Vec<(u64, u64)> {
        let first = self.0.range(..start).next_back().map_or(start, |(start, _)| *start);
        let mut free = Vec::new();
        let mut at = start;
        for (&other, &behind) in self.0.range(first..end) {
            if at < other {
                free.push((at, other));
            }
            at = at.max(behind);
        }
        if at < end {
            free.push((at, end));
        }
        self.0.extend(free.iter().copied());
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_one_owner() {
        let mut taken = Taken::default();
        assert_eq!(taken.take((4, 8)), [(4, 8)]);
        assert_eq!(taken.take((12, 14)), [(12, 14)]);
        assert_eq!(taken.take((0, 20)), [(0, 4), (8, 12), (14, 20)]);
        assert_eq!(taken.take((2, 20)), []);
        assert_eq!(taken.take((19, 22)), [(20, 22)]);
    }

    #[test]
    fn what_is_in_both() {
        assert_eq!(
            common(&[(0, 4), (6, 20)], &[(2, 7), (9, 10), (19, 30)]),
            [(2, 4), (6, 7), (9, 10), (19, 20)]
        );
        assert_eq!(common(&[(0, 4)], &[(4, 8)]), []);
    }
}
