//! Inlined calls from the entries of `.debug_info`, for code whose `.loc` directives name none.

use dwarf2_reader::WorkBudget;
use dwarf2_reader::constants::{
    DW_AT_MIPS_linkage_name, DW_AT_abstract_origin, DW_AT_call_column, DW_AT_call_file, DW_AT_call_line,
    DW_AT_decl_file, DW_AT_decl_line, DW_AT_high_pc, DW_AT_linkage_name, DW_AT_low_pc, DW_AT_name,
    DW_AT_specification, DW_TAG_inlined_subroutine, DW_TAG_subprogram,
};
use dwarf2_reader::info::{Attribute, Entry, Node, Units, Value};
use dwarf2_reader::inlined_calls::{CallRun, InlinedCall, InliningFunction, LineRun, SourceLine, divide};
use dwarf2_reader::strings::string_at;
use foldhash::{HashMap, HashMapExt as _};
use std::collections::BTreeMap;
use std::ops::Range;

use crate::function::Body;
use crate::limits::{INLINED_STEPS, MAX_ORIGINS};
use crate::merged_sections::MergedSections;
use crate::module::Module;
use crate::section_data::{AssembledSection, Fixup, FixupTarget};
use crate::statement::Statement;

/// The inlined calls of a module's functions, as the entries of `.debug_info` have them.
///
/// The entry of a call has one range of code, in which code of the caller may lie too. What belongs
/// to the call is told by the lines of the `.loc` directives: see
/// [`dwarf2_reader::inlined_calls`].
#[derive(Debug, Clone, Default)]
pub struct InlinedCalls {
    calls: Vec<EntryCall>,
    /// By offset of the callee's entry.
    names: BTreeMap<EntryKey, Vec<u8>>,
    /// The innermost call of each instruction that belongs to any: by function, as they are counted
    /// among those of the module, and instruction in its body.
    innermost: HashMap<(usize, usize), usize>,
}

/// An inlined call in a PTX module, as its entry in `.debug_info` describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryCall {
    /// The number of the call that this one was inlined into; `None` for a call that the function
    /// itself makes.
    pub parent: Option<usize>,
    /// The index of the `.file` of the call.
    pub file: u64,
    /// The 1-based line of the call.
    pub line: u64,
    /// The column of the call; 0 for none.
    pub column: u64,
    callee: Option<EntryKey>,
}

/// A `.debug_info` block of the module, and the offset of an entry in it.
type EntryKey = (usize, u64);

impl InlinedCalls {
    /// Reads the inlined calls of a module. Without `.debug_info`, or where that cannot be read,
    /// there are none.
    pub fn of(module: &Module<'_>) -> Self {
        let sections = MergedSections::of(module);
        let bytes = |name: &str| {
            let section = sections.list.iter().find(|section| section.name == name);
            section.map_or_else(Vec::new, |section| patched(&section.assembled, &sections))
        };
        let (abbrev, strings) = (bytes(".debug_abbrev"), bytes(".debug_str"));
        let code = CodeLabels::of(module);
        let infos = sections.list.iter().filter(|section| section.name == ".debug_info");
        let mut found = Self::default();
        for (block, section) in infos.enumerate() {
            let info = patched(&section.assembled, &sections);
            let size = (info.len() + module.text.len()) as u64;
            let mut reader = Reader {
                block,
                strings: &strings,
                fixups: &section.assembled.fixups,
                code: &code,
                name_bytes: WorkBudget::of_strings(info.len() as u64, strings.len() as u64),
                steps: WorkBudget::of_input(size, INLINED_STEPS),
                subprograms: BTreeMap::new(),
                found: &mut found,
            };
            // What cannot be read has no calls.
            if let Ok(units) = Units::read(&info, &abbrev) {
                reader.units(&units, &info);
            }
        }
        found
    }

    /// Whether no instruction belongs to an inlined call.
    pub fn is_empty(&self) -> bool {
        self.innermost.is_empty()
    }

    /// The number of the innermost call that an instruction belongs to. `function` counts the
    /// functions of [`Module::functions`], `instruction` the instructions of its body; both are
    /// 0-based.
    pub fn innermost(&self, function: usize, instruction: usize) -> Option<usize> {
        self.innermost.get(&(function, instruction)).copied()
    }

    /// Returns the inlined call with this number (0-based), or `None` if there are fewer.
    pub fn call(&self, number: usize) -> Option<&EntryCall> {
        self.calls.get(number)
    }

    /// The name of the function that is called, mangled if its entry says so; empty if it has none.
    pub fn callee(&self, call: &EntryCall) -> &[u8] {
        call.callee.and_then(|callee| self.names.get(&callee)).map_or(&[], Vec::as_slice)
    }
}

