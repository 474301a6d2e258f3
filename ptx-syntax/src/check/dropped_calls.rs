//! Inlined calls and changes of file that the line table of ptxas will not have.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::files::Files;
use super::gates;
use super::rules::RuleId;
use super::sections::Sections;
use super::sink::Sink;
use crate::call_sites::{CallSite, CallSites};
use crate::dropped_calls::{LineTableRules, LocRow, TableFrame, loc_frames, table_frames};
use crate::function::Function;
use crate::function_kind::FunctionKind;
use crate::limits::{MAX_CALLEE_CHARS, MAX_FRAMES_SHOWN};
use crate::loc::LocDirective;
use crate::module::Module;
use crate::statement::Statement;
use dwarf2_reader::source_path;

/// The first SM whose line tables are made from those of Mercury code.
const FIRST_MERCURY_SM: u32 = 90;

/// Checks every body.
pub(super) fn check(
    module: &Module<'_>,
    files: &Files<'_, '_>,
    sections: &Sections<'_>,
    sink: &mut Sink<'_>,
) {
    if !module.functions().any(may_lose) {
        return;
    }
    let sm = module.target().and_then(|target| gates::target(target.arch()?.text, sink.release));
    let sm = sm.map_or(0, |target| target.number);
    let rules = if sm < FIRST_MERCURY_SM { LineTableRules::FromLocs } else { LineTableRules::FromMercury };
    let mut names = Names { sections, numbers: HashMap::new(), texts: Vec::new() };
    let mut call_sites = CallSites::of(module);
    for function in module.functions() {
        call_sites.begin_function();
        let Some(locs) = FunctionLocs::of(function, &mut call_sites, &mut names) else { continue };
        let shown = table_frames(&locs.rows, &locs.code, rules, locs.starts_with_code);
        let mut last = None;
        for (&index, shown) in locs.code.iter().zip(&shown) {
            let meant = loc_frames(&locs.rows, index);
            let has_line = meant.first().is_some_and(|frame| frame.line != 0);
            // Code before the first line of the function has no row to be shown with.
            let is_lost = has_line && !shown.is_empty() && *shown != meant;
            let (rule, what) = match (&meant[..], &shown[..]) {
                ([meant], [shown]) if meant.line != shown.line => continue,
                ([_], [_]) => (RuleId::FileChangeLost, "the change of file"),
                ([_], _) => (RuleId::InlinedCallLost, "the end of an inlined call"),
                _ => (RuleId::InlinedCallLost, "an inlined call"),
            };
            if !is_lost || last.replace(index) == Some(index) {
                continue;
            }
            let Some(directive) = locs.directives.get(index) else { continue };
            let (shown, meant) = (chain(shown, files, &names), chain(&meant, files, &names));
            let message = format_args!(
                "in this order of code ptxas loses {what}: it is shown as {shown}, not as {meant}"
            );
            if let Some(finding) = sink.find(rule, directive.range, message) {
                let help = if rule == RuleId::FileChangeLost {
                    "`lines --ptx` shows the file of the PTX, and `compile --line-table full` writes it"
                } else {
                    "`lines --ptx` shows the inlined calls of the PTX, and `compile --line-table full` writes them"
                };
                finding.help = Some(help.into());
            }
        }
    }
}

/// Whether a function has inlined calls, or code of several files.
fn may_lose(function: &Function<'_>) -> bool {
    let statements = function.body.iter().flat_map(|body| &body.statements);
    let mut file = None;
    let mut locs = statements.filter_map(|statement| match statement {
        Statement::Loc(loc) => Some(loc),
        _ => None,
    });
    locs.any(|loc| loc.inlined_at.is_some() || *file.get_or_insert(loc.file) != loc.file)
}

/// The `.loc` of a function.
struct FunctionLocs<'l> {
    directives: Vec<&'l LocDirective<'l>>,
    rows: Vec<LocRow>,
    /// The indices of those that instructions follow.
    code: Vec<usize>,
    /// Whether the first of these instructions is the first of the function.
    starts_with_code: bool,
}

