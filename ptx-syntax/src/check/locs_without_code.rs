//! Checks of `.loc` that no instruction follows before the next `.loc` or the end of the function.

use std::collections::HashSet;

use super::files::Files;
use super::loc_code::{LocCode, loc_codes};
use super::loc_equality::is_same_loc;
use super::rules::RuleId;
use super::sink::Sink;
use crate::function::Function;
use crate::loc::LocDirective;
use crate::module::Module;
use dwarf2_reader::source_path;
use findings::Severity;

/// Checks every body.
pub(super) fn check(module: &Module<'_>, files: &Files<'_, '_>, sink: &mut Sink<'_>) {
    for function in module.functions() {
        body(function, files, sink);
    }
}

fn body(function: &Function<'_>, files: &Files<'_, '_>, sink: &mut Sink<'_>) {
    let locs = loc_codes(function);
    let is_silent = |code: &LocCode<'_>| !code.has_code && code.loc.line != 0;
    if !locs.iter().any(is_silent) {
        return;
    }
    let place = |loc: &LocDirective<'_>| (loc.file, loc.line);
    let with_code: HashSet<(u64, u64)> =
        locs.iter().filter(|code| code.has_code).map(|code| place(code.loc)).collect();
    let call_sites: HashSet<[u64; 3]> = locs
        .iter()
        .filter_map(|code| code.loc.inlined_at.as_deref())
        .map(|at| [at.file, at.line, at.column])
        .collect();
    for (code, next) in locs.iter().zip(locs.iter().skip(1).map(Some).chain([None])) {
        let LocDirective { file, line, column, range, .. } = *code.loc;
        // A call site is there for the calls that are inlined at it. Of two equal ones the other is
        // redundant.
        let is_redundant = || next.is_some_and(|next| is_same_loc(code.loc, next.loc));
        if !is_silent(code) || call_sites.contains(&[file, line, column]) || is_redundant() {
            continue;
        }
        let name = match files.get(&file) {
            Some(file) => source_path::file_name(file.path).to_owned(),
            None => format!("file {file}"),
        };
        let end = if next.is_some() { "the next `.loc`" } else { "the end of the function" };
        if with_code.contains(&place(code.loc)) {
            let message = format_args!(
                "no instruction stands between this and {end}: another `.loc` has code of line {line} of {name}"
            );
            sink.find_as(Severity::Note, RuleId::LocWithoutCode, range, message);
            continue;
        }
        let message = format_args!(
            "no instruction stands between this and {end}: line {line} of {name} has no code in `{}`, and a breakpoint there stops at another line",
            function.name.text
        );
        if let Some(finding) = sink.find(RuleId::LocWithoutCode, range, message) {
            finding.help =
                Some("put it before the instructions of its line, or leave it out if there are none".into());
        }
    }
}
