//! Writes the text of a module with changes.

use super::changes::{Changes, Edit, Piece, Replacement};
use super::numbers::{GroupNumbers, NodeNumbers};
use crate::lexer::{Lexer, Token, TokenKind, line_end};
use crate::module::{Item, ItemKind, NodeId};
use crate::{Result, TextRange};
use std::collections::HashMap;
use std::fmt::Write;

/// What is written once all numbers are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Table {
    Groups,
    /// Named metadata that follows that of the module.
    Named,
    Nodes,
}

/// The text with all changes. Nodes and groups of attributes get the numbers that LLVM would give
/// them, and those that nothing uses any more are left out.
pub(crate) fn write(mut changes: Changes<'_, '_>) -> Result<String> {
    changes.edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    Writer::new(&changes).write()
}

/// Writes a module once, from its start to its end.
struct Writer<'c, 'm, 'a> {
    changes: &'c Changes<'m, 'a>,
    text: &'a str,
    out: String,
    /// What of the text is written or left out.
    pos: usize,
    next_edit: usize,
    nodes: NodeNumbers,
    groups: GroupNumbers,
    /// Tables and where in `out` they belong.
    tables: Vec<(usize, Table)>,
    has_types: bool,
    /// Whether the last thing was left out.
    is_after_removal: bool,
}

impl<'c, 'm, 'a> Writer<'c, 'm, 'a> {
    fn new(changes: &'c Changes<'m, 'a>) -> Self {
        let text = changes.graph.module.text;
        Self {
            changes,
            text,
            out: String::with_capacity(text.len()),
            pos: 0,
            next_edit: 0,
            nodes: NodeNumbers::new(&changes.graph),
            groups: GroupNumbers::default(),
            tables: Vec::new(),
            has_types: false,
            is_after_removal: false,
        }
    }

    fn write(mut self) -> Result<String> {
        self.number_globals()?;
        let module = self.changes.graph.module;
        let (mut items, mut nodes) =
            (module.items().iter().enumerate().peekable(), module.nodes().iter().peekable());
        let is_named = |item: &Item| matches!(item.kind, ItemKind::NamedMetadata(_));
        let last_named = module.items().iter().rposition(is_named);
        loop {
            let node_start = nodes.peek().map_or(u32::MAX, |node| node.range.start);
            if let Some((index, item)) = items.next_if(|(_, item)| item.range.start < node_start) {
                self.item(index, item)?;
                if last_named == Some(index) {
                    self.table(Table::Named);
                }
            } else if let Some(node) = nodes.next() {
                self.gap(node.range.start as usize);
                if last_named.is_none() {
                    self.table(Table::Named);
                }
                self.table(Table::Nodes);
                self.pos = line_end(self.text, node.range.end as usize);
                self.after_removal();
            } else {
                break;
            }
        }
        self.gap(self.text.len());
        if self.is_after_removal && self.out.ends_with("\n\n") && !self.is_table_last() {
            self.out.pop();
        }
        // Those that have no place yet come last.
        self.table(Table::Named);
        self.table(Table::Nodes);
        self.assemble()
    }

    fn is_table_last(&self) -> bool {
        self.tables.last().is_some_and(|(at, _)| *at == self.out.len())
    }

    /// Gives numbers to what variables and named metadata mean, and to groups of functions: LLVM
    /// does that before it looks into functions.
    fn number_globals(&mut self) -> Result<()> {
        let items = self.changes.graph.module.items();
        let kept = items.iter().enumerate().filter(|(index, _)| !self.changes.removed_items.contains(index));
        let kept: Vec<&Item> = kept.map(|(_, item)| item).collect();
        for item in &kept {
            if matches!(item.kind, ItemKind::Variable(_)) {
                self.number(item.range)?;
            }
        }
        for item in &kept {
            if let ItemKind::NamedMetadata(named) = item.kind {
                self.number(named.operands)?;
            }
        }
        for id in self.changes.named.iter().flat_map(|(_, operands)| operands) {
            self.nodes.visit(&self.changes.graph, *id)?;
        }
        for item in &kept {
            if let ItemKind::Function(function) = item.kind {
                let tokens = Lexer::in_range(self.text, function.header);
                for token in tokens.filter(|token| token.kind == TokenKind::AttributeGroup) {
                    token.number(self.text).map(|old| self.groups.number(old));
                }
            }
        }
        Ok(())
    }

