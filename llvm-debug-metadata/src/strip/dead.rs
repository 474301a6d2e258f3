//! Takes global variables that are gone, and units that nothing uses, out of their lists.

use crate::attachments::{header_attachments, variable_attachments};
use crate::lexer::TokenKind;
use crate::modes::EmissionKind;
use crate::module::{ItemKind, NodeId};
use crate::rewrite::{Changes, Graph, NewNode, NewValue, Replacement, node_list};
use crate::statement::{StatementKind, Statements};
use crate::value::{Fields, Value};
use crate::{Node, NodeKind, Result};
use std::collections::HashSet;

pub(super) fn strip(changes: &mut Changes<'_, '_>) -> Result<()> {
    let module = changes.graph.module;
    let Some(named) = module.named_metadata("llvm.dbg.cu").copied() else { return Ok(()) };
    let mut units = Vec::new();
    for field in Fields::new(module.text, named.operands) {
        if let Value::Number(number) = field.value {
            units.push(changes.graph.numbered(number, field.range)?);
        }
    }
    let mut live_variables = variables_of_globals(changes)?;
    let of_functions = roots_of_functions(changes)?;
    let mut live_units: HashSet<NodeId> = reached(&changes.graph, &of_functions)?
        .into_iter()
        .filter(|id| is_unit(&changes.graph, *id))
        .collect();
    let all = [&units[..], &of_functions[..]].concat();
    let found = reached(&changes.graph, &all)?.into_iter().filter(|id| is_unit(&changes.graph, *id));
    let listed: HashSet<NodeId> = units.iter().copied().collect();
    let others: Vec<NodeId> = found.filter(|id| !listed.contains(id)).collect();

    let (mut seen, mut has_dead_units) = (HashSet::new(), false);
    for unit in units.iter().copied().chain(others.iter().copied()) {
        // LLVM does not look at such units unless a function leads to them.
        if !live_units.contains(&unit) && is_without_debug(&changes.graph, unit)? {
            continue;
        }
        let variables = match changes.graph.reference(unit, "globals")? {
            Some(list) => changes.graph.operands(list)?,
            None => Vec::new(),
        };
        let (mut live, mut has_dead) = (Vec::new(), false);
        for variable in variables {
            if is_constant(&changes.graph, variable)? {
                live_variables.insert(variable);
            }
            if seen.insert(variable) {
                if live_variables.contains(&variable) {
                    live.push(NewValue::Node(variable));
                } else {
                    has_dead = true;
                }
            }
        }
        if !live.is_empty() {
            live_units.insert(unit);
        } else if !live_units.contains(&unit) {
            has_dead_units = true;
        }
        if has_dead {
            let list = changes.graph.tuple(live)?;
            let mut fields = changes.graph.fields(unit)?;
            for (name, value) in &mut fields {
                if *name == "globals" {
                    *value = NewValue::Node(list);
                }
            }
            let is_distinct = changes.graph.is_distinct(unit);
            changes.graph.replace(unit, NewNode { kind: NodeKind::CompileUnit, is_distinct, fields });
        }
    }
    if has_dead_units {
        // Live ones that no list had are in it then.
        let live = units.iter().chain(&others).filter(|unit| live_units.contains(unit));
        changes.edit(named.operands, Replacement::Pieces(node_list(live.copied()).into()));
    }
    Ok(())
}

fn is_unit(graph: &Graph<'_, '_>, id: NodeId) -> bool {
    graph.kind(id) == NodeKind::CompileUnit
}

/// Whether a unit is of the kind that asks for no debug information.
fn is_without_debug(graph: &Graph<'_, '_>, unit: NodeId) -> Result<bool> {
    let kind = Node::of(graph.module, unit)?.word("emissionKind");
    Ok(EmissionKind::from_field(kind) == Some(EmissionKind::NoDebug))
}

