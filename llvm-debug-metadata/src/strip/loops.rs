//! Identities of loops without the locations that they hold.

use crate::module::NodeId;
use crate::rewrite::{Graph, NewNode, NewValue};
use crate::{NodeKind, Result};
use std::collections::{HashMap, HashSet};

/// What a node below the identity of a loop becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WithoutLocations {
    /// It stays, since no location is below it.
    Same,
    /// It goes. `is_only_locations`: there was nothing else in it.
    Gone {
        is_only_locations: bool,
    },
    New(NodeId),
}

/// The identity of a loop without locations: the same one where it has none, and nothing where it
/// has nothing else.
pub(super) fn strip_locations(graph: &mut Graph<'_, '_>, identity: NodeId) -> Result<Option<NodeId>> {
    let mut found: HashMap<NodeId, WithoutLocations> = HashMap::new();
    for id in below(graph, identity)? {
        let without = without_locations(graph, id, &found)?;
        found.insert(id, without);
    }
    let fields = graph.fields(identity)?;
    let result = |value: &NewValue<'_>| match value {
        NewValue::Node(id) => found.get(id).copied().unwrap_or(WithoutLocations::Same),
        _ => WithoutLocations::Same,
    };
    let rest = fields.get(1..).unwrap_or_default();
    if rest.iter().all(|(_, value)| result(value) == WithoutLocations::Same) {
        return Ok(Some(identity));
    }
    let gone = WithoutLocations::Gone { is_only_locations: true };
    if rest.iter().all(|(_, value)| result(value) == gone) {
        return Ok(None);
    }
    let mut new = vec![("", NewValue::Null)];
    for (name, value) in rest {
        match result(value) {
            WithoutLocations::Same => new.push((*name, *value)),
            WithoutLocations::New(id) => new.push((*name, NewValue::Node(id))),
            WithoutLocations::Gone { .. } => {}
        }
    }
    Ok(Some(distinct_loop(graph, new)))
}

/// A new identity of a loop; the first operand becomes itself.
pub(super) fn distinct_loop<'a>(graph: &mut Graph<'_, 'a>, fields: Vec<(&'a str, NewValue<'a>)>) -> NodeId {
    let id = graph.add(NewNode { kind: NodeKind::Tuple, is_distinct: true, fields });
    graph.refer_to_itself(id);
    id
}

/// The nodes below one, each after its operands; what is below a location is not looked at.
fn below(graph: &Graph<'_, '_>, top: NodeId) -> Result<Vec<NodeId>> {
    let (mut order, mut seen) = (Vec::new(), HashSet::new());
    let mut open = vec![(top, false)];
    while let Some((id, is_done)) = open.pop() {
        if is_done {
            order.push(id);
            continue;
        }
        // One that waits below others may be an operand of those too, and comes before them then.
        if !seen.insert(id) {
            continue;
        }
        open.push((id, true));
        if graph.kind(id) != NodeKind::Location {
            let operands = graph.operands(id)?;
            open.extend(operands.into_iter().filter(|id| !seen.contains(id)).map(|id| (id, false)));
        }
    }
    order.pop();
    Ok(order)
}

fn without_locations(
    graph: &mut Graph<'_, '_>,
    id: NodeId,
    found: &HashMap<NodeId, WithoutLocations>,
) -> Result<WithoutLocations> {
    if graph.kind(id) == NodeKind::Location {
        return Ok(WithoutLocations::Gone { is_only_locations: true });
    }
    let (mut new, mut is_same, mut is_only_locations, mut is_own) = (Vec::new(), true, true, false);
    for (name, value) in graph.fields(id)? {
        let result = match value {
            NewValue::Node(operand) if operand == id => {
                is_own = true;
                new.push((name, NewValue::Null));
                continue;
            }
            NewValue::Node(operand) => found.get(&operand).copied().unwrap_or(WithoutLocations::Same),
            _ => WithoutLocations::Same,
        };
        is_same &= result == WithoutLocations::Same;
        is_only_locations &= result == WithoutLocations::Gone { is_only_locations: true };
        match result {
            WithoutLocations::Same => new.push((name, value)),
            WithoutLocations::New(node) => new.push((name, NewValue::Node(node))),
            WithoutLocations::Gone { .. } => {}
        }
    }
    Ok(if is_same {
        WithoutLocations::Same
    } else if new.is_empty() || is_own && new.len() == 1 {
        WithoutLocations::Gone { is_only_locations }
    } else if is_own {
        WithoutLocations::New(distinct_loop(graph, new))
    } else if graph.is_distinct(id) {
        WithoutLocations::New(graph.add(NewNode { kind: graph.kind(id), is_distinct: true, fields: new }))
    } else {
        let kind = graph.kind(id);
        WithoutLocations::New(graph.unique(NewNode { kind, is_distinct: false, fields: new })?)
    })
}