    /// Gives numbers to all that a part of the text means with its changes.
    fn number(&mut self, range: TextRange) -> Result<()> {
        let changes = self.changes;
        let mut edits = changes.edits_in(TextRange { end: range.end + 1, ..range });
        let mut end = 0;
        for token in Lexer::in_range(self.text, range) {
            while let Some((edit, rest)) =
                edits.split_first().filter(|(edit, _)| edit.range.start <= token.range.start)
            {
                self.number_edit(edit)?;
                end = edit.range.end;
                edits = rest;
            }
            if token.range.start < end {
                continue;
            }
            match token.kind {
                TokenKind::MetadataNumber => {
                    let id = self.meant(token)?;
                    self.nodes.visit(&changes.graph, id)?;
                }
                TokenKind::AttributeGroup => {
                    token.number(self.text).map(|old| self.groups.number(old));
                }
                _ => {}
            }
        }
        edits.iter().try_for_each(|edit| self.number_edit(edit))
    }

    /// Gives numbers to what an edit means.
    fn number_edit(&mut self, edit: &Edit) -> Result<()> {
        let graph = &self.changes.graph;
        match &edit.with {
            Replacement::Node(id) => self.nodes.visit(graph, *id),
            Replacement::Pieces(pieces) => pieces.iter().try_for_each(|piece| match piece {
                Piece::Node(id) => self.nodes.visit(graph, *id),
                Piece::Text(_) => Ok(()),
            }),
            Replacement::Nothing | Replacement::Slot(_) | Replacement::Text(_) => Ok(()),
        }
    }

    fn meant(&self, token: Token) -> Result<NodeId> {
        self.changes.graph.meant_by(token, self.text, token.range)
    }

    fn item(&mut self, index: usize, item: &Item) -> Result<()> {
        if self.changes.removed_items.contains(&index) {
            let start = self.comment_start(item.range.start as usize);
            self.gap(start);
            self.pos = line_end(self.text, item.range.end as usize);
            // Changes inside it are void.
            let edits = &self.changes.edits;
            self.next_edit =
                edits.partition_point(|edit| edit.range.start < item.range.end).max(self.next_edit);
            self.after_removal();
            return Ok(());
        }
        self.gap(item.range.start as usize);
        match item.kind {
            ItemKind::AttributeGroup { .. } => {
                self.table(Table::Groups);
                self.pos = line_end(self.text, item.range.end as usize);
                self.after_removal();
                Ok(())
            }
            ItemKind::Type { .. } if !self.changes.types.is_empty() => {
                if !std::mem::replace(&mut self.has_types, true) {
                    self.types()?;
                }
                self.pos = line_end(self.text, item.range.end as usize);
                self.after_removal();
                Ok(())
            }
            _ => self.copy(item.range),
        }
    }

    /// Writes all types in their new order.
    fn types(&mut self) -> Result<()> {
        for index in &self.changes.types {
            let range = self.changes.graph.module.items()[*index].range;
            self.pos = range.start as usize;
            let edits = &self.changes.edits;
            self.next_edit = edits.partition_point(|edit| edit.range.start < range.start);
            self.copy(range)?;
            self.out.push('\n');
        }
        Ok(())
    }

    /// Where the comments begin that stand directly before an item and say something of it.
    fn comment_start(&self, mut start: usize) -> usize {
        while let Some(before) = self.text.get(self.pos..start).and_then(|before| before.strip_suffix('\n')) {
            let line = before.rfind('\n').map_or(0, |at| at + 1);
            if !before[line..].starts_with(';') {
                break;
            }
            start = self.pos + line;
        }
        start
    }

