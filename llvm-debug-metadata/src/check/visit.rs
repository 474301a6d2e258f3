//! Goes from a node to all nodes that it leads to, and checks each once.

use super::rules::RuleId;
use super::verifier::Verifier;
use super::{nodes, unverified};
use crate::limits::MAX_INLINE_DEPTH;
use crate::value::{Field, Fields, Value};
use crate::{IrDialect, Node, NodeKind, Reference};

/// Whether a location may be among the operands of what is visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Locations {
    Allowed,
    NotAllowed,
}

/// Checks a node and all that it leads to, each once.
pub(super) fn visit(verifier: &mut Verifier<'_, '_, '_>, value: Value, locations: Locations) {
    let module = verifier.module;
    let Some(root) = module.reference(value) else { return };
    let mut waiting = vec![(root, 0)];
    while let Some((reference, depth)) = waiting.pop() {
        if let Reference::Numbered(id) = reference {
            match verifier.visited.get_mut(id.0 as usize) {
                Some(visited) if !*visited => *visited = true,
                _ => continue,
            }
        }
        let Some(body) = module.body_of(reference) else { continue };
        let Ok(node) = Node::read(module, body) else { continue };
        if let Some(fault) = nodes::fault(verifier, &node) {
            verifier.report(&fault);
        } else {
            unverified::check(verifier, &node, reference);
            if let (NodeKind::CompileUnit, Reference::Numbered(id)) = (node.kind(), reference) {
                verifier.units.push(id);
            }
        }
        for field in node.fields() {
            if !operand(verifier, &node, *field, locations, depth, &mut waiting) {
                break;
            }
        }
    }
}

/// An operand of a node that is visited; whether LLVM looks at those after it.
fn operand(
    verifier: &mut Verifier<'_, '_, '_>,
    node: &Node<'_, '_>,
    field: Field,
    locations: Locations,
    depth: usize,
    waiting: &mut Vec<(Reference, usize)>,
) -> bool {
    let next = |reference| match reference {
        Reference::Numbered(_) => Some((reference, 0)),
        Reference::Inline(_) => (depth < MAX_INLINE_DEPTH).then_some((reference, depth + 1)),
    };
    let Field { value, range, .. } = field;
    if let Value::Operands(operands) = value {
        for operand in Fields::new(verifier.module.text, operands) {
            waiting.extend(verifier.module.reference(operand.value).and_then(next));
        }
        return true;
    }
    let Some(body) = verifier.body(value) else { return true };
    if body.kind == NodeKind::Location
        && locations == Locations::NotAllowed
        && verifier.dialect == IrDialect::OpaquePointers
    {
        let sentence = "DILocation not allowed within this metadata node";
        let what = if node.kind() == NodeKind::Tuple { "node" } else { node.kind().name() };
        let message = format!("a DILocation stands in a {what}");
        verifier.fail(RuleId::LocationInNode, range, sentence, message);
        return false;
    }
    waiting.extend(verifier.module.reference(value).and_then(next));
    true
}
