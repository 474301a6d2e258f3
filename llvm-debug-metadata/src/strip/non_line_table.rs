//! Leaves what line tables need. The order of all steps is LLVM's, since it decides which new nodes
//! are equal.

use super::Note;
use super::all::{is_debug_statement, is_intrinsic_declaration};
use super::loops::distinct_loop;
use super::units::{is_split, line_tables_unit};
use crate::attachments::{header_attachments, variable_attachments};
use crate::module::{FunctionItem, ItemKind, NamedMetadata, NodeId};
use crate::rewrite::{Changes, Graph, NewNode, NewValue, Replacement};
use crate::statement::{Attachment, Statements};
use crate::value::Fields;
use crate::{NodeKind, Result};
use std::collections::{HashMap, HashSet};

pub(super) fn strip(changes: &mut Changes<'_, '_>, notes: &mut Vec<Note>) -> Result<()> {
    let module = changes.graph.module;
    let text = module.text;
    let mut mapper = Mapper::default();
    for (index, item) in module.items().iter().enumerate() {
        match item.kind {
            ItemKind::Variable(_) => {
                let attachments = variable_attachments(text, item.range).into_iter();
                for attachment in attachments.filter(|attachment| attachment.kind.slice(text) == "dbg") {
                    changes.remove(attachment.range);
                }
            }
            ItemKind::Function(function) if is_intrinsic_declaration(text, &function) => {
                changes.removed_items.insert(index);
            }
            ItemKind::Function(function) => mapper.function(changes, &function)?,
            _ => {}
        }
    }
    for item in module.items() {
        if let ItemKind::NamedMetadata(named) = item.kind {
            mapper.named(changes, &named)?;
        }
    }
    if mapper.split_units > 0 {
        notes.push(Note::SplitUnits(mapper.split_units));
    }
    Ok(())
}

/// What nodes become.
#[derive(Debug, Default)]
struct Mapper<'a> {
    replacements: HashMap<NodeId, Option<NodeId>>,
    empty_subroutine_type: Option<NodeId>,
    /// The linkage names that subprograms had, by what they became: those with other names may not
    /// become equal.
    linkage_names: HashMap<NodeId, &'a str>,
    split_units: usize,
}

