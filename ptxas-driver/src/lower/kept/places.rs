//! Which addresses of optimised code belong to an inlined call or a block.

use crate::lower::{Context, Lowered};
use anyhow::Result;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::SymbolIndex;
use nv_debug_sections::line;
use nv_debug_sections::symbolize::Rows;
use std::collections::{BTreeSet, HashMap};

/// The code of a function.
#[derive(Debug, Clone)]
pub(super) struct Home {
    /// The code section's symbol.
    pub(super) symbol: SymbolIndex,
    /// Number of the section in the image.
    section: usize,
    start: u64,
    end: u64,
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

/// Addresses with the inlined calls that they are in, outermost first.
#[derive(Debug)]
struct Span {
    start: u64,
    end: u64,
    calls: Vec<Call>,
}

pub(super) struct Places<'p> {
    context: &'p Context<'p>,
    spans: HashMap<SymbolIndex, Vec<Span>>,
}

impl<'p> Places<'p> {
    /// Reads the chains of call sites from the line table that was made.
    ///
    /// # Errors
    ///
    /// It cannot be decoded.
    pub(super) fn new(context: &'p Context<'p>, lines: Option<&Lowered>, strings: &[u8]) -> Result<Self> {
        let mut spans: HashMap<SymbolIndex, Vec<Span>> = HashMap::new();
        let Some(lines) = lines else { return Ok(Self { context, spans }) };
        let symbols: HashMap<u64, SymbolIndex> =
            lines.relocs.iter().map(|reloc| (reloc.offset, reloc.symbol)).collect();
        for table in line::decode(SectionKind::DebugLine.name(), &lines.bytes)? {
            for sequence in &table.sequences {
                let Some(symbol) = symbols.get(&sequence.base_offset) else { continue };
                let rows = Rows::new(0, &table, sequence);
                let span = |(start, end, row)| Span { start, end, calls: calls(&rows, row, strings) };
                spans.entry(*symbol).or_default().extend(rows.ranges().map(span));
            }
        }
        Ok(Self { context, spans })
    }

    /// The function that a label is in, where its code is in the image.
    pub(super) fn home(&self, label: &str) -> Option<Home> {
        let function = self.context.facts.labels.get(label)?.function;
        self.context.image.sections.iter().enumerate().find_map(|(section, code)| {
            let part = code.parts.iter().position(|part| part.name == function)?;
            let start = code.parts.get(part)?.address;
            let end = code.parts.get(part + 1).map_or(code.size, |next| next.address);
            Some(Home { symbol: code.symbol, section, start, end })
        })
    }

    /// Addresses of a function whose chain of inlined calls begins with `chain`.
    pub(super) fn inlined(&self, home: &Home, chain: &[Call]) -> Vec<(u64, u64)> {
        let is_in = |span: &&Span| {
            span.calls.len() >= chain.len() && chain.iter().zip(&span.calls).all(|(entry, row)| entry.is(row))
        };
        let spans = self.spans.get(&home.symbol).map(Vec::as_slice).unwrap_or_default();
        joined(spans.iter().filter(is_in).filter_map(|span| home.clip(span.start, span.end)))
    }

    /// Addresses of the code that the PTX between two labels became.
    pub(super) fn between(&self, home: &Home, low: &str, high: &str) -> Vec<(u64, u64)> {
        let facts = self.context.facts;
        let index = |label: &str| facts.labels.get(label).map(|label| label.next_instruction);
        let instructions =
            index(low).zip(index(high)).and_then(|(low, high)| facts.instructions.get(low..high));
        let lines: BTreeSet<u32> =
            instructions.unwrap_or_default().iter().map(|instruction| instruction.line).collect();
        let code = self.context.image.sections.get(home.section).and_then(|code| code.ptx_lines.as_deref());
        let code = code.unwrap_or_default();
        let ends = code.iter().skip(1).map(|(at, _)| *at).chain([home.end]);
        let rows = code.iter().zip(ends).filter(|((_, line), _)| lines.contains(line));
        joined(rows.filter_map(|((start, _), end)| home.clip(*start, end)))
    }
}

impl Home {
    fn clip(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let (start, end) = (start.max(self.start), end.min(self.end));
        (start < end).then_some((start, end))
    }
}

impl Call {
    /// Whether an entry's call is the one that a row names.
    fn is(&self, row: &Self) -> bool {
        (self.file, self.line) == (row.file, row.line)
            && row.names.iter().any(|name| self.names.contains(name))
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
