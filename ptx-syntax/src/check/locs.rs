//! Checks of `.loc`.

use std::collections::{HashMap, HashSet};

use super::files::Files;
use super::gates::Gates;
use super::loc_equality::is_same_loc;
use super::ptxas_transcript::{DELETED_SYMBOL, Level, Modes, Phase};
use super::reachable_code::{LiveInstructions, leaves, reached_functions, reached_labels};
use super::release_behaviour::ReleaseBehaviour;
use super::rules::RuleId;
use super::sections::Sections;
use super::sink::Sink;
use super::zero_lines::ZeroLines;
use super::{CheckContext, ModuleFacts};
use crate::call_sites::{CallSite, CallSites};
use crate::function::Function;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::limits::MAX_CALL_CHAIN;
use crate::loc::{InlinedAt, LocDirective};
use crate::module::Module;
use crate::number::Literal;
use crate::statement::Statement;
use crate::text_range::TextRange;

/// The context of the check of `.loc` directives: the files, the sections and the options.
pub(super) struct LocContext<'s, 'm, 'a> {
    pub(super) files: &'s Files<'m, 'a>,
    pub(super) sections: &'s Sections<'a>,
    pub(super) options: &'s CheckContext<'s>,
}

/// The inlined calls of the `.loc` directives of a function.
struct InlinedCalls<'l> {
    /// None where one is not inlined.
    list: Vec<Option<InlinedCall<'l>>>,
    /// Number of the first, as [`CallSites`] counts.
    first: u32,
}

/// An inlined `.loc`.
struct InlinedCall<'l> {
    at: &'l InlinedAt<'l>,
    /// Its name has no label.
    unresolved: bool,
    /// The `.loc` that its call site stands for.
    caller: Option<u32>,
}

impl<'l> InlinedCalls<'l> {
    /// The calls that lead to the last of the first `count` `.loc`, the innermost first.
    fn chain(&self, count: usize) -> impl Iterator<Item = &InlinedCall<'l>> {
        let call = |index: usize| self.list.get(index)?.as_ref();
        let caller =
            move |of: &&InlinedCall<'l>| of.caller.and_then(|number| call((number - self.first) as usize));
        std::iter::successors(count.checked_sub(1).and_then(call), caller).take(MAX_CALL_CHAIN)
    }

    fn has_unresolved(&self) -> bool {
        self.list.iter().flatten().any(|call| call.unresolved)
    }
}

/// Checks every `.loc` of every body.
pub(super) fn check(
    module: &Module<'_>,
    known: &ModuleFacts,
    context: &LocContext<'_, '_, '_>,
    gates: &mut Gates,
    sink: &mut Sink<'_>,
) {
    let mut locs = LocChecker {
        context,
        known,
        call_sites: CallSites::of(module),
        undeclared: HashSet::new(),
        needs_names: context.options.relocatable && !context.sections.has_bytes(".debug_str"),
        unresolved: Vec::new(),
        named: Vec::new(),
        first: None,
        column_lost: None,
        ends: HashMap::new(),
        past_end: HashSet::new(),
    };
    for (index, function) in module.functions().enumerate() {
        locs.function(index, function, gates, sink);
    }
    locs.check_module(module, sink);
}

struct LocChecker<'s, 'm, 'a> {
    context: &'s LocContext<'s, 'm, 'a>,
    known: &'s ModuleFacts,
    call_sites: CallSites,
    undeclared: HashSet<u64>,
    /// Whether ptxas fails over any row of an inlined call.
    needs_names: bool,
    unresolved: Vec<Unresolved>,
    /// The functions with a row of an inlined call, each with its first such row and whether its
    /// code can run. Only functions whose rows matter are listed: see [`Locs::rows`].
    named: Vec<(usize, TextRange, bool)>,
    first: Option<TextRange>,
    column_lost: Option<(TextRange, TextRange, u32)>,
    /// Line counts of files, asked once.
    ends: HashMap<u64, Option<u32>>,
    past_end: HashSet<(u64, u64)>,
}

/// A name without a label that a row needs.
struct Unresolved {
    /// Index of the function.
    function: usize,
    /// Whether its code can run at all.
    runs: bool,
    name: String,
    range: TextRange,
}

