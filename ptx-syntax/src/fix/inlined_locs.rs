//! Inlined calls of `.debug_info` entries as `.loc` with `inlined_at`, which go without the
//! entries.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::edit::{is_faulty, line_end};
use super::{Edit, versions};
use crate::check::PtxVersion;
use crate::error::SyntaxError;
use crate::function::Body;
use crate::inlined_calls::InlinedCalls;
use crate::limits::MAX_CALL_CHAIN;
use crate::loc::LocDirective;
use crate::module::Module;
use crate::parser::Parsed;
use crate::section::{DataItem, SectionBlock};
use crate::statement::Statement;

/// The least version with `function_name` and `inlined_at` (PTX ISA §.loc). ptxas 13.0.88 takes
/// them from 7.0 on.
const LEAST_VERSION: PtxVersion = PtxVersion::new(7, 2);

/// File, line and column of a `.loc`, in the bits that ptxas compares.
type Place = (u16, u32, u32);

/// The inlined calls that a `.loc` is in, by number; 0 for none.
type ChainNumber = usize;

/// One call, and those around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Chain {
    outer: ChainNumber,
    /// The file, line and column of the call.
    site: Place,
    /// The number of the callee's name.
    name: usize,
}

/// Writes the inlined calls of a module into its `.loc` directives. `kept` are the sections that
/// stay.
pub(super) fn edits<'s, 'a: 's>(
    parsed: &Parsed<'a>,
    kept: impl Iterator<Item = &'s SectionBlock<'a>>,
) -> Vec<Edit> {
    let module = &parsed.module;
    let calls = InlinedCalls::of(module);
    if calls.is_empty() {
        return Vec::new();
    }
    let kept: Vec<&SectionBlock<'_>> = kept.collect();
    let mut writer = Writer {
        text: module.text,
        errors: &parsed.errors,
        calls: &calls,
        files: module.files().map(|file| file.index as u16).collect(),
        taken: labels(module, &kept),
        names: Vec::new(),
        name_numbers: HashMap::new(),
        next_label: 0,
        chains: Vec::new(),
        numbers: HashMap::new(),
        of_calls: HashMap::new(),
        edits: Vec::new(),
    };
    for (number, function) in module.functions().enumerate() {
        if let Some(body) = function.body.as_ref().filter(|body| !names_call_sites(body)) {
            writer.body(number, body);
        }
    }
    writer.sections(parsed, &kept);
    writer.edits
}

/// Whether the `.loc` directives of a function tell its inlined calls themselves.
fn names_call_sites(body: &Body<'_>) -> bool {
    body.statements
        .iter()
        .any(|statement| matches!(statement, Statement::Loc(loc) if loc.inlined_at.is_some()))
}