/// The bytes of a section, with offsets in sections where fixups are.
fn patched(section: &AssembledSection<'_>, sections: &MergedSections<'_>) -> Vec<u8> {
    let mut bytes = section.bytes.clone();
    for Fixup { offset, width, target, .. } in &section.fixups {
        let value = match *target {
            FixupTarget::Section { addend, .. } => addend,
            FixupTarget::Symbol { name, addend } => match sections.label_offset(name) {
                Some(offset) => addend.wrapping_add_unsigned(offset),
                None => continue,
            },
            FixupTarget::Difference { .. } => continue,
        };
        let start = *offset as usize;
        let field = bytes.get_mut(start..start.saturating_add((*width).into()));
        field.into_iter().flatten().zip(value.to_le_bytes()).for_each(|(byte, new)| *byte = new);
    }
    bytes
}

/// Where the labels of all bodies are, and the lines of their instructions.
struct CodeLabels<'a> {
    /// The function, and the number of instructions in it before the label.
    labels: HashMap<&'a str, (usize, u64)>,
    /// The instructions of each function that a `.loc` is for, by its line.
    lines: Vec<Vec<LineRun>>,
}

impl<'a> CodeLabels<'a> {
    fn of(module: &Module<'a>) -> Self {
        let mut code = Self { labels: HashMap::new(), lines: Vec::new() };
        for (number, function) in module.functions().enumerate() {
            code.lines.push(Vec::new());
            if let Some(body) = &function.body {
                code.body(number, body);
            }
        }
        code
    }

    fn body(&mut self, number: usize, body: &Body<'a>) {
        let (mut at, mut line) = (0, None);
        let mut runs: Vec<LineRun> = Vec::new();
        let mut is_new = true;
        for statement in &body.statements {
            match statement {
                Statement::Loc(loc) => {
                    // Line 0 with the column of the code before says that the place is not known.
                    let is_known = loc.line != 0 || loc.column == 0;
                    line = is_known.then_some(SourceLine { file: loc.file, line: loc.line });
                    is_new = true;
                }
                Statement::Label(label) => {
                    self.labels.entry(label.text).or_insert((number, at));
                }
                Statement::Instruction(_) => {
                    match (line, runs.last_mut().filter(|_| !is_new)) {
                        (Some(_), Some(run)) => run.range.end = at + 1,
                        (Some(line), None) => runs.push(LineRun { range: at..at + 1, line }),
                        (None, _) => {}
                    }
                    is_new = false;
                    at += 1;
                }
                _ => {}
            }
        }
        if let Some(of_function) = self.lines.get_mut(number) {
            *of_function = runs;
        }
    }
}

/// The entry of a function: its name, and the entry that says more of it.
#[derive(Debug, Clone, Copy)]
struct Subprogram<'i> {
    linkage_name: Option<&'i [u8]>,
    name: Option<&'i [u8]>,
    file: Option<u64>,
    line: Option<u64>,
    origin: Option<u64>,
}

/// The calls of one function.
#[derive(Default)]
struct FunctionCalls {
    /// The offset of its entry.
    entry: u64,
    /// The number of the function among those of the module.
    number: Option<usize>,
    calls: Vec<InlinedCall>,
    /// The number of its first call among all.
    first: usize,
}

struct Reader<'r, 'i, 'a> {
    block: usize,
    strings: &'i [u8],
    fixups: &'r [Fixup<'a>],
    code: &'r CodeLabels<'a>,
    name_bytes: WorkBudget,
    steps: WorkBudget,
    subprograms: BTreeMap<u64, Subprogram<'i>>,
    found: &'r mut InlinedCalls,
}

impl<'i> Reader<'_, 'i, '_> {
    fn units(&mut self, units: &Units, info: &'i [u8]) {
        let before = self.found.calls.len();
        let mut functions: Vec<FunctionCalls> = Vec::new();
        for unit in units.all() {
            // Depth of the calls around an entry, and their numbers in the function.
            let mut around: Vec<(u32, usize)> = Vec::new();
            let mut function_depth = None;
            for node in units.nodes(unit, info) {
                let Ok(Node::Entry(entry)) = node else { continue };
                around.retain(|(depth, _)| *depth < entry.depth());
                function_depth = function_depth.filter(|depth| *depth < entry.depth());
                if entry.tag() == DW_TAG_subprogram {
                    self.subprogram(&entry);
                    // A class in a function may have functions as well.
                    if function_depth.is_none() {
                        function_depth = Some(entry.depth());
                        let (entry, first) = (entry.offset(), self.found.calls.len());
                        functions.push(FunctionCalls { entry, first, ..FunctionCalls::default() });
                    }
                } else if entry.tag() == DW_TAG_inlined_subroutine
                    && let Some(function) = functions.last_mut().filter(|_| function_depth.is_some())
                {
                    let number = function.calls.len();
                    self.call(&entry, around.last().map(|(_, call)| *call), function);
                    around.push((entry.depth(), number));
                }
            }
        }
        for function in functions.into_iter().filter(|function| !function.calls.is_empty()) {
            self.divide(function);
        }
        let calls = self.found.calls.get(before..).unwrap_or_default();
        let callees: Vec<EntryKey> = calls.iter().filter_map(|call| call.callee).collect();
        for callee in callees {
            if !self.found.names.contains_key(&callee) {
                let name = self.name(callee.1).to_vec();
                self.found.names.insert(callee, name);
            }
        }
    }

