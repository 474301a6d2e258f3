//! Repairs that take the lines of an intermediate language out.

use super::versions::version;
use super::{Edit, FixSelection};
use crate::check::{PtxVersion, RuleId};
use crate::module::Item;
use crate::parser::Parsed;
use crate::statement::Statement;
use crate::text_range::TextRange;

/// The rules whose findings go with the directives.
pub(super) const RULES: &[RuleId] = &[RuleId::GateIntermediateLoc, RuleId::GateIntermediateSources];

/// The first version that has the directives.
const SINCE: PtxVersion = PtxVersion::new(9, 4);

/// Takes out all of them.
pub(super) fn all(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let text = parsed.module.text;
    ranges(parsed).into_iter().map(|range| Edit::delete(text, range)).collect()
}

/// Takes out what no `.version` can make right: the ptxas that is asked for does not know them.
///
/// Unless one is asked for, a module of PTX 9.4 keeps them.
pub(super) fn unknown(parsed: &Parsed<'_>, fixes: &FixSelection) -> Vec<Edit> {
    let is_older = version(&parsed.module).is_some_and(|version| version < SINCE);
    let is_unknown = !SINCE.is_known_to(fixes.release.unwrap_or_default());
    let counts = is_unknown && (is_older || fixes.release.is_some());
    if counts { all(parsed, fixes) } else { Vec::new() }
}

/// Where the directives stand, those in a wrong place too.
pub(super) fn ranges(parsed: &Parsed<'_>) -> Vec<TextRange> {
    let module = &parsed.module;
    let of_items = module.items.iter().filter_map(|item| match item {
        Item::IntermediateSources(sources) => Some(sources.range),
        Item::Unknown(range) if range.slice(module.text).starts_with(".loc_intermediate") => Some(*range),
        _ => None,
    });
    let bodies = module.functions().filter_map(|function| function.body.as_ref());
    let of_bodies = bodies.flat_map(|body| &body.statements).filter_map(|statement| match statement {
        Statement::IntermediateLoc(loc) => Some(loc.range),
        Statement::Unknown(range)
            if range.slice(module.text).starts_with(".nv_intermediate_source_section") =>
        {
            Some(*range)
        }
        _ => None,
    });
    of_items.chain(of_bodies).collect()
}