/// The labels of code and of the sections that stay.
fn labels<'a>(module: &Module<'a>, kept: &[&SectionBlock<'a>]) -> HashSet<&'a str> {
    let bodies = module.functions().filter_map(|function| function.body.as_ref());
    let of_code = bodies.flat_map(|body| &body.statements).filter_map(|statement| match statement {
        Statement::Label(label) => Some(label.text),
        _ => None,
    });
    let of_sections = kept.iter().flat_map(|section| section.items()).filter_map(|item| match item {
        DataItem::Label(label) => Some(label.text),
        _ => None,
    });
    of_code.chain(of_sections).collect()
}

fn place(file: u64, line: u64, column: u64) -> Place {
    (file as u16, line as u32, column as u32)
}

fn loc_place(loc: &LocDirective<'_>) -> Place {
    place(loc.file, loc.line, loc.column)
}

struct Writer<'w, 'a> {
    text: &'a str,
    errors: &'w [SyntaxError],
    calls: &'w InlinedCalls,
    files: HashSet<u16>,
    taken: HashSet<&'a str>,
    /// The label of each name.
    names: Vec<(String, &'w [u8])>,
    name_numbers: HashMap<&'w [u8], usize>,
    next_label: usize,
    /// All chains; the number of the first is 1.
    chains: Vec<Chain>,
    numbers: HashMap<Chain, ChainNumber>,
    /// The chain that ends with a call.
    of_calls: HashMap<usize, ChainNumber>,
    edits: Vec<Edit>,
}

impl<'w> Writer<'w, '_> {
    fn body(&mut self, function: usize, body: &Body<'_>) {
        // The chain of the last `.loc` of a place, which is the one that `inlined_at` refers to.
        let mut last: BTreeMap<Place, ChainNumber> = BTreeMap::new();
        // The `.loc` in effect, and its chain; none before its first instruction.
        let mut current: Option<(&LocDirective<'_>, Option<ChainNumber>)> = None;
        let mut instruction = 0;
        for statement in &body.statements {
            match statement {
                Statement::Loc(loc) => {
                    if let Some((unused, None)) = current {
                        last.insert(loc_place(unused), 0);
                    }
                    let is_faulty = is_faulty(self.errors, self.text, loc.range);
                    current = (!is_faulty).then_some((loc, None));
                }
                Statement::Instruction(_) => {
                    let call = self.calls.innermost(function, instruction);
                    instruction += 1;
                    let Some((loc, before)) = current else { continue };
                    let chain = self.chain(call);
                    if before == Some(chain) {
                        continue;
                    }
                    let mut lines: Vec<String> = Vec::new();
                    self.call_sites(chain, &mut last, &mut lines);
                    last.insert(loc_place(loc), chain);
                    current = Some((loc, Some(chain)));
                    let directive = self.directive(loc_place(loc), chain);
                    let indent = self.indent(loc.range.start);
                    let end = format!("{}{indent}", line_end(self.text));
                    if before.is_some() {
                        lines.push(directive);
                        lines.push(String::new());
                        let at = statement.range().start;
                        self.edits.push(Edit::insert(at, lines.join(&end)));
                    } else if chain != 0 {
                        lines.push(directive);
                        self.edits.push(Edit::new(loc.range, lines.join(&end)));
                    }
                }
                _ => {}
            }
        }
    }

    /// The number of the chain that ends with a call. A call without a line or a file is left out.
    fn chain(&mut self, innermost: Option<usize>) -> ChainNumber {
        let Some(innermost) = innermost else { return 0 };
        if let Some(chain) = self.of_calls.get(&innermost) {
            return *chain;
        }
        let parent = |call: &usize| self.calls.call(*call)?.parent;
        let calls: Vec<usize> = std::iter::successors(Some(innermost), parent).take(MAX_CALL_CHAIN).collect();
        let mut outer = 0;
        for number in calls.into_iter().rev() {
            let Some(call) = self.calls.call(number) else { continue };
            let site = place(call.file, call.line, call.column);
            let is_named = u64::from(site.0) == call.file && self.files.contains(&site.0);
            if site.1 == 0 || !is_named {
                continue;
            }
            let name = self.name(self.calls.callee(call));
            let chain = Chain { outer, site, name };
            outer = *self.numbers.entry(chain).or_insert_with(|| {
                self.chains.push(chain);
                self.chains.len()
            });
        }
        self.of_calls.insert(innermost, outer);
        outer
    }

    /// The number of a callee's name.
    fn name(&mut self, name: &'w [u8]) -> usize {
        if let Some(number) = self.name_numbers.get(name) {
            return *number;
        }
        let label = loop {
            let label = format!("$L__info_string{}", self.next_label);
            self.next_label += 1;
            if !self.taken.contains(label.as_str()) {
                break label;
            }
        };
        self.name_numbers.insert(name, self.names.len());
        self.names.push((label, name));
        self.names.len() - 1
    }

    /// Adds a `.loc` for each call site of a chain that is not the last of its place, the outermost
    /// first.
    fn call_sites(
        &self,
        chain: ChainNumber,
        last: &mut BTreeMap<Place, ChainNumber>,
        lines: &mut Vec<String>,
    ) {
        let of = |number: ChainNumber| self.chains.get(number.checked_sub(1)?);
        let sites: Vec<&Chain> = std::iter::successors(of(chain), |chain| of(chain.outer)).collect();
        for Chain { outer, site, .. } in sites.into_iter().rev() {
            if last.insert(*site, *outer) != Some(*outer) {
                lines.push(self.directive(*site, *outer));
            }
        }
    }

    fn directive(&self, (file, line, column): Place, chain: ChainNumber) -> String {
        let loc = format!(".loc\t{file} {line} {column}");
        let Some(Chain { site, name, .. }) = chain.checked_sub(1).and_then(|at| self.chains.get(at)) else {
            return loc;
        };
        let label = self.names.get(*name).map_or("", |(label, _)| label);
        let (file, line, column) = site;
        format!("{loc}, function_name {label}, inlined_at {file} {line} {column}")
    }

    /// The blanks at the start of the line of an offset.
    fn indent(&self, offset: u32) -> &str {
        let before = self.text.get(..offset as usize).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        line.get(..blanks).unwrap_or_default()
    }

    /// Adds the names to `.debug_str`, or a section of that name, and raises the version.
    fn sections(&mut self, parsed: &Parsed<'_>, kept: &[&SectionBlock<'_>]) {
        if self.names.is_empty() {
            return;
        }
        let end = line_end(self.text);
        let mut data = String::new();
        for (label, name) in &self.names {
            let bytes = name.iter().chain([&0]).map(u8::to_string);
            data.extend([label, ":", end, ".b8 ", &bytes.collect::<Vec<_>>().join(","), end]);
        }
        // Blocks of one name do not follow each other in the section: ptxas lays one over the
        // other.
        let is_named = |section: &&&SectionBlock<'_>| section.name.text == ".debug_str";
        let edit = if let Some(section) = kept.iter().rev().find(is_named) {
            Edit::insert(section.close.start, format!("{end}{data}"))
        } else {
            let begins = if self.text.ends_with('\n') { "" } else { end };
            let section = format!("{begins}\t.section\t.debug_str{end}\t{{{end}{data}\t}}{end}");
            Edit::insert(self.text.len() as u32, section)
        };
        self.edits.push(edit);
        self.edits.extend(versions::raise_to(&parsed.module, LEAST_VERSION));
    }
}
