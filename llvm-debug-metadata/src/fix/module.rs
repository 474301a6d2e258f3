//! Repairs of flags, versions and lists of a module.

use super::edits::Edits;
use crate::check::subprogram::is_definition;
use crate::check::versions;
use crate::module::{Module, NodeId};
use crate::value::Fields;
use crate::{IrDialect, Node, NodeKind, Reference};
use std::collections::BTreeSet;

/// Gives the module flag `Debug Info Version` the value 3, where there is debug metadata.
pub(super) fn debug_info_version(module: &Module<'_>, edits: &mut Edits<'_>) {
    let has_units = module.nodes().iter().any(|node| node.body.kind == NodeKind::CompileUnit);
    let version = format!("i32 {}", versions::DEBUG_INFO_VERSION);
    match versions::debug_info_flag(module, IrDialect::of(module)) {
        Some(flag) if flag.value != versions::DEBUG_INFO_VERSION => edits.replace(flag.value_range, version),
        None if has_units => {
            let flag = format!("!{{i32 2, !\"Debug Info Version\", {version}}}");
            if let Some(number) = edits.add_node(&flag) {
                edits.add_operand(module, "llvm.module.flags", number);
            }
        }
        _ => {}
    }
}

/// Gives `!nvvmir.version` the numbers that libNVVM takes.
pub(super) fn nvvmir_version(module: &Module<'_>, edits: &mut Edits<'_>) {
    let numbers = match IrDialect::of(module) {
        IrDialect::TypedPointers => "i32 2, i32 0, i32 3, i32 1",
        IrDialect::OpaquePointers => "i32 2, i32 0, i32 3, i32 2",
    };
    let Some(named) = module.named_metadata(versions::NAME) else {
        if let Some(number) = edits.add_node(&format!("!{{{numbers}}}")) {
            edits.add_operand(module, versions::NAME, number);
        }
        return;
    };
    let mut changed = BTreeSet::new();
    for operand in Fields::new(module.text, named.operands) {
        let Some(reference) = module.reference(operand.value) else { continue };
        let Some(body) = module.body_of(reference) else { continue };
        if body.kind == NodeKind::Tuple && !versions::is_taken(module, body) && changed.insert(body.range) {
            edits.replace(body.content, numbers.to_owned());
        }
    }
}

/// Adds units of subprograms to `!llvm.dbg.cu`.
pub(super) fn list_units(module: &Module<'_>, edits: &mut Edits<'_>) {
    let listed: BTreeSet<NodeId> = module.units().into_iter().filter_map(Reference::numbered).collect();
    let mut missing = BTreeSet::new();
    for definition in module.nodes().iter().filter(|node| node.body.kind == NodeKind::Subprogram) {
        let Ok(subprogram) = Node::read(module, definition.body) else { continue };
        let unit =
            subprogram.reference("unit").and_then(Reference::numbered).filter(|_| is_definition(&subprogram));
        let is_unit =
            |id: &NodeId| module.node(*id).is_some_and(|node| node.body.kind == NodeKind::CompileUnit);
        missing.extend(unit.filter(is_unit).filter(|unit| !listed.contains(unit)));
    }
    let numbers: Vec<String> = missing
        .into_iter()
        .filter_map(|id| module.node(id))
        .map(|node| format!("!{}", node.number))
        .collect();
    edits.add_operands(module, "llvm.dbg.cu", &numbers);
}
