//! Repairs of debug directives: small edits of the text, after which ptxas 13.0.88 accepts what it
//! rejected and no debug information gets lost silently.
//!
//! [`fix`] makes all the chosen repairs, one after the other, until none has anything left to do;
//! so fixing twice changes nothing. A default repair that would make ptxas refuse, in some mode,
//! what it accepts is left out. Of a text that is not PTX ([`is_ptx`]), or has more than
//! [`crate::MAX_ERRORS`] syntax errors nothing is repaired. [`edits`] gives the edits of one
//! repair. [`REPAIRS`] says what each one does.

mod data;
mod edit;
mod edits;
mod entry_paths;
mod files;
mod fix_result;
mod fix_selection;
mod inlined_locs;
mod inlined_names;
mod inlining;
mod intermediate;
mod is_ptx;
mod locs;
mod moves;
mod names;
mod repairs;
mod rule_catalog;
mod strip;
mod symbols;
mod target;
mod versions;

pub use edit::{Edit, apply};
pub use edits::edits;
pub use fix_result::FixResult;
pub use fix_selection::FixSelection;
pub use is_ptx::is_ptx;
pub use repairs::{REPAIRS, Repair, RepairInfo, repair_named};
pub use rule_catalog::catalog;

use crate::check::{CheckContext, Mode, Verdict, check};
use crate::limits::{MAX_ERRORS, MAX_REPAIR_PASSES};
use crate::parser::parse;
use cuda_releases::Release;

/// Whether [`fix`] would change the text.
pub fn would_change(text: &str, fixes: &FixSelection) -> bool {
    if !is_ptx(text) {
        return false;
    }
    let repairs: Vec<Repair> = REPAIRS.iter().map(|info| info.repair).filter(|&r| fixes.has(r)).collect();
    let mut fixed = FixResult { text: text.to_owned(), applied: Vec::new() };
    repairs.iter().any(|&repair| pass(&mut fixed, &[repair], fixes))
}

/// Makes the chosen repairs until none changes the text any more. A text that is not PTX does not
/// change.
pub fn fix(text: &str, fixes: &FixSelection) -> FixResult {
    let mut fixed = FixResult { text: text.to_owned(), applied: Vec::new() };
    if !is_ptx(text) {
        return fixed;
    }
    let (others, versions): (Vec<_>, Vec<_>) = REPAIRS
        .iter()
        .map(|info| info.repair)
        .filter(|&repair| fixes.has(repair))
        .partition(|&repair| repair < Repair::BumpVersion);
    for _ in 0..MAX_REPAIR_PASSES {
        // `.version` rises only when nothing else is left to do.
        if !pass(&mut fixed, &others, fixes) && !pass(&mut fixed, &versions, fixes) {
            break;
        }
    }
    fixed
}

/// Makes each repair once. False: there was nothing to do.
fn pass(fixed: &mut FixResult, repairs: &[Repair], fixes: &FixSelection) -> bool {
    let mut from = 0;
    let mut changed = false;
    let mut accepted = None;
    while let Some((index, repair, made)) = next_edits(&fixed.text, repairs, from, fixes) {
        let text = apply(&fixed.text, &made);
        from = index + 1;
        if text == fixed.text {
            continue;
        }
        // What is done unasked must not take from ptxas what it accepts, be it for a fault that it
        // does not look at.
        if repair.info().default {
            let before = *accepted.get_or_insert_with(|| accepted_in(&fixed.text, fixes.release));
            let after = accepted_in(&text, fixes.release);
            if before.iter().zip(after).any(|(&before, after)| before && !after) {
                continue;
            }
            accepted = Some(after);
        } else {
            accepted = None;
        }
        changed = true;
        fixed.text = text;
        let count = made.len() as u32;
        match fixed.applied.iter_mut().find(|(known, _)| *known == repair) {
            // Another repair has let it see more.
            Some((_, edits)) => *edits += count,
            None => fixed.applied.push((repair, count)),
        }
    }
    changed
}

/// The modes in which the ptxas of a release takes a module.
fn accepted_in(text: &str, release: Option<Release>) -> [bool; 3] {
    let release = release.unwrap_or_default();
    let report = check(&parse(text), &CheckContext { release, ..CheckContext::default() });
    [Mode::None, Mode::Lineinfo, Mode::G].map(|mode| report.verdict(mode) == Verdict::Accept)
}

/// The first of the repairs from `from` on that has something to do, and its edits.
fn next_edits(
    text: &str,
    repairs: &[Repair],
    from: usize,
    fixes: &FixSelection,
) -> Option<(usize, Repair, Vec<Edit>)> {
    let rest = repairs.get(from..).filter(|rest| !rest.is_empty())?;
    let parsed = parse(text);
    if parsed.errors.len() > MAX_ERRORS {
        return None; // repairs go by the errors, and not all are listed
    }
    let made = |(index, &repair): (usize, &Repair)| {
        let made = edits(&parsed, repair, fixes);
        (!made.is_empty()).then_some((from + index, repair, made))
    };
    rest.iter().enumerate().find_map(made)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::check::RULES;

    #[test]
    fn the_table_is_in_order_and_agrees_with_the_rules() {
        let mut names = HashSet::new();
        for (index, info) in REPAIRS.iter().enumerate() {
            assert_eq!(info.repair as usize, index);
            assert!(names.insert(info.name), "{}", info.name);
            assert!(info.other_name.is_none_or(|name| names.insert(name)), "{}", info.name);
            for name in [Some(info.name), info.other_name].into_iter().flatten() {
                assert!(repair_named(name).is_some_and(|found| found.repair == info.repair), "{name}");
            }
        }
        for rule in &RULES {
            let answered = REPAIRS.iter().any(|info| info.rules.contains(&rule.id));
            assert_eq!(rule.details.fixable, answered, "{} {}", rule.code, rule.name);
        }
    }
}
