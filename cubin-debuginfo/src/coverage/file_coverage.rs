//! The source files and inlined functions that line rows name.

use super::{CoveredLine, FunctionCoverage};
use crate::symbolize::{Symbolizer, TableFileName};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The files met so far, one for each path, and the functions inlined from them.
#[derive(Debug)]
pub(super) struct Files<'s> {
    symbolizer: &'s Symbolizer<'s>,
    all: Vec<FileCoverage<'s>>,
    /// By unit and number there.
    by_number: HashMap<(usize, u64), usize>,
    /// By path, or by the number that is not declared.
    by_name: HashMap<(Option<&'s str>, u64), usize>,
    /// Unit and name of the callees met so far.
    callees: HashSet<(usize, u64)>,
    inlined_functions: BTreeSet<String>,
}

impl<'s> Files<'s> {
    pub(super) fn new(symbolizer: &'s Symbolizer<'s>) -> Self {
        Self {
            symbolizer,
            all: Vec::new(),
            by_number: HashMap::new(),
            by_name: HashMap::new(),
            callees: HashSet::new(),
            inlined_functions: BTreeSet::new(),
        }
    }

    pub(super) fn number(&mut self, unit: usize, file: u64) -> usize {
        if let Some(known) = self.by_number.get(&(unit, file)) {
            return *known;
        }
        let name = self.symbolizer.file(unit, file);
        let number = self.named(name);
        self.by_number.insert((unit, file), number);
        number
    }

    /// The file of a path that a table declares.
    pub(super) fn of_path(&mut self, path: &str) -> Option<usize> {
        let declared = self.symbolizer.files().find(|declared| *declared == path)?;
        Some(self.named(TableFileName::Path(declared)))
    }

    fn named(&mut self, name: TableFileName<'s>) -> usize {
        let key = match name {
            TableFileName::Path(path) => (Some(path), 0),
            TableFileName::Undeclared(number) => (None, number),
        };
        let number = *self.by_name.entry(key).or_insert(self.all.len());
        if number == self.all.len() {
            self.all.push(FileCoverage {
                name,
                functions: 0,
                instructions: 0,
                inlined: 0,
                lines: BTreeSet::new(),
                call_lines: BTreeSet::new(),
                lost_lines: BTreeSet::new(),
            });
        }
        number
    }

    /// The callee that a row names.
    pub(super) fn take_callee(&mut self, unit: usize, name: u64) {
        if self.callees.insert((unit, name)) {
            self.take_name(self.symbolizer.callee_name(unit, name).name);
        }
    }

    /// The name of an inlined function.
    pub(super) fn take_name(&mut self, name: Option<&[u8]>) {
        let name = name.filter(|name| !name.is_empty());
        self.inlined_functions.extend(name.map(|name| String::from_utf8_lossy(name).into_owned()));
    }

    pub(super) fn take(&mut self, line: CoveredLine, instructions: u64, inlined: u64) {
        if let Some(file) = self.all.get_mut(line.file) {
            file.instructions = file.instructions.saturating_add(instructions);
            file.inlined = file.inlined.saturating_add(inlined);
        }
    }

    pub(super) fn take_lines(&mut self, function: &FunctionCoverage<'_>) {
        let mut before = None;
        for line in &function.lines {
            let Some(file) = self.all.get_mut(line.file) else { continue };
            // Lines are in order of their files.
            file.functions += u64::from(before != Some(line.file));
            before = Some(line.file);
            file.lines.insert(line.line);
        }
        for line in &function.call_lines {
            if let Some(file) = self.all.get_mut(line.file) {
                file.call_lines.insert(line.line);
            }
        }
        for line in &function.lost_lines {
            if let Some(file) = self.all.get_mut(line.file) {
                file.lost_lines.insert(line.line);
            }
        }
    }

    /// The files and the names of inlined functions. A line that one function lacks is not lost
    /// where another has it.
    pub(super) fn finish(mut self) -> (Vec<FileCoverage<'s>>, BTreeSet<String>) {
        for FileCoverage { lines, call_lines, lost_lines, .. } in &mut self.all {
            call_lines.retain(|line| !lines.contains(line));
            lost_lines.retain(|line| !lines.contains(line) && !call_lines.contains(line));
        }
        (self.all, self.inlined_functions)
    }
}

/// The coverage of one source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCoverage<'s> {
    /// The path of the source file, or its number if no file table declares that number.
    pub name: TableFileName<'s>,
    /// The number of functions that have instructions on lines of this file.
    pub functions: u64,
    /// The number of instructions on lines of this file, without line 0.
    pub instructions: u64,
    /// The number of instructions on lines of this file that come from inlined code.
    pub inlined: u64,
    /// The lines of this file that have instructions.
    pub lines: BTreeSet<u32>,
    /// The lines of this file that are call sites of inlined calls and have no instructions.
    pub call_lines: BTreeSet<u32>,
    /// The lines of this file that rows of `.debug_line` name, but that no instruction and no call
    /// site of the cubin has.
    pub lost_lines: BTreeSet<u32>,
}