    fn subprogram(&mut self, entry: &Entry<'_, 'i>) {
        let text = |name| self.text(&entry.attribute(name)?);
        let number = |name| unsigned(&entry.attribute(name)?);
        let origins = [DW_AT_abstract_origin, DW_AT_specification];
        let subprogram = Subprogram {
            linkage_name: [DW_AT_linkage_name, DW_AT_MIPS_linkage_name].into_iter().find_map(text),
            name: text(DW_AT_name),
            file: number(DW_AT_decl_file),
            line: number(DW_AT_decl_line),
            origin: origins.into_iter().find_map(|name| reference(entry, name)),
        };
        self.subprograms.insert(entry.offset(), subprogram);
    }

    fn text(&self, attribute: &Attribute<'i>) -> Option<&'i [u8]> {
        match attribute.value {
            Value::String(text) => Some(text),
            Value::StringOffset(offset) => string_at(self.strings, offset),
            _ => None,
        }
    }

    /// A function's entry, and those that it refers to.
    fn origins(&self, entry: u64) -> impl Iterator<Item = Subprogram<'i>> {
        let next = |entry: &Subprogram<'i>| self.subprograms.get(&entry.origin?).copied();
        std::iter::successors(self.subprograms.get(&entry).copied(), next).take(MAX_ORIGINS)
    }

    /// The line at which a function is declared.
    fn declared(&self, entry: u64) -> Option<SourceLine> {
        let file = self.origins(entry).find_map(|entry| entry.file)?;
        Some(SourceLine { file, line: self.origins(entry).find_map(|entry| entry.line)? })
    }

    /// The name of a function: the linkage name of its entry or one that it refers to, else its
    /// name.
    fn name(&mut self, entry: u64) -> &'i [u8] {
        let linkage_name = self.origins(entry).find_map(|entry| entry.linkage_name);
        let name = linkage_name.or_else(|| self.origins(entry).find_map(|entry| entry.name));
        let name = name.unwrap_or_default();
        if self.name_bytes.take(name.len() as u64 + 1) { name } else { &[] }
    }

    fn call(&mut self, entry: &Entry<'_, 'i>, parent: Option<usize>, function: &mut FunctionCalls) {
        let number = |name| unsigned(&entry.attribute(name)?);
        let (file, line) = (number(DW_AT_call_file), number(DW_AT_call_line));
        let (of_function, range) = self.range(entry).unzip();
        function.number = function.number.or(of_function);
        let range = range.filter(|_| of_function == function.number);
        function.calls.push(InlinedCall {
            parent,
            site: file.zip(line).map(|(file, line)| SourceLine { file, line }),
            declared: None, // its entry may come later
            ranges: range.into_iter().collect(),
        });
        self.found.calls.push(EntryCall {
            parent: parent.map(|parent| function.first + parent),
            file: file.unwrap_or(0),
            line: line.unwrap_or(0),
            column: number(DW_AT_call_column).unwrap_or(0),
            callee: reference(entry, DW_AT_abstract_origin).map(|callee| (self.block, callee)),
        });
    }

    /// The function that the labels of an entry are in, and the instructions between them.
    fn range(&self, entry: &Entry<'_, '_>) -> Option<(usize, Range<u64>)> {
        let [low, high] = [DW_AT_low_pc, DW_AT_high_pc].map(|name| {
            let offset = entry.attribute(name)?.content().start;
            let at = self.fixups.binary_search_by_key(&offset, |fixup| fixup.offset).ok()?;
            match self.fixups.get(at)?.target {
                FixupTarget::Symbol { name, .. } => self.code.labels.get(name).copied(),
                _ => None,
            }
        });
        let ((function, low), (other, high)) = low.zip(high)?;
        (function == other).then_some((function, low..high))
    }

    /// Divides the code of a function among its calls.
    fn divide(&mut self, function: FunctionCalls) {
        let FunctionCalls { entry, number, mut calls, first } = function;
        let Some((number, lines)) = number.and_then(|number| Some((number, self.code.lines.get(number)?)))
        else {
            return;
        };
        if self.steps.is_spent() {
            return;
        }
        for (call, of_call) in calls.iter_mut().zip(self.found.calls.get(first..).unwrap_or_default()) {
            call.declared = of_call.callee.and_then(|(_, callee)| self.declared(callee));
        }
        let function = InliningFunction { declared: self.declared(entry), calls };
        for CallRun { range, call } in divide(&function, lines, &mut self.steps) {
            let Some(call) = call else { continue };
            let instructions = range.map(|at| ((number, at as usize), first + call));
            self.found.innermost.extend(instructions);
        }
    }
}

fn unsigned(attribute: &Attribute<'_>) -> Option<u64> {
    match attribute.value {
        Value::Data(number) | Value::Unsigned(number) => Some(number),
        Value::Signed(number) => u64::try_from(number).ok(),
        _ => None,
    }
}

/// The offset of the entry that an attribute refers to.
fn reference(entry: &Entry<'_, '_>, name: u16) -> Option<u64> {
    match entry.attribute(name)?.value {
        Value::UnitReference(offset) => entry.in_unit(offset),
        Value::InfoReference(offset) => Some(offset),
        _ => None,
    }
}
