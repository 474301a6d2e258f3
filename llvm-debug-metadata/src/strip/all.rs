//! Takes all debug information out.

use super::loops::strip_locations;
use crate::Result;
use crate::attachments::{header_attachments, variable_attachments};
use crate::module::{FunctionItem, ItemKind, NodeId};
use crate::rewrite::{Changes, Replacement};
use crate::statement::{Statement, StatementKind, Statements, is_debug_intrinsic};
use crate::value::Value;
use std::collections::HashMap;

pub(super) fn strip(changes: &mut Changes<'_, '_>) -> Result<()> {
    let module = changes.graph.module;
    let text = module.text;
    for (index, item) in module.items().iter().enumerate() {
        match item.kind {
            ItemKind::NamedMetadata(named) => {
                let name = named.name.slice(text);
                if name.starts_with("llvm.dbg.") || name == "llvm.gcov" {
                    changes.removed_items.insert(index);
                }
            }
            ItemKind::Variable(_) => {
                for attachment in variable_attachments(text, item.range) {
                    if attachment.kind.slice(text) == "dbg" {
                        changes.remove(attachment.range);
                    }
                }
            }
            ItemKind::Function(function) => {
                if is_intrinsic_declaration(text, &function) {
                    changes.removed_items.insert(index);
                } else {
                    strip_function(changes, &function)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether a function is the declaration of a debug intrinsic.
pub(super) fn is_intrinsic_declaration(text: &str, function: &FunctionItem) -> bool {
    let name = function.global.name.slice(text);
    let name = name.trim_start_matches('@').trim_matches('"');
    function.body.is_none() && is_debug_intrinsic(name)
}

/// Whether a statement is a debug record or a call of a debug intrinsic.
pub(super) fn is_debug_statement(statement: &Statement<'_>) -> bool {
    statement.kind == StatementKind::Record || statement.debug_intrinsic().is_some()
}

fn strip_function(changes: &mut Changes<'_, '_>, function: &FunctionItem) -> Result<()> {
    let text = changes.graph.module.text;
    for attachment in header_attachments(text, function.header) {
        if attachment.kind.slice(text) == "dbg" {
            changes.remove(attachment.range);
        }
    }
    let Some(body) = function.body else { return Ok(()) };
    // One new identity for all instructions of a function that have the same old one.
    let mut loops: HashMap<NodeId, Option<NodeId>> = HashMap::new();
    let mut statements = Statements::new(text, body);
    while let Some(statement) = statements.next_statement() {
        if is_debug_statement(&statement) {
            changes.remove(statement.with_line());
            continue;
        }
        for attachment in statement.attachments() {
            let kind = attachment.kind.slice(text);
            if matches!(kind, "dbg" | "heapallocsite" | "DIAssignID") {
                changes.remove(attachment.range);
            } else if kind == "llvm.loop"
                && let Value::Number(number) = attachment.value
            {
                let old = changes.graph.numbered(number, attachment.value_range)?;
                let new = match loops.get(&old) {
                    Some(new) => *new,
                    None => strip_locations(&mut changes.graph, old)?,
                };
                loops.insert(old, new);
                match new {
                    None => changes.remove(attachment.range),
                    Some(new) if new != old => changes.edit(attachment.value_range, Replacement::Node(new)),
                    Some(_) => {}
                }
            }
        }
    }
    Ok(())
}