impl LocChecker<'_, '_, '_> {
    fn function(&mut self, index: usize, function: &Function<'_>, gates: &mut Gates, sink: &mut Sink<'_>) {
        let statements = function.body.iter().flat_map(|body| &body.statements);
        let mut current: Option<&LocDirective<'_>> = None;
        let mut has_code = false;
        self.call_sites.begin_function();
        let mut calls = InlinedCalls { list: Vec::new(), first: self.call_sites.next_number() };
        let mut zero_lines = ZeroLines::new(self.context.files);
        for statement in statements {
            match statement {
                Statement::Loc(loc) => {
                    self.first.get_or_insert(loc.range);
                    self.loc(loc, sink);
                    zero_lines.loc(loc, sink);
                    let call_site = self.call_sites.take(loc);
                    let call = loc.inlined_at.as_deref().zip(call_site).map(|(at, call_site)| {
                        self.inlined(call_site, at, gates, sink);
                        let unresolved = self.function_name(at, sink);
                        let caller = match call_site {
                            CallSite::Here(number) => Some(number),
                            CallSite::Unseen | CallSite::Elsewhere(_) => None,
                        };
                        InlinedCall { at, unresolved, caller }
                    });
                    calls.list.push(call);
                    if let Some(current) = current {
                        self.against(current, loc, has_code, sink);
                    }
                    (current, has_code) = (Some(loc), false);
                }
                Statement::Instruction(instruction) => {
                    has_code = true;
                    zero_lines.instruction(instruction);
                }
                Statement::Label(label) => zero_lines.label(label.text),
                _ => {}
            }
        }
        zero_lines.end(sink);
        // It takes most of the time of all checks to tell which instructions have rows, and few
        // modules make it matter.
        if self.needs_names || calls.has_unresolved() {
            self.rows(index, function, &calls);
        }
    }

    /// Notes the rows of inlined calls that ptxas writes for a function, and the names they lack.
    fn rows(&mut self, index: usize, function: &Function<'_>, calls: &InlinedCalls<'_>) {
        let statements = function.body.iter().flat_map(|body| &body.statements);
        // How many `.loc` came so far, and the last of them.
        let (mut count, mut current): (usize, Option<&LocDirective<'_>>) = (0, None);
        let mut has_code = false;
        // Whether an instruction of the place has given a row to optimised code; those that do.
        let (mut optimised, mut kept) = (false, None);
        let (mut used, mut runs) = (false, true);
        // The place is one of dead code before: a jump to a `ret` becomes that, and has none.
        let mut inherited = false;
        let mut branches = None;
        for (at, statement) in statements.enumerate() {
            match statement {
                Statement::Loc(loc) => {
                    let call = calls.list.get(count).and_then(Option::as_ref);
                    if let Some(call) = call.filter(|_| current.is_none() && loc.line != 0) {
                        // The function's entry has the first one, even if no code follows.
                        self.named.push((index, call.at.range, true));
                        if call.unresolved {
                            self.unresolved(index, true, call.at);
                        }
                    }
                    (count, current) = (count + 1, Some(loc));
                    (used, optimised, inherited, has_code) = (false, false, false, false);
                }
                Statement::Label(label) if !runs => {
                    // What stands before has given no row.
                    runs = branches.get_or_insert_with(|| reached_labels(function)).contains(label.text);
                    inherited = has_code && runs;
                }
                Statement::Instruction(instruction) => {
                    has_code = true;
                    // A line of 0 gives no row; a row needs the names of its whole chain of calls.
                    let gives_row = !(inherited && leaves(instruction) && instruction.mnemonic() != "trap");
                    let has_line = current.is_some_and(|loc| loc.line != 0);
                    if has_line && calls.chain(count).next().is_some() {
                        let kept = kept.get_or_insert_with(|| LiveInstructions::of(function));
                        let is_first = kept.unoptimised(at) && !std::mem::replace(&mut used, true);
                        // Without -g the first one counts that optimised code keeps.
                        let is_first_optimised = runs && gives_row && !optimised && kept.optimised(at);
                        optimised |= is_first_optimised;
                        if is_first || is_first_optimised {
                            self.row(index, is_first_optimised, calls, count);
                        }
                    }
                    runs &= !leaves(instruction);
                }
                _ => {}
            }
        }
        // Code that runs into the `}` ends with an instruction of its own.
        let has_line = current.is_some_and(|loc| loc.line != 0);
        if runs && has_line && !(used && optimised) && calls.chain(count).next().is_some() {
            self.row(index, !optimised, calls, count);
        }
    }

    /// A row of an inlined call, the last of the first `count` `.loc`, of code that runs and is
    /// kept or not.
    fn row(&mut self, function: usize, runs: bool, calls: &InlinedCalls<'_>, count: usize) {
        let inlined = calls.chain(count).next().map(|call| (function, call.at.range, runs));
        self.named.extend(inlined);
        for call in calls.chain(count).filter(|call| call.unresolved) {
            self.unresolved(function, runs, call.at);
        }
    }

    fn unresolved(&mut self, function: usize, runs: bool, at: &InlinedAt<'_>) {
        let name = at.function_name.text.to_owned();
        self.unresolved.push(Unresolved { function, runs, name, range: at.range });
    }

    fn loc(&mut self, loc: &LocDirective<'_>, sink: &mut Sink<'_>) {
        let LocDirective { file, line, range, .. } = *loc;
        let files = self.context.files;
        if !files.is_empty() && !files.contains_key(&file) && self.undeclared.insert(file) {
            let message = format_args!(
                "file {file} is not declared: ptxas writes rows of a file that no reader will find"
            );
            sink.error(RuleId::UndeclaredFile, range, message);
        }
        if line > i32::MAX as u64 {
            sink.error(RuleId::LineRange, range, format_args!("line {line} is written as {}", line as i32));
        }
        self.past_end(file, line, range, sink);
    }

    /// With the source at hand: whether it has the line.
    fn past_end(&mut self, file: u64, line: u64, range: TextRange, sink: &mut Sink<'_>) {
        let Some(source_lines) = self.context.options.source_lines else { return };
        let Some(declared) = self.context.files.get(&file) else { return };
        let count = *self.ends.entry(file).or_insert_with(|| source_lines(declared.path).lines());
        let Some(count) = count.filter(|&count| line > u64::from(count)) else { return };
        if self.past_end.insert((file, line)) {
            let path = declared.path;
            let message = format_args!("line {line} is past the end of {path}, which has {count} lines");
            if let Some(finding) = sink.find(RuleId::LinePastEnd, range, message) {
                finding.related = Some((declared.range, "declared here".into()));
                finding.help = Some("a likely cause: an inlined function filed under its caller's file, or lines counted up inside one construct".into());
            }
        }
    }

    fn inlined(&self, call_site: CallSite, at: &InlinedAt<'_>, gates: &mut Gates, sink: &mut Sink<'_>) {
        // Without line information ptxas does not look at these.
        let modes = self.known.lines;
        gates.check_in(modes, RuleId::GateInline, at.range, at.range.end - 1, sink);
        let InlinedAt { file, line, column, range, .. } = *at;
        if sink.behaviour(RuleId::InlinedCallCrash) != ReleaseBehaviour::Same {
            let rule = RuleId::InlinedCallCrash;
            let release = sink.release;
            sink.error(
                rule,
                range,
                format_args!("ptxas {release} crashes over most inlined calls for sm_90"),
            );
            sink.ptxas_may_refuse(rule, Phase::Lines, range.start, modes);
        }
        match call_site {
            CallSite::Unseen => {
                let rule = RuleId::CallSiteUnseen;
                let message = format_args!(
                    "no earlier `.loc` has the place {file} {line} {column}: file, line and column must be equal"
                );
                sink.error(rule, range, message);
                let said = format_args!(
                    "Source location {} {} {} used in inlined_at directive must be used in a preceding .loc directive",
                    file as i32, line as i32, column as i32
                );
                sink.ptxas_message_at(rule, range.end - 1, Level::Error, modes, said);
            }
            CallSite::Elsewhere(_) => {
                let message = format_args!(
                    "the `.loc` of {file} {line} {column} stands in another function: the call seems to be in that one"
                );
                sink.error(RuleId::CallSiteElsewhere, range, message);
            }
            CallSite::Here(_) => {}
        }
        if at.name_offset == u64::from(at.name_offset as u32)
            && let Some((number, written)) = name_offset(at, sink.text)
            && written != at.name_offset
        {
            let message = format_args!("ptxas keeps 32 bits of the offset {written}: {}", at.name_offset);
            sink.error(RuleId::NameOffsetCut, number, message);
        }
    }

    /// Checks the name. True: no label, which ptxas finds out when it writes the line table.
    fn function_name(&self, at: &InlinedAt<'_>, sink: &mut Sink<'_>) -> bool {
        let name = at.function_name.text;
        let sections = self.context.sections;
        let start = match sections.labels.get(name) {
            Some(&(section, offset)) => {
                let holder = sections.name(section);
                if holder != ".debug_str" {
                    let message = format_args!(
                        "`{name}` is a label of {holder}: ptxas takes its offset {offset} for one of .debug_str"
                    );
                    sink.error(RuleId::NameElsewhere, at.function_name.range, message);
                    return false;
                }
                offset
            }
            // With this number ptxas takes the name for a label that it does not know.
            None if name == ".debug_str" && at.name_offset == u64::from(u32::MAX) => {
                let release = sink.release;
                let message =
                    format_args!("ptxas {release} knows no `{name}+{}`: expected a smaller number", u32::MAX);
                sink.error(RuleId::NameUnresolved, at.function_name.range, message);
                return true;
            }
            None if name == ".debug_str" => 0,
            None => {
                let message = format_args!(
                    "`{name}` is not a label of .debug_str, which holds the names of inlined functions"
                );
                if let Some(finding) = sink.find(RuleId::NameUnresolved, at.function_name.range, message) {
                    finding.help = Some(if sections.debug_str().is_some() {
                        format!("define `{name}:` in .debug_str, before the bytes of the name")
                    } else {
                        "add `.section .debug_str { ... }` with the label and the name".into()
                    });
                }
                return true;
            }
        };
        let size = sections.debug_str().map_or(0, |section| section.assembled.bytes.len() as u64);
        let offset = start.saturating_add(at.name_offset);
        if offset >= size {
            let message = format_args!("offset {offset} lies past the {size} bytes of .debug_str");
            sink.error(RuleId::NamePastEnd, at.range, message);
        }
        false
    }

    /// One directive against the one in effect before it.
    fn against(
        &mut self,
        current: &LocDirective<'_>,
        loc: &LocDirective<'_>,
        has_code: bool,
        sink: &mut Sink<'_>,
    ) {
        if is_same_loc(current, loc) {
            if let Some(finding) =
                sink.find(RuleId::RedundantLoc, loc.range, format_args!("this place is in effect already"))
            {
                finding.related = Some((current.range, "since here".into()));
            }
        } else if has_code
            && loc.column != current.column
            && (loc.file, loc.line) == (current.file, current.line)
        {
            let moved = LocDirective { column: current.column, ..loc.clone() };
            if is_same_loc(current, &moved) {
                let (_, _, count) = self.column_lost.get_or_insert((loc.range, current.range, 0));
                *count += 1;
            }
        }
    }

    /// What is said once.
    fn check_module(&self, module: &Module<'_>, sink: &mut Sink<'_>) {
        let Some(first) = self.first else { return };
        if self.context.files.is_empty() {
            let rule = RuleId::NoFile;
            sink.error(rule, first, format_args!("the module has `.loc`, but declares no file"));
            let said = ".loc directive without .file directive is found, line information in generated binary may not be complete";
            sink.ptxas_message(rule, Phase::Symbols, 0, Level::Warning, Modes::ALL, format_args!("{said}"));
        }
        if let Some((range, before, count)) = self.column_lost {
            let others = count - 1;
            let message = format_args!(
                "only a column tells this from the place before, here and in {others} more: ptxas writes no columns"
            );
            if let Some(finding) = sink.find(RuleId::ColumnLost, range, message) {
                finding.related = Some((before, "the place before".into()));
                finding.help = Some(
                    "a reader gets the columns back from the PTX line (.nv_debug_line_sass) and the PTX text"
                        .into(),
                );
            }
        }
        let unasked = module.version().is_some_and(|version| version.major >= 4);
        if unasked && !self.known.debug {
            let message = "this gives line information without any option, and puts the PTX text into the cubin; --suppress-debug-info takes both away";
            sink.error(RuleId::LinesWithoutOption, first, format_args!("{message}"));
        }
        self.say_unresolved(module, sink);
    }

    /// ptxas finds them while it writes the line table of a function: with `-g` of every one, else
    /// of what a kernel reaches. Of code that runs it drops more than is seen here.
    fn say_unresolved(&self, module: &Module<'_>, sink: &mut Sink<'_>) {
        let relocatable = self.context.options.relocatable;
        let nameless = if self.needs_names { &*self.named } else { &[] };
        if self.unresolved.is_empty() && nameless.is_empty() {
            return;
        }
        let reached = reached_functions(module);
        let modes = |function, runs| {
            // With -c every function is compiled.
            let written = runs && (relocatable || reached.contains(&function));
            if written { self.known.lines } else { Modes::G }
        };
        for (index, &(function, range, runs)) in nameless.iter().enumerate() {
            let rule = RuleId::NamesMissing;
            if index == 0 {
                let message =
                    "with -c ptxas fails over an inlined call in a module without the bytes of a .debug_str";
                sink.error(rule, range, format_args!("{message}"));
            }
            let (said, modes) = (format_args!("{DELETED_SYMBOL}"), modes(function, runs));
            sink.ptxas_message(rule, Phase::Sections, u32::MAX, Level::Fatal, modes, said);
        }
        for Unresolved { function, runs, name, range } in &self.unresolved {
            let modes = modes(*function, *runs);
            let said = format_args!("Unresolved label '{name}' used in function_name attribute.");
            sink.ptxas_message(RuleId::NameUnresolved, Phase::Lines, range.start, Level::Error, modes, said);
        }
    }
}

/// N of `function_name LABEL+N, inlined_at ...` as written, and where.
fn name_offset(at: &InlinedAt<'_>, text: &str) -> Option<(TextRange, u64)> {
    let mut lexer = Lexer::new(text, at.function_name.range.end);
    if lexer.next_significant().kind != TokenKind::Plus {
        return None;
    }
    let Token { kind, range } = lexer.next_significant();
    (kind == TokenKind::Integer).then(|| (range, Literal::read(range.slice(text)).value))
}
