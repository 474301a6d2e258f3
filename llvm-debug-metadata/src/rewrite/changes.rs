//! What a strip changes in a module.

use super::graph::Graph;
use crate::TextRange;
use crate::module::{Module, NodeId};
use std::collections::HashSet;

/// What a part of the text becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Replacement {
    Nothing,
    /// The number of a node, or the node itself where LLVM gives it no number.
    Node(NodeId),
    /// A number after the sigil that is there: `%x` becomes `%4`.
    Slot(u32),
    Text(Box<str>),
    /// Text with nodes in it.
    Pieces(Box<[Piece]>),
}

/// A part of what is written anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(Box<str>),
    Node(NodeId),
}

/// A part of the text that changes.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    pub(crate) range: TextRange,
    pub(crate) with: Replacement,
}

/// Nodes with commas between them.
pub(crate) fn node_list(nodes: impl IntoIterator<Item = NodeId>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for node in nodes {
        if !pieces.is_empty() {
            pieces.push(Piece::Text(", ".into()));
        }
        pieces.push(Piece::Node(node));
    }
    pieces
}

/// All that changes in a module.
#[derive(Debug)]
pub(crate) struct Changes<'m, 'a> {
    pub(crate) graph: Graph<'m, 'a>,
    pub(crate) edits: Vec<Edit>,
    /// Indices of items that go.
    pub(crate) removed_items: HashSet<usize>,
    /// Indices of the items that define types, in the order in which they are written; empty where
    /// it is that of the text.
    pub(crate) types: Vec<usize>,
    /// Named metadata that follows that of the module, with its operands.
    pub(crate) named: Vec<(&'static str, Vec<NodeId>)>,
}

impl<'m, 'a> Changes<'m, 'a> {
    pub(crate) fn new(module: &'m Module<'a>) -> Self {
        Self {
            graph: Graph::new(module),
            edits: Vec::new(),
            removed_items: HashSet::new(),
            types: Vec::new(),
            named: Vec::new(),
        }
    }

    /// Whether nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.removed_items.is_empty() && !self.graph.has_replaced()
    }

    pub(crate) fn edit(&mut self, range: TextRange, with: Replacement) {
        self.edits.push(Edit { range, with });
    }

    pub(crate) fn remove(&mut self, range: TextRange) {
        self.edit(range, Replacement::Nothing);
    }

    /// Adds nodes to the named metadata `name`, which the module may have or not.
    pub(crate) fn add_to_named(&mut self, name: &'static str, nodes: Vec<NodeId>) {
        let module = self.graph.module;
        let Some(named) = module.named_metadata(name) else {
            self.named.push((name, nodes));
            return;
        };
        let is_empty = named.operands.slice(module.text).trim().is_empty();
        let comma = (!is_empty).then(|| Piece::Text(", ".into()));
        let pieces = comma.into_iter().chain(node_list(nodes)).collect();
        let end = TextRange { start: named.operands.end, end: named.operands.end };
        self.edit(end, Replacement::Pieces(pieces));
    }

    /// The edits that begin in a part of the text, once they are sorted.
    pub(crate) fn edits_in(&self, range: TextRange) -> &[Edit] {
        let start = self.edits.partition_point(|edit| edit.range.start < range.start);
        let rest = self.edits.get(start..).unwrap_or_default();
        &rest[..rest.partition_point(|edit| edit.range.start < range.end)]
    }
}