impl<'l> FunctionLocs<'l> {
    /// The `.loc` of a function that has inlined calls or several files; `None` if it has neither,
    /// or a call without a call site in the function, which is another rule's.
    fn of(function: &'l Function<'l>, call_sites: &mut CallSites, names: &mut Names<'_>) -> Option<Self> {
        // Each function has its numbers of call sites.
        let may_lose = may_lose(function);
        let is_entry = function.kind == FunctionKind::Entry;
        let first = call_sites.next_number();
        let (directives, rows, code) = (Vec::new(), Vec::new(), Vec::new());
        let mut locs = Self { directives, rows, code, starts_with_code: !is_entry };
        let (mut is_sound, mut has_code) = (true, false);
        for statement in function.body.iter().flat_map(|body| &body.statements) {
            match statement {
                Statement::Loc(loc) => {
                    let call_site = match call_sites.take(loc) {
                        None => None,
                        Some(CallSite::Here(number)) => Some((number - first) as usize),
                        Some(CallSite::Unseen | CallSite::Elsewhere(_)) => {
                            is_sound = false;
                            None
                        }
                    };
                    let (file, line, name) = (loc.file as u16, loc.line as u32, names.number(loc));
                    locs.rows.push(LocRow { file, line, name, call_site });
                    locs.directives.push(loc);
                }
                Statement::Instruction(instruction) => {
                    // Parameters of a device function are in registers already.
                    if !has_code && !is_entry && instruction.opcode.text.starts_with("ld.param") {
                        continue;
                    }
                    let current = locs.rows.len().checked_sub(1);
                    locs.starts_with_code &= has_code || current.is_some();
                    has_code = true;
                    if let Some(current) = current.filter(|current| locs.code.last() != Some(current)) {
                        locs.code.push(current);
                    }
                }
                _ => {}
            }
        }
        (is_sound && may_lose).then_some(locs)
    }
}

/// The names of inlined functions, by numbers.
struct Names<'s> {
    sections: &'s Sections<'s>,
    numbers: HashMap<(String, u64), u32>,
    texts: Vec<String>,
}

impl Names<'_> {
    fn number(&mut self, loc: &LocDirective<'_>) -> u32 {
        let Some(at) = loc.inlined_at.as_deref() else { return 0 };
        let (label, offset) = (at.function_name.text, at.name_offset);
        if let Some(&number) = self.numbers.get(&(label.to_owned(), offset)) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(self.text(label, offset).unwrap_or_else(|| label.to_owned()));
        self.numbers.insert((label.to_owned(), offset), number);
        number
    }

    /// The name that `.debug_str` has.
    fn text(&self, label: &str, offset: u64) -> Option<String> {
        let start = self.sections.labels.get(label).map_or(0, |(_, start)| *start);
        let bytes = &self.sections.debug_str()?.assembled.bytes;
        let rest = bytes.get(usize::try_from(start.checked_add(offset)?).ok()?..)?;
        let name = rest.split(|byte| *byte == 0).next().filter(|name| !name.is_empty())?;
        Some(String::from_utf8_lossy(name).into_owned())
    }
}

/// `horner at poly.cuh:14 <- poly.cu:53`
fn chain(frames: &[TableFrame], files: &Files<'_, '_>, names: &Names<'_>) -> String {
    let mut text = String::new();
    for (depth, TableFrame { callee, file, line }) in frames.iter().take(MAX_FRAMES_SHOWN).enumerate() {
        let arrow = if depth > 0 { " <- " } else { "" };
        let name = callee.and_then(|number| names.texts.get(number as usize));
        let name = name.map(|name| format!("{} at ", short(name))).unwrap_or_default();
        let path = files.get(&u64::from(*file)).map_or("?", |file| file.path);
        let file = source_path::file_name(path);
        let _ = write!(text, "{arrow}{name}{file}:{line}");
    }
    if frames.len() > MAX_FRAMES_SHOWN {
        text.push_str(" <- ...");
    }
    text
}

/// A name, or its beginning.
fn short(name: &str) -> String {
    match name.char_indices().nth(MAX_CALLEE_CHARS) {
        Some((end, _)) => format!("{}...", name.get(..end).unwrap_or(name)),
        None => name.to_owned(),
    }
}