/// The debug information that variables of the module have.
fn variables_of_globals(changes: &mut Changes<'_, '_>) -> Result<HashSet<NodeId>> {
    let module = changes.graph.module;
    let mut live = HashSet::new();
    for item in module.items() {
        if matches!(item.kind, ItemKind::Variable(_)) {
            for attachment in variable_attachments(module.text, item.range) {
                if attachment.kind.slice(module.text) == "dbg" {
                    live.extend(changes.graph.meant(attachment.value, attachment.value_range)?);
                }
            }
        }
    }
    Ok(live)
}

/// What functions have: themselves, locations, and variables of records and intrinsics.
fn roots_of_functions(changes: &mut Changes<'_, '_>) -> Result<Vec<NodeId>> {
    let module = changes.graph.module;
    let text = module.text;
    let (mut roots, mut seen) = (Vec::new(), HashSet::new());
    for function in module.functions() {
        for attachment in header_attachments(text, function.header) {
            if attachment.kind.slice(text) == "dbg" {
                roots.extend(changes.graph.meant(attachment.value, attachment.value_range)?);
            }
        }
        let Some(body) = function.body else { continue };
        let mut statements = Statements::new(text, body);
        while let Some(statement) = statements.next_statement() {
            if statement.kind == StatementKind::Record || statement.debug_intrinsic().is_some() {
                for token in statement.tokens.iter().filter(|token| token.kind == TokenKind::MetadataNumber) {
                    let id = changes.graph.meant_by(*token, text, token.range)?;
                    roots.extend(Some(id).filter(|id| seen.insert(*id)));
                }
                continue;
            }
            for attachment in statement.attachments() {
                if attachment.kind.slice(text) == "dbg"
                    && let Some(id) = changes.graph.meant(attachment.value, attachment.value_range)?
                    && seen.insert(id)
                {
                    roots.push(id);
                }
            }
        }
    }
    Ok(roots)
}

/// The nodes that debug information leads to from `roots`, in the order in which they are met.
fn reached(graph: &Graph<'_, '_>, roots: &[NodeId]) -> Result<Vec<NodeId>> {
    let mut seen: HashSet<NodeId> = HashSet::new();
    let mut order: Vec<NodeId> = roots.iter().copied().filter(|id| seen.insert(*id)).collect();
    let mut at = 0;
    while let Some(id) = order.get(at).copied() {
        at += 1;
        let names: &[&str] = match graph.kind(id) {
            NodeKind::CompileUnit => &["globals", "enums", "retainedTypes", "imports"],
            NodeKind::Subprogram => &["scope", "unit", "type", "templateParams"],
            NodeKind::Location => &["scope", "inlinedAt"],
            NodeKind::GlobalVariableExpression => &["var"],
            NodeKind::ImportedEntity => &["entity"],
            NodeKind::TemplateTypeParameter | NodeKind::TemplateValueParameter => &["type"],
            NodeKind::GlobalVariable | NodeKind::LocalVariable => &["scope", "type"],
            NodeKind::Tuple => &[""],
            _ => &["scope", "baseType", "elements", "types"],
        };
        for (_, value) in graph.fields(id)?.into_iter().filter(|(name, _)| names.contains(name)) {
            if let NewValue::Node(next) = value
                && seen.insert(next)
            {
                order.push(next);
            }
        }
    }
    Ok(order)
}

/// Whether the value of a global variable is in its expression: one number, signed or not.
fn is_constant(graph: &Graph<'_, '_>, variable: NodeId) -> Result<bool> {
    let expression = match graph.field(variable, "expr")? {
        Some(NewValue::Text(text)) => text,
        Some(NewValue::Node(id)) => graph.body(id).map_or("", |body| body.range.slice(graph.module.text)),
        _ => return Ok(false),
    };
    let inside = expression.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'));
    let words: Vec<&str> = inside.split(',').map(str::trim).collect();
    Ok(match words[..] {
        ["DW_OP_consts" | "DW_OP_constu", _] => true,
        ["DW_OP_consts" | "DW_OP_constu", _, third] => third == "DW_OP_stack_value",
        ["DW_OP_consts" | "DW_OP_constu", _, third, fourth, _, _] => {
            third == "DW_OP_stack_value" && fourth == "DW_OP_LLVM_fragment"
        }
        _ => false,
    })
}
