//! The `.loc` of a function, each with whether code has its place.

use crate::function::Function;
use crate::loc::LocDirective;
use crate::statement::Statement;

/// A `.loc` of a function, and whether an instruction of the PTX has its place.
#[derive(Debug, Clone, Copy)]
pub struct LocCode<'l> {
    /// The directive.
    pub loc: &'l LocDirective<'l>,
    /// Whether an instruction stands between the directive and the next `.loc`, or the end of the
    /// function. Also true for the first `.loc`, whose place the function's entry has.
    ///
    /// The `}` is no instruction: where code runs on into it, that ends with the place before.
    /// Observed: ptxas 13.0.88, sm_75, sm_90 and sm_120, with `-g` and `-lineinfo`.
    pub has_code: bool,
}

/// Returns each `.loc` of a function in text order, with whether any code belongs to it.
pub fn loc_codes<'l>(function: &'l Function<'_>) -> Vec<LocCode<'l>> {
    let mut locs: Vec<LocCode<'l>> = Vec::new();
    for statement in function.body.iter().flat_map(|body| &body.statements) {
        match statement {
            Statement::Loc(loc) => locs.push(LocCode { loc, has_code: locs.is_empty() }),
            Statement::Instruction(_) => {
                if let Some(last) = locs.last_mut() {
                    last.has_code = true;
                }
            }
            _ => {}
        }
    }
    locs
}
