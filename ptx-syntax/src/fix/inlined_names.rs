//! The names of inlined functions in a module: what `function_name` refers to, and where it is.

use std::collections::HashSet;

use crate::module::Module;
use crate::section::{DataItem, SectionBlock};
use crate::statement::Statement;

/// What `function_name` refers to: labels, or `.debug_str`.
pub(super) fn function_names<'a>(module: &Module<'a>) -> HashSet<&'a str> {
    let bodies = module.functions().filter_map(|function| function.body.as_ref());
    let at = bodies.flat_map(|body| &body.statements).filter_map(|statement| match statement {
        Statement::Loc(loc) => loc.inlined_at.as_deref(),
        _ => None,
    });
    at.map(|at| at.function_name.text).collect()
}

/// Whether a section is one of the names, or defines one.
pub(super) fn holds_any(section: &SectionBlock<'_>, names: &HashSet<&str>) -> bool {
    let defines = |item: DataItem<'_>| matches!(item, DataItem::Label(label) if names.contains(label.text));
    !names.is_empty() && (names.contains(section.name.text) || section.items().any(defines))
}
