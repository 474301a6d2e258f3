//! The `.loc` of a function, each with whether code has its place.

use super::reachable_code::{leaves, reached_labels};
use crate::function::Function;
use crate::loc::LocDirective;
use crate::statement::Statement;

/// A `.loc` of a function, and whether an instruction of the PTX has its place.
#[derive(Debug, Clone, Copy)]
pub struct LocCode<'l> {
    /// The directive.
    pub loc: &'l LocDirective<'l>,
    /// Whether an instruction stands between the directive and the next `.loc`. Also true for the
    /// first `.loc`, whose place the function's entry has, and for the last one where code runs on
    /// into the `}`, which ends with an instruction of its own.
    pub has_code: bool,
}

/// Returns all `.loc` of a function in text order.
pub fn loc_codes<'l>(function: &'l Function<'_>) -> Vec<LocCode<'l>> {
    let mut locs: Vec<LocCode<'l>> = Vec::new();
    let mut runs_on = true;
    let mut labels_at_end: Vec<&str> = Vec::new();
    for statement in function.body.iter().flat_map(|body| &body.statements) {
        match statement {
            Statement::Loc(loc) => locs.push(LocCode { loc, has_code: locs.is_empty() }),
            Statement::Instruction(instruction) => {
                if let Some(last) = locs.last_mut() {
                    last.has_code = true;
                }
                runs_on = !leaves(instruction);
                labels_at_end.clear();
            }
            Statement::Label(label) => labels_at_end.push(label.text),
            _ => {}
        }
    }
    if let Some(last) = locs.last_mut().filter(|last| !last.has_code) {
        let is_reached = || {
            let reached = reached_labels(function);
            labels_at_end.iter().any(|label| reached.contains(label))
        };
        last.has_code = runs_on || is_reached();
    }
    locs
}
