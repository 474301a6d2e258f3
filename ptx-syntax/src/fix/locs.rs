//! The repair that removes `.loc` directives without effect.

use super::edit::is_faulty;
use super::{Edit, FixSelection};
use crate::check::same_loc;
use crate::loc::LocDirective;
use crate::parser::Parsed;
use crate::statement::Statement;

/// The first of equal ones stays, so an `inlined_at` that needs an earlier `.loc` of its place
/// still has it.
pub(super) fn redundant(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let text = parsed.module.text;
    let mut edits = Vec::new();
    for body in parsed.module.functions().filter_map(|function| function.body.as_ref()) {
        let mut current: Option<&LocDirective<'_>> = None;
        for statement in &body.statements {
            let Statement::Loc(loc) = statement else { continue };
            if is_faulty(&parsed.errors, text, loc.range) {
                current = None;
            } else if current.is_some_and(|current| same_loc(current, loc)) {
                edits.push(Edit::delete(text, loc.range));
            } else {
                current = Some(loc);
            }
        }
    }
    edits
}
