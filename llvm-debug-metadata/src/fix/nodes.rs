//! Repairs of nodes.

use super::edits::Edits;
use crate::check::inlined::inlined_subprograms;
use crate::check::subprogram::is_definition;
use crate::module::Module;
use crate::value::Value;
use crate::{Node, NodeKind};

/// Gives definitions of subprograms the only unit of the module.
pub(super) fn subprogram_units(module: &Module<'_>, edits: &mut Edits<'_>) {
    let mut units = module.nodes().iter().filter(|node| node.body.kind == NodeKind::CompileUnit);
    let (Some(unit), None) = (units.next(), units.next()) else { return };
    for definition in module.nodes().iter().filter(|node| node.body.kind == NodeKind::Subprogram) {
        let Ok(subprogram) = Node::read(module, definition.body) else { continue };
        if !is_definition(&subprogram) {
            continue;
        }
        match subprogram.field("unit") {
            None => {
                let comma = if subprogram.fields().is_empty() { "" } else { ", " };
                edits.insert(definition.body.content.end, format!("{comma}unit: !{}", unit.number));
            }
            Some(field) if field.value == Value::Null => {
                edits.replace(field.range, format!("!{}", unit.number));
            }
            Some(_) => {}
        }
    }
}

/// Gives inlined subprograms without a linkage name their name as one.
pub(super) fn linkage_names(module: &Module<'_>, edits: &mut Edits<'_>) {
    for id in inlined_subprograms(module) {
        let Ok(subprogram) = Node::of(module, id) else { continue };
        let Some(name) = subprogram.field("name").filter(|_| !subprogram.text("name").is_empty()) else {
            continue;
        };
        let words = name.range.slice(module.text);
        match subprogram.field("linkageName") {
            None => edits.insert(name.range.end, format!(", linkageName: {words}")),
            Some(field) if subprogram.text("linkageName").is_empty() => {
                edits.replace(field.range, words.to_owned());
            }
            Some(_) => {}
        }
    }
}
