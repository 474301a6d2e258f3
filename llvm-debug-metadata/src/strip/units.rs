//! Units of compilation for line tables alone.

use crate::module::NodeId;
use crate::rewrite::{Graph, NewNode, NewValue};
use crate::{NodeKind, Result};

/// A unit with `LineTablesOnly` and without lists of what is in it. It is a whole unit also where
/// the old one was split.
pub(super) fn line_tables_unit<'a>(graph: &Graph<'_, 'a>, unit: NodeId) -> Result<NewNode<'a>> {
    let is_split = is_split(graph, unit)?;
    let mut fields = Vec::new();
    for (name, value) in graph.fields(unit)? {
        match name {
            "enums" | "retainedTypes" | "globals" | "imports" | "dwoId" => {}
            "splitDebugFilename" if is_split => {}
            "emissionKind" => fields.push((name, NewValue::Text("LineTablesOnly"))),
            _ => fields.push((name, value)),
        }
    }
    Ok(NewNode { kind: NodeKind::CompileUnit, is_distinct: true, fields })
}

/// Whether a unit has a `dwoId`: most of it is in another file.
pub(super) fn is_split(graph: &Graph<'_, '_>, unit: NodeId) -> Result<bool> {
    Ok(graph.field(unit, "dwoId")?.is_some_and(|value| value != NewValue::Text("0")))
}