    /// Copies what is between items: blanks and comments.
    fn gap(&mut self, end: usize) {
        let mut gap = self.text.get(self.pos..end).unwrap_or_default();
        // Two blank lines would follow each other where something between them went.
        if self.is_after_removal && !self.is_table_last() && self.out.ends_with("\n\n") {
            gap = gap.strip_prefix('\n').unwrap_or(gap);
        }
        if !gap.is_empty() {
            self.is_after_removal = false;
        }
        self.out.push_str(gap);
        self.pos = self.pos.max(end);
    }

    /// Leaves the line break out that followed what was left out.
    fn after_removal(&mut self) {
        let rest = self.text.get(self.pos..).unwrap_or_default();
        let rest = rest.strip_prefix('\r').unwrap_or(rest);
        self.pos = self.text.len() - rest.strip_prefix('\n').unwrap_or(rest).len();
        self.is_after_removal = true;
    }

    fn table(&mut self, table: Table) {
        if !self.tables.iter().any(|(_, other)| *other == table) {
            self.tables.push((self.out.len(), table));
        }
    }

    fn copy_until(&mut self, end: usize) {
        self.out.push_str(self.text.get(self.pos..end).unwrap_or_default());
        self.pos = self.pos.max(end);
    }

    /// Copies an item with its changes.
    fn copy(&mut self, range: TextRange) -> Result<()> {
        self.is_after_removal = false;
        for token in Lexer::in_range(self.text, range) {
            let start = token.range.start;
            while let Some(edit) =
                self.changes.edits.get(self.next_edit).filter(|edit| edit.range.start <= start)
            {
                self.next_edit += 1;
                self.apply(edit)?;
            }
            if (start as usize) < self.pos {
                continue;
            }
            match token.kind {
                TokenKind::MetadataNumber => {
                    let id = self.meant(token)?;
                    self.copy_until(start as usize);
                    self.node(id)?;
                }
                TokenKind::AttributeGroup => {
                    let Some(old) = token.number(self.text) else { continue };
                    self.copy_until(start as usize);
                    let _ = write!(self.out, "#{}", self.groups.number(old));
                }
                _ => continue,
            }
            self.pos = token.range.end as usize;
        }
        // What is added at its end.
        while let Some(edit) =
            self.changes.edits.get(self.next_edit).filter(|edit| edit.range.start <= range.end)
        {
            self.next_edit += 1;
            self.apply(edit)?;
        }
        self.copy_until(range.end as usize);
        Ok(())
    }

    fn apply(&mut self, edit: &Edit) -> Result<()> {
        let (start, end) = (edit.range.start as usize, edit.range.end as usize);
        // One inside another is void.
        if start < self.pos {
            return Ok(());
        }
        self.copy_until(start);
        match &edit.with {
            Replacement::Nothing => {}
            Replacement::Node(id) => self.node(*id)?,
            Replacement::Slot(number) => {
                let sigil = self.text.as_bytes().get(start).copied().unwrap_or(b'%');
                let _ = write!(self.out, "{}{number}", char::from(sigil));
            }
            Replacement::Text(text) => self.out.push_str(text),
            Replacement::Pieces(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => self.out.push_str(text),
                        Piece::Node(id) => self.node(*id)?,
                    }
                }
            }
        }
        self.pos = end;
        Ok(())
    }

    /// Writes what stands for a node, which gets a number if it has none.
    fn node(&mut self, id: NodeId) -> Result<()> {
        self.nodes.visit(&self.changes.graph, id)?;
        write_reference(self.changes, &self.nodes, &mut self.out, id);
        Ok(())
    }

    /// Puts the tables into their places.
    fn assemble(self) -> Result<String> {
        let Self { changes, text, out, nodes, groups, tables, .. } = self;
        let mut whole = String::with_capacity(out.len() + out.len() / 4);
        let mut from = 0;
        for (at, table) in tables {
            whole.push_str(&out[from..at]);
            from = at;
            let before = whole.len();
            // Without nodes in the text before them they have no blank line yet.
            if table == Table::Nodes
                && !nodes.order.is_empty()
                && !whole.is_empty()
                && !whole.ends_with("\n\n")
            {
                whole.push('\n');
            }
            match table {
                Table::Nodes => write_nodes(changes, &nodes, &mut whole)?,
                Table::Groups => write_groups(changes, &groups, text, &mut whole),
                Table::Named => write_named(changes, &nodes, &mut whole),
            }
            // No rows: then the blank line before them goes as well.
            if whole.len() == before
                && whole.ends_with("\n\n")
                && (from == out.len() || out[from..].starts_with('\n'))
            {
                whole.pop();
            }
        }
        whole.push_str(&out[from..]);
        Ok(whole)
    }
}

