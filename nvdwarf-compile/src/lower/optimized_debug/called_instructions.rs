//! The PTX instructions of inlined calls, where only the entries know of them.

use super::tree::{self, Entry, Unit};
#[allow(clippy::wildcard_imports, reason = "DW_AT_* and DW_TAG_*")]
use super::*;
use crate::lower::ptx_facts::{FunctionFacts, InstructionFacts};
use dwarf2_reader::inlined_calls::{CallRun, InlinedCall, InliningFunction, LineRun, SourceLine, divide};

/// The inlined calls of one function.
#[derive(Default)]
struct Calls<'e> {
    /// The function that the labels of the first call are in.
    name: Option<&'e str>,
    function: InliningFunction,
    /// The offset of each call's entry.
    entries: Vec<usize>,
}

impl<'e> Editor<'e> {
    /// PTX instructions of each entry of an inlined call, ascending: those between its labels, but
    /// for what the `.loc` directives say is the caller's.
    pub(super) fn called_instructions(&mut self, units: &'e [Unit]) -> HashMap<usize, Vec<(u64, u64)>> {
        let mut found = HashMap::new();
        let mut function = Calls::default();
        // Depth and number of the calls around an entry.
        let mut around: Vec<(usize, usize)> = Vec::new();
        let mut function_depth = None;
        for entry in units.iter().flat_map(|unit| &unit.entries) {
            around.retain(|(depth, _)| *depth < entry.depth);
            // A class in a function may have functions as well.
            if function_depth.is_some_and(|depth| entry.depth <= depth) {
                self.divide(std::mem::take(&mut function), &mut found);
                function_depth = None;
            }
            if entry.tag == DW_TAG_subprogram && function_depth.is_none() {
                function_depth = Some(entry.depth);
                function.function.declared = self.declared(entry);
            }
            if entry.tag != DW_TAG_inlined_subroutine {
                continue;
            }
            let parent = around.last().map(|(_, call)| *call);
            around.push((entry.depth, function.entries.len()));
            let [low, high] = [DW_AT_low_pc, DW_AT_high_pc].map(|name| self.label_of(entry, name));
            let labels = &self.context.facts.labels;
            function.name = function.name.or_else(|| Some(labels.get(low?)?.function));
            let bounds = low
                .zip(high)
                .and_then(|(low, high)| Some(self.places.instruction(low)?..self.places.instruction(high)?));
            if bounds.is_some() {
                found.insert(entry.offset, Vec::new());
            }
            let (site, declared) = (self.site(entry), self.declared(entry));
            let ranges = bounds.into_iter().collect();
            function.function.calls.push(InlinedCall { parent, site, declared, ranges });
            function.entries.push(entry.offset);
        }
        self.divide(function, &mut found);
        found
    }

    /// The line of the call of an inlined call.
    fn site(&self, entry: &Entry) -> Option<SourceLine> {
        let number = |name| tree::number(entry.attribute(name)?, self.info);
        Some(SourceLine { file: number(DW_AT_call_file)?, line: number(DW_AT_call_line)? })
    }

    /// The line at which the function of an entry is declared.
    fn declared(&self, entry: &'e Entry) -> Option<SourceLine> {
        let next = |entry: &&'e Entry| {
            let origin = self.referred(entry, DW_AT_specification);
            origin.or_else(|| self.referred(entry, DW_AT_abstract_origin))
        };
        let number = |name| {
            let mut chain = std::iter::successors(Some(entry), next).take(MAX_ORIGINS);
            chain.find_map(|entry| tree::number(entry.attribute(name)?, self.info))
        };
        Some(SourceLine { file: number(DW_AT_decl_file)?, line: number(DW_AT_decl_line)? })
    }

    /// Adds the instructions of the calls of one function.
    fn divide(&mut self, function: Calls<'_>, found: &mut HashMap<usize, Vec<(u64, u64)>>) {
        let Calls { name, function, entries } = function;
        let facts = self.context.facts;
        let Some(code) = name.and_then(|name| facts.functions.get(name)) else { return };
        if self.work.steps.is_spent() {
            return;
        }
        for CallRun { range, call } in divide(&function, &self.line_runs(code), &mut self.work.steps) {
            let chain = std::iter::successors(call, |call| function.calls.get(*call)?.parent);
            for entry in chain.filter_map(|call| entries.get(call)) {
                if !self.work.may(1, CALLS) {
                    return;
                }
                let ranges: &mut Vec<(u64, u64)> = found.entry(*entry).or_default();
                match ranges.last_mut() {
                    Some((_, end)) if *end == range.start => *end = range.end,
                    _ => ranges.push((range.start, range.end)),
                }
            }
        }
        if self.work.steps.is_spent() {
            self.work.may(1, CALLS);
        }
    }

    /// The instructions of a function by the lines of their `.loc`.
    fn line_runs(&self, code: &FunctionFacts) -> Vec<LineRun> {
        let facts = self.context.facts;
        let mut runs: Vec<LineRun> = Vec::new();
        let mut last = None;
        let instructions = facts.instructions.get(code.first_instruction..code.end_instruction);
        for (at, InstructionFacts { loc, .. }) in
            (code.first_instruction as u64..).zip(instructions.unwrap_or_default())
        {
            let Some(id) = loc.map(|loc| loc.0 as usize) else { continue };
            let Some(loc) = facts.locs.get(id) else { continue };
            // Line 0 with the column of the code before says that the place is not known.
            if loc.line == 0 && facts.columns.get(id).is_some_and(|column| *column != 0) {
                continue;
            }
            let line = SourceLine { file: loc.file.into(), line: loc.line.into() };
            match runs.last_mut().filter(|_| last == Some(id)) {
                Some(run) => run.range.end = at + 1,
                None => runs.push(LineRun { range: at..at + 1, line }),
            }
            last = Some(id);
        }
        runs
    }
}
