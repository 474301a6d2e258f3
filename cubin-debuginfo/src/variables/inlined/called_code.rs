//! The code of inlined calls: that of their entries, less what source lines say is the caller's.

use super::Run;
use crate::limits::{INLINED_STEPS, LOCATION_STEPS};
use crate::symbolize::{ResolvedAddress, Symbolizer, TableFileName};
use crate::variables::{Scope, ScopeKind, SourcePosition, Variables};
use dwarf2_reader::WorkBudget;
use dwarf2_reader::constants as dw;
use dwarf2_reader::inlined_calls::{InlinedCall, InliningFunction, LineRun, SourceLine, divide};
use nv_debug_sections::cubin::SectionIndex;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A function with code: its section, and where it starts there.
type FunctionKey = (SectionIndex, Option<u64>);

/// The inlined calls of one function.
#[derive(Default)]
struct Calls {
    /// Index of the scope of each.
    scopes: Vec<usize>,
    function: InliningFunction,
    by_scope: HashMap<usize, usize>,
}

/// Files by number, one for each path.
#[derive(Default)]
struct FileNumbers<'f>(HashMap<TableFileName<'f>, u64>);

impl<'f> FileNumbers<'f> {
    fn of(&mut self, file: TableFileName<'f>) -> u64 {
        let new = self.0.len() as u64;
        *self.0.entry(file).or_insert(new)
    }

    fn line(&mut self, position: SourcePosition<'f>) -> Option<SourceLine> {
        Some(SourceLine { file: self.of(TableFileName::Path(position.file?)), line: position.line })
    }
}

/// The call that a call was inlined into; `None` if the function itself makes it.
pub(super) fn caller(scopes: &[Scope], call: usize) -> Option<usize> {
    let mut scope = scopes.get(call)?.parent?;
    loop {
        let around = scopes.get(scope)?;
        match around.kind {
            ScopeKind::Inlined => return Some(scope),
            ScopeKind::Block => scope = around.parent?,
            ScopeKind::Unit | ScopeKind::Function | ScopeKind::Abstract => return None,
        }
    }
}

/// The scope of the function that a call was inlined into.
fn of_function(scopes: &[Scope], call: usize) -> Option<&Scope> {
    let around = |scope: &&Scope| scopes.get(scope.parent?);
    std::iter::successors(scopes.get(call), around).find(|scope| scope.kind == ScopeKind::Function)
}

/// Finds the code of each inlined call of units whose line tables have no calls; and whether there
/// is too much of it, so that some is missing.
pub(super) fn find(variables: &Variables<'_>, symbolizer: &Symbolizer<'_>) -> (Vec<Run>, bool) {
    let size = variables.entries().bytes().len() as u64;
    let mut budget = WorkBudget::of_input(size, LOCATION_STEPS);
    let mut files = FileNumbers::default();
    let functions = calls(variables, &mut files, &mut budget);
    let sections: BTreeSet<SectionIndex> = functions.keys().map(|(section, _)| *section).collect();
    let mut code: BTreeMap<FunctionKey, Vec<LineRun>> = BTreeMap::new();
    let mut rows = 0;
    for section in sections {
        for (range, place) in symbolizer.source_ranges(section) {
            let Some(line) = line_of(&place, &mut files) else { continue };
            let key = (section, place.function.map(|function| function.offset));
            code.entry(key).or_default().push(LineRun { range, line });
            rows += 1;
        }
    }
    let mut steps = WorkBudget::of_input(size.saturating_add(rows), INLINED_STEPS);
    let mut runs = Vec::new();
    for (key, Calls { scopes, function, .. }) in &functions {
        let code = code.get(key).map_or(&[][..], Vec::as_slice);
        runs.extend(divide(function, code, &mut steps).into_iter().filter_map(|run| {
            let scope = *scopes.get(run.call?)?;
            Some(Run { section: key.0, range: run.range, scope })
        }));
    }
    runs.sort_by_key(|run| (run.section, run.range.start));
    (runs, budget.is_spent() || steps.is_spent())
}

/// The source line of a place; `None` where the line table says itself what was inlined.
fn line_of<'s>(place: &ResolvedAddress<'s>, files: &mut FileNumbers<'s>) -> Option<SourceLine> {
    if place.has_contexts() {
        return None;
    }
    let frame = place.frames().next()?;
    Some(SourceLine { file: files.of(frame.file), line: frame.line.into() })
}

/// The inlined calls of each function, by the functions of the cubin that their code is in.
fn calls<'f>(
    variables: &'f Variables<'_>,
    files: &mut FileNumbers<'f>,
    budget: &mut WorkBudget,
) -> BTreeMap<FunctionKey, Calls> {
    let mut functions: BTreeMap<FunctionKey, Calls> = BTreeMap::new();
    let scopes = variables.scopes();
    for (scope, found) in scopes.iter().enumerate().filter(|(_, scope)| scope.kind == ScopeKind::Inlined) {
        let caller = caller(scopes, scope);
        let site = variables.call_site(found).and_then(|site| files.line(site));
        let mut declared = |scope: &Scope| {
            files.line(variables.source_line(scope.entry, dw::DW_AT_decl_file, dw::DW_AT_decl_line)?)
        };
        let (callee, function) = (declared(found), of_function(scopes, scope).and_then(&mut declared));
        for stretch in found.code.iter().take_while(|_| budget.take(1)) {
            let code = variables.code().function_at(stretch.section, stretch.range.start);
            let key = (stretch.section, code.map(|function| function.offset));
            let Calls { scopes, function: InliningFunction { declared, calls }, by_scope } =
                functions.entry(key).or_default();
            *declared = declared.or(function);
            let parent = caller.and_then(|caller| by_scope.get(&caller).copied());
            let call = *by_scope.entry(scope).or_insert_with(|| {
                scopes.push(scope);
                calls.push(InlinedCall { parent, site, declared: callee, ranges: Vec::new() });
                calls.len() - 1
            });
            if let Some(call) = calls.get_mut(call) {
                call.ranges.push(stretch.range.clone());
            }
        }
    }
    functions
}
