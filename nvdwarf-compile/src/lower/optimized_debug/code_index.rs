//! The addresses of optimised code that belong to an inlined call or a block.

use super::error::Result;
use super::{CALLS, RemainingWork};
use crate::code_facts::CodeSection;
use crate::lower::ptx_facts::PtxFacts;
use crate::lower::{Context, LoweredSection};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::SymbolIndex;
use nv_debug_sections::line;
use nv_debug_sections::line::RowTable;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The code of a function.
#[derive(Debug, Clone)]
pub(super) struct FunctionCode {
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
    /// The numbers of the callee's names, any of which the line table may have.
    pub(super) names: Vec<usize>,
    /// File of the call site.
    pub(super) file: u64,
    /// Line of the call site.
    pub(super) line: u64,
}

/// An inlined call as a key: number of the caller's node, file and line of the call site, name of
/// the callee.
type CallKey = (usize, u64, u64, usize);

/// Names by number, so that they are compared once.
#[derive(Debug, Default)]
pub(super) struct Names<'p>(HashMap<&'p [u8], usize>);

impl<'p> Names<'p> {
    /// The number of a name.
    pub(super) fn number(&mut self, name: &'p [u8]) -> usize {
        let new = self.0.len();
        *self.0.entry(name).or_insert(new)
    }
}

/// Chains of inlined calls, outermost first, with the addresses that are in them.
#[derive(Debug, Default)]
struct Chains {
    /// Node of each code section.
    roots: HashMap<SymbolIndex, usize>,
    below: HashMap<CallKey, usize>,
    /// The code ranges of each node, ascending.
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