/// Writes the number of a node, or all of a node that LLVM gives no number.
fn write_reference(changes: &Changes<'_, '_>, nodes: &NodeNumbers, out: &mut String, id: NodeId) {
    match changes.graph.body(id).filter(|body| body.kind.is_always_inline()) {
        Some(body) => out.push_str(body.range.slice(changes.graph.module.text)),
        None => {
            let _ = write!(out, "!{}", nodes.get(id));
        }
    }
}

fn write_nodes(changes: &Changes<'_, '_>, nodes: &NodeNumbers, out: &mut String) -> Result<()> {
    let graph = &changes.graph;
    let mut write_node = |out: &mut String, id| write_reference(changes, nodes, out, id);
    let mut write_text = |out: &mut String, part: &str| {
        let mut pos = 0;
        for token in Lexer::new(part).filter(|token| token.kind == TokenKind::MetadataNumber) {
            let id = graph.meant_by(token, part, TextRange::default())?;
            out.push_str(&part[pos..token.range.start as usize]);
            write_reference(changes, nodes, out, id);
            pos = token.range.end as usize;
        }
        out.push_str(&part[pos..]);
        Ok(())
    };
    for (number, id) in nodes.order.iter().enumerate() {
        let _ = write!(out, "!{number} = ");
        match graph.body(*id).filter(|body| !changes.edits_in(body.range).is_empty()) {
            Some(body) => {
                let mut pos = body.range.start;
                for edit in changes.edits_in(body.range) {
                    write_text(
                        out,
                        TextRange { start: pos, end: edit.range.start }.slice(graph.module.text),
                    )?;
                    if let Replacement::Slot(slot) = edit.with {
                        let _ = write!(out, "@{slot}");
                    }
                    pos = edit.range.end;
                }
                write_text(out, TextRange { start: pos, end: body.range.end }.slice(graph.module.text))?;
            }
            None => graph.write(*id, out, &mut write_node, &mut write_text)?,
        }
        out.push('\n');
    }
    Ok(())
}

/// Writes new named metadata: after a line of other named metadata that has no end yet, or after
/// other lines, with a blank one between.
fn write_named(changes: &Changes<'_, '_>, nodes: &NodeNumbers, out: &mut String) {
    let is_open = !out.is_empty() && !out.ends_with('\n');
    if !is_open && !changes.named.is_empty() && !out.ends_with("\n\n") {
        out.push('\n');
    }
    for (name, operands) in &changes.named {
        let operands: Vec<String> = operands.iter().map(|id| format!("!{}", nodes.get(*id))).collect();
        let line = format!("!{name} = !{{{}}}", operands.join(", "));
        out.extend(if is_open { ["\n", &line] } else { [&line, "\n"] });
    }
    // The nodes that follow lost their blank line to this one.
    if !is_open && !changes.named.is_empty() {
        out.push('\n');
    }
}

fn write_groups(changes: &Changes<'_, '_>, groups: &GroupNumbers, text: &str, out: &mut String) {
    let items = changes.graph.module.items().iter();
    let defined: HashMap<u32, TextRange> = items
        .filter_map(|item| match item.kind {
            ItemKind::AttributeGroup { number } => Some((number, item.range)),
            _ => None,
        })
        .collect();
    for (number, old) in groups.order.iter().enumerate() {
        let rest = defined.get(old).and_then(|range| range.slice(text).split_once('='));
        if let Some((_, rest)) = rest {
            let _ = writeln!(out, "attributes #{number} ={rest}");
        }
    }
}
