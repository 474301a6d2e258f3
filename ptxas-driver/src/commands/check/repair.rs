//! Repairs in `check`: which to make, what they did to a text, and the difference.

use super::Options;
use crate::limits::MAX_DIFF_TIME;
use findings::{RuleTable as _, Selection};
use llvm_debug_metadata::fix as llvm_ir;
use llvm_debug_metadata::fix::Repair as IrRepair;
use ptx_syntax::fix::{FixSelection, Repair, repair_named};
use similar::TextDiff;

/// A word of `--fix=`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Choice {
    /// The repairs that the table of repairs marks as made by default.
    Default,
    One(Repair),
    /// A repair of LLVM IR.
    LlvmIr(IrRepair),
}

pub(super) fn parse(word: &str) -> Result<Choice, String> {
    if word == "default" {
        return Ok(Choice::Default);
    }
    let of_ptx = repair_named(word).map(|info| Choice::One(info.repair));
    let choice = of_ptx.or_else(|| llvm_ir::repair_named(word).map(|info| Choice::LlvmIr(info.repair)));
    choice.ok_or_else(|| "no such repair; --repairs lists them".to_owned())
}

pub(super) fn parse_time(word: &str) -> Result<(u32, u32), String> {
    let both = word.split_once(',').and_then(|(time, size)| Some((time.parse().ok()?, size.parse().ok()?)));
    match both {
        Some((0, _)) => Err("ptxas takes a time of 0 for none: expected 1 or more".to_owned()),
        Some(both) => Ok(both),
        None => Err("expected two numbers below 2^32".to_owned()),
    }
}

/// What is to be repaired; nothing without `--fix` and `--diff`.
pub(super) fn fixes(options: &Options, selection: &Selection) -> Option<FixSelection> {
    let choices = options.fix.clone().or_else(|| options.diff.then(|| vec![Choice::Default]))?;
    let mut repairs = Vec::new();
    for choice in choices {
        match choice {
            // A rule that is left out has no repair either.
            Choice::Default => repairs.extend(
                FixSelection::default()
                    .repairs
                    .into_iter()
                    .filter(|repair| repair.info().rules.iter().any(|rule| selection.has(rule.rule().code))),
            ),
            Choice::One(repair) => repairs.push(repair),
            Choice::LlvmIr(_) => {}
        }
    }
    if !options.path_map.is_empty() && !repairs.contains(&Repair::PathMap) {
        repairs.push(Repair::PathMap);
    }
    let path_map = options.path_map.clone();
    Some(FixSelection {
        path_map,
        file_time: options.file_time,
        release: options.release,
        ..FixSelection::of(&repairs)
    })
}

/// What is to be repaired of LLVM IR; nothing without `--fix` and `--diff`.
pub(super) fn ir_fixes(options: &Options, selection: &Selection) -> Option<Vec<IrRepair>> {
    let choices = options.fix.clone().or_else(|| options.diff.then(|| vec![Choice::Default]))?;
    let is_wanted = |info: &&llvm_ir::RepairInfo| {
        info.default && info.rules.iter().any(|rule| selection.has(rule.rule().code))
    };
    let default = || llvm_ir::REPAIRS.iter().filter(is_wanted).map(|info| info.repair);
    let repairs = choices.into_iter().flat_map(|choice| match choice {
        Choice::Default => default().collect(),
        Choice::One(_) => Vec::new(),
        Choice::LlvmIr(repair) => vec![repair],
    });
    Some(repairs.collect())
}

/// The difference of a text to `before`, as `patch` reads it; empty if there is none.
pub(super) fn diff(name: &str, before: &str, after: &str) -> String {
    let diff = TextDiff::configure().timeout(MAX_DIFF_TIME).diff_lines(before, after);
    // As `diff` does it: a tab says where a name with blanks ends.
    let name = if name.contains(' ') { format!("{name}\t") } else { name.to_owned() };
    diff.unified_diff().header(&name, &name).to_string()
}