    /// Adds a range to each of the calls that it is in: file and line of the call site, name of the
    /// callee.
    fn add(&mut self, root: usize, range: (u64, u64), calls: Vec<(u64, u64, usize)>) {
        let mut node = root;
        for (file, line, name) in calls {
            let step = (node, file, line, name);
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

pub(super) struct CodeIndex<'p> {
    context: &'p Context<'p>,
    chains: Chains,
    pub(super) names: Names<'p>,
    /// Code of each function, in the first section that has it.
    homes: HashMap<&'p str, FunctionCode>,
    /// By section of the image.
    lines: Vec<ByLine>,
}

impl<'p> CodeIndex<'p> {
    /// Reads the chains of call sites from the line table that was made.
    ///
    /// # Errors
    ///
    /// It cannot be decoded, or needs too much work.
    pub(super) fn new(
        context: &'p Context<'p>,
        lines: Option<&LoweredSection>,
        strings: &'p [u8],
        work: &mut RemainingWork,
    ) -> Result<Self> {
        let mut places = Self {
            context,
            chains: Chains::default(),
            names: Names::default(),
            homes: HashMap::new(),
            lines: Vec::new(),
        };
        for (section, code) in context.image.sections.iter().enumerate() {
            let ends = code.parts.iter().skip(1).map(|part| part.address).chain([code.size]);
            for (part, end) in code.parts.iter().zip(ends) {
                places.homes.entry(&part.name).or_insert_with(|| FunctionCode {
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
        // Names in the line table by their offsets.
        let mut named: HashMap<u64, usize> = HashMap::new();
        for table in line::decode(SectionKind::DebugLine.name(), &lines.bytes)? {
            for sequence in &table.sequences {
                let Some(symbol) = symbols.get(&sequence.base_offset) else { continue };
                let root = places.chains.root(*symbol);
                let rows = RowTable::new(0, &table, sequence);
                for (start, end, row) in rows.ranges() {
                    let mut name = |offset: u64| {
                        let names = &mut places.names;
                        *named.entry(offset).or_insert_with(|| {
                            let name = name_at(strings, offset);
                            // With too much work nothing comes of it.
                            names.number(if work.may_read(name) { name } else { &[] })
                        })
                    };
                    let calls = calls(&rows, row, &mut name);
                    if !work.may(calls.len(), CALLS) {
                        return work.check().map(|()| places);
                    }
                    places.chains.add(root, (start, end), calls);
                }
            }
        }
        work.check().map(|()| places)
    }

    /// The function that a label is in, where its code is in the image.
    pub(super) fn home(&self, label: &str) -> Option<FunctionCode> {
        self.home_of(self.context.facts.labels.get(label)?.function)
    }

    /// The code of a function.
    pub(super) fn home_of(&self, function: &str) -> Option<FunctionCode> {
        self.homes.get(function).cloned()
    }

    /// The node above all chains of a function's section, if it has any.
    pub(super) fn root(&self, home: &FunctionCode) -> Option<usize> {
        self.chains.roots.get(&home.symbol).copied()
    }

    /// The nodes that a call leads to from those above.
    pub(super) fn below(&self, above: &[usize], call: &Call) -> Vec<usize> {
        let Call { names, file, line } = call;
        let steps = above.iter().flat_map(|node| names.iter().map(|name| (*node, *file, *line, *name)));
        let nodes: BTreeSet<usize> = steps.filter_map(|step| self.chains.below.get(&step).copied()).collect();
        nodes.into_iter().collect()
    }

    /// How many ranges [`Places::inlined`] puts together.
    pub(super) fn count(&self, nodes: &[usize]) -> usize {
        nodes.iter().filter_map(|node| self.chains.ranges.get(*node)).map(Vec::len).sum()
    }

    /// Addresses of a function in chains of inlined calls that begin with those of the nodes.
    pub(super) fn inlined(&self, home: &FunctionCode, nodes: &[usize]) -> Vec<(u64, u64)> {
        let ranges = nodes.iter().filter_map(|node| self.chains.ranges.get(*node)).flatten();
        joined(ranges.filter_map(|(start, end)| home.clip(*start, *end)))
    }

    /// The number of the first instruction after a label.
    pub(super) fn instruction(&self, label: &str) -> Option<u64> {
        Some(self.context.facts.labels.get(label)?.next_instruction as u64)
    }

    /// Addresses of the code that PTX instructions became.
    pub(super) fn of_instructions(&self, home: &FunctionCode, ranges: &[(u64, u64)]) -> Vec<(u64, u64)> {
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

impl FunctionCode {
    /// The first address of the code, and the address after its last.
    pub(super) fn span(&self) -> (u64, u64) {
        (self.start, self.end)
    }

    fn clip(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let (start, end) = (start.max(self.start), end.min(self.end));
        (start < end).then_some((start, end))
    }
}

/// The name at an offset of `.debug_str`.
fn name_at(strings: &[u8], offset: u64) -> &[u8] {
    let name = usize::try_from(offset).ok().and_then(|offset| strings.get(offset..)).unwrap_or_default();
    name.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// The calls that a row is in, outermost first: file and line of the call site, name of the callee.
fn calls(rows: &RowTable, row: usize, name: &mut impl FnMut(u64) -> usize) -> Vec<(u64, u64, usize)> {
    let mut calls = Vec::new();
    let mut at = row;
    while let Some((caller, inlined)) = rows.caller(at).and_then(|caller| Some((caller, rows.all().get(at)?)))
    {
        let Some(site) = rows.all().get(caller) else { break };
        calls.push((site.file, site.line.into(), name(inlined.name)));
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

/// Returns the intersection of two ascending lists of disjoint ranges.
pub(super) fn common(ranges: &[(u64, u64)], others: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut common = Vec::new();
    for &(start, end) in ranges {
        let first = others.partition_point(|(_, after)| *after <= start);
        let inside = others.get(first..).unwrap_or_default().iter().take_while(|(other, _)| *other < end);
        common.extend(inside.map(|(other, after)| (start.max(*other), end.min(*after))));
    }
    common
}

/// The address ranges that belong to an entry already: disjoint, ends by starts.
#[derive(Debug, Default)]
pub(super) struct OwnedRanges(BTreeMap<u64, u64>);

impl OwnedRanges {
    /// Takes what is free of a range.
    pub(super) fn take(&mut self, (start, end): (u64, u64)) -> Vec<(u64, u64)> {
        let first = self.0.range(..start).next_back().map_or(start, |(start, _)| *start);
        let mut free = Vec::new();
        let mut at = start;
        for (&other, &after) in self.0.range(first..end) {
            if at < other {
                free.push((at, other));
            }
            at = at.max(after);
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
        let mut taken = OwnedRanges::default();
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