impl<'a> Mapper<'a> {
    fn function(&mut self, changes: &mut Changes<'_, 'a>, function: &FunctionItem) -> Result<()> {
        let text = changes.graph.module.text;
        for attachment in header_attachments(text, function.header) {
            if attachment.kind.slice(text) == "dbg"
                && let Some(old) = changes.graph.meant(attachment.value, attachment.value_range)?
                && let Some(new) = self.remap(&mut changes.graph, old)?
                && new != old
            {
                changes.edit(attachment.value_range, Replacement::Node(new));
            }
        }
        let Some(body) = function.body else { return Ok(()) };
        let mut statements = Statements::new(text, body);
        while let Some(statement) = statements.next_statement() {
            if is_debug_statement(&statement) {
                changes.remove(statement.with_line());
                continue;
            }
            for attachment in statement.attachments() {
                match attachment.kind.slice(text) {
                    "dbg" => self.location_attachment(changes, attachment)?,
                    "llvm.loop" => self.loop_attachment(changes, attachment)?,
                    // It leads to a type. LLVM leaves `DIAssignID`, which leads nowhere.
                    "heapallocsite" => changes.remove(attachment.range),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn location_attachment(&mut self, changes: &mut Changes<'_, 'a>, attachment: Attachment) -> Result<()> {
        let Some(old) = changes.graph.meant(attachment.value, attachment.value_range)? else { return Ok(()) };
        let new = self.location(&mut changes.graph, old)?;
        if new != old {
            changes.edit(attachment.value_range, Replacement::Node(new));
        }
        Ok(())
    }

    /// Each instruction gets an identity of its loop of its own.
    fn loop_attachment(&mut self, changes: &mut Changes<'_, 'a>, attachment: Attachment) -> Result<()> {
        let graph = &mut changes.graph;
        let Some(old) = graph.meant(attachment.value, attachment.value_range)? else { return Ok(()) };
        let mut new = vec![("", NewValue::Null)];
        for (name, value) in graph.fields(old)?.into_iter().skip(1) {
            new.push((
                name,
                match value {
                    NewValue::Node(id) if graph.kind(id) == NodeKind::Location => {
                        NewValue::Node(self.location(graph, id)?)
                    }
                    _ => value,
                },
            ));
        }
        let new = distinct_loop(graph, new);
        changes.edit(attachment.value_range, Replacement::Node(new));
        Ok(())
    }

    fn named(&mut self, changes: &mut Changes<'_, 'a>, named: &NamedMetadata) -> Result<()> {
        let text = changes.graph.module.text;
        let (mut new, mut is_same) = (Vec::new(), true);
        for field in Fields::new(text, named.operands) {
            let Some(old) = changes.graph.meant(field.value, field.range)? else { continue };
            let mapped = self.remap(&mut changes.graph, old)?;
            is_same &= mapped == Some(old);
            new.extend(mapped);
        }
        if !is_same {
            // One edit for each operand keeps the numbers in order; the rest is commas.
            let mut new = new.into_iter();
            let fields: Vec<_> = Fields::new(text, named.operands).collect();
            let mut end = named.operands.start;
            for field in fields {
                match new.next() {
                    Some(id) => {
                        changes.edit(field.range, Replacement::Node(id));
                        end = field.range.end;
                    }
                    None => break,
                }
            }
            if end < named.operands.end {
                changes.remove(crate::TextRange { start: end, end: named.operands.end });
            }
        }
        Ok(())
    }

    /// The location in what its scopes became.
    fn location(&mut self, graph: &mut Graph<'_, 'a>, old: NodeId) -> Result<NodeId> {
        let scope = graph.reference(old, "scope")?;
        let inlined_at = graph.reference(old, "inlinedAt")?;
        let scope = self.remap_optional(graph, scope)?;
        let inlined_at = self.remap_optional(graph, inlined_at)?;
        let fields = location_fields(graph, old, scope, inlined_at)?;
        graph.unique(NewNode { kind: NodeKind::Location, is_distinct: false, fields })
    }

    fn remap_optional(&mut self, graph: &mut Graph<'_, 'a>, node: Option<NodeId>) -> Result<Option<NodeId>> {
        node.map_or(Ok(None), |node| self.remap(graph, node))
    }

    /// What a node becomes once all that it leads to became something.
    fn remap(&mut self, graph: &mut Graph<'_, 'a>, first: NodeId) -> Result<Option<NodeId>> {
        if !self.replacements.contains_key(&first) {
            self.traverse(graph, first)?;
        }
        Ok(self.map(first))
    }

    fn map(&self, id: NodeId) -> Option<NodeId> {
        self.replacements.get(&id).copied().unwrap_or(Some(id))
    }

    fn traverse(&mut self, graph: &mut Graph<'_, 'a>, first: NodeId) -> Result<()> {
        let (mut open, mut opened) = (vec![first], HashSet::new());
        while let Some(id) = open.last().copied() {
            if !opened.insert(id) {
                open.pop();
                self.close(graph, id)?;
                continue;
            }
            let retained = match graph.kind(id) {
                NodeKind::Subprogram => graph.reference(id, "retainedNodes")?,
                _ => None,
            };
            for operand in graph.operands(id)? {
                if !opened.contains(&operand)
                    && !self.replacements.contains_key(&operand)
                    && retained != Some(operand)
                    && graph.kind(operand) != NodeKind::CompileUnit
                {
                    open.push(operand);
                }
            }
        }
        Ok(())
    }

    /// Says what a node becomes, all of whose operands are done or under way.
    fn close(&mut self, graph: &mut Graph<'_, 'a>, id: NodeId) -> Result<()> {
        if self.replacements.contains_key(&id) {
            return Ok(());
        }
        let new = match graph.kind(id) {
            NodeKind::Subprogram => {
                if let Some(unit) = graph.reference(id, "unit")? {
                    self.unit(graph, unit)?;
                }
                Some(self.subprogram(graph, id)?)
            }
            NodeKind::SubroutineType => Some(self.empty_subroutine_type(graph)?),
            // One that no function has goes.
            NodeKind::CompileUnit if is_split(graph, id)? => None,
            NodeKind::CompileUnit => Some(graph.add(line_tables_unit(graph, id)?)),
            NodeKind::File => Some(id),
            NodeKind::LexicalBlock | NodeKind::LexicalBlockFile => {
                graph.reference(id, "scope")?.and_then(|scope| self.map(scope))
            }
            NodeKind::Location => {
                let scope = graph.reference(id, "scope")?.and_then(|scope| self.map(scope));
                let inlined_at = graph.reference(id, "inlinedAt")?.and_then(|at| self.map(at));
                let fields = location_fields(graph, id, scope, inlined_at)?;
                let node = NewNode { kind: NodeKind::Location, is_distinct: graph.is_distinct(id), fields };
                Some(if node.is_distinct { graph.add(node) } else { graph.unique(node)? })
            }
            kind if kind.is_debug_info_node() => None,
            _ => {
                let fields = graph.fields(id)?.into_iter().filter(|(_, value)| *value != NewValue::Null);
                let operands: Vec<_> = fields
                    .map(|(_, value)| match value {
                        NewValue::Node(operand) => self.map(operand).map_or(NewValue::Null, NewValue::Node),
                        _ => value,
                    })
                    .collect();
                Some(graph.tuple(operands)?)
            }
        };
        self.replacements.insert(id, new);
        Ok(())
    }

    /// Says what the unit of a function becomes. LLVM takes a split one from its functions too, and
    /// then refuses these.
    fn unit(&mut self, graph: &mut Graph<'_, 'a>, id: NodeId) -> Result<()> {
        if !self.replacements.contains_key(&id) {
            self.split_units += usize::from(is_split(graph, id)?);
            let unit = graph.add(line_tables_unit(graph, id)?);
            self.replacements.insert(id, Some(unit));
        }
        Ok(())
    }

    fn empty_subroutine_type(&mut self, graph: &mut Graph<'_, 'a>) -> Result<NodeId> {
        if let Some(id) = self.empty_subroutine_type {
            return Ok(id);
        }
        let types = graph.tuple([])?;
        let fields = vec![("types", NewValue::Node(types))];
        let id = graph.unique(NewNode { kind: NodeKind::SubroutineType, is_distinct: false, fields })?;
        self.empty_subroutine_type = Some(id);
        Ok(id)
    }

    /// A function with its file for its scope, and with nothing that only variables and types need.
    fn subprogram(&mut self, graph: &mut Graph<'_, 'a>, old: NodeId) -> Result<NodeId> {
        let old_fields = graph.fields(old)?;
        let file = match old_fields.iter().find(|(name, _)| *name == "file") {
            Some((_, NewValue::Node(file))) => self.map(*file),
            _ => None,
        };
        let text = |field: &str| {
            let found = old_fields.iter().find(|(name, _)| *name == field);
            found.map_or("", |(_, value)| if let NewValue::Text(text) = value { text } else { "" })
        };
        let (name, linkage_name) = (text("name"), text("linkageName"));
        let mut fields = Vec::with_capacity(old_fields.len() + 1);
        for (field, value) in &old_fields {
            match (*field, value) {
                ("linkageName", _) if !matches!(name, "" | "\"\"") => {}
                (
                    "scope" | "templateParams" | "declaration" | "retainedNodes" | "variables"
                    | "thrownTypes" | "annotations" | "targetFuncName",
                    _,
                ) => {}
                (_, NewValue::Node(node)) => match self.map(*node) {
                    Some(new) if *field != "containingType" || graph.kind(new).is_type() => {
                        fields.push((*field, NewValue::Node(new)));
                    }
                    _ => {}
                },
                _ => fields.push((*field, *value)),
            }
        }
        if let Some(file) = file {
            let names = fields.iter().take_while(|(name, _)| matches!(*name, "name" | "linkageName")).count();
            fields.insert(names, ("scope", NewValue::Node(file)));
        }
        let node = NewNode { kind: NodeKind::Subprogram, is_distinct: true, fields };
        if graph.is_distinct(old) {
            return Ok(graph.add(node));
        }
        let new = graph.unique(NewNode { is_distinct: false, ..node.clone() })?;
        match self.linkage_names.get(&new) {
            Some(other) if *other != linkage_name => Ok(graph.add(node)),
            Some(_) => Ok(new),
            None => {
                self.linkage_names.insert(new, linkage_name);
                Ok(new)
            }
        }
    }
}

/// The fields of a location with other scopes.
fn location_fields<'a>(
    graph: &Graph<'_, 'a>,
    old: NodeId,
    scope: Option<NodeId>,
    inlined_at: Option<NodeId>,
) -> Result<Vec<(&'a str, NewValue<'a>)>> {
    let mut fields = Vec::with_capacity(4);
    for (name, value) in graph.fields(old)? {
        let value = match name {
            "scope" => Some(scope.map_or(NewValue::Null, NewValue::Node)),
            "inlinedAt" => inlined_at.map(NewValue::Node),
            "isImplicitCode" => None,
            _ => Some(value),
        };
        fields.extend(value.map(|value| (name, value)));
    }
    Ok(fields)
}
