//! Nodes that say the same as another one.

use crate::module::{Module, NodeId};
use crate::value::Fields;
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::hash::BuildHasher;

/// For each node that is not distinct and says the same as one before it, that one: both have the
/// same kind, and the same fields with the same values. LLVM makes one node of the two when it
/// reads them.
pub fn equal_nodes(module: &Module<'_>) -> HashMap<NodeId, NodeId> {
    let hasher = RandomState::default();
    let mut first: HashMap<u64, Vec<NodeId>> = HashMap::new();
    let mut equal = HashMap::new();
    for (index, definition) in module.nodes().iter().enumerate() {
        if definition.body.is_distinct {
            continue;
        }
        let id = NodeId(index as u32);
        let words = words(module, id);
        let others = first.entry(hasher.hash_one(&words)).or_default();
        match others.iter().find(|other| self::words(module, **other) == words) {
            Some(other) => _ = equal.insert(id, *other),
            None => others.push(id),
        }
    }
    equal
}

/// The kind, names and values of a node, without blanks and comments between them.
fn words<'a>(module: &Module<'a>, id: NodeId) -> Vec<&'a str> {
    let Some(definition) = module.node(id) else { return Vec::new() };
    let (text, body) = (module.text, definition.body);
    let mut words = vec![body.range.slice(text).split(['(', '{']).next().unwrap_or_default().trim()];
    for field in Fields::new(text, body.content) {
        words.push(field.name.map(|name| name.slice(text)).unwrap_or_default());
        words.push(field.range.slice(text));
    }
    words
}
