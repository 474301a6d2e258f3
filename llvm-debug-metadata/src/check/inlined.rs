//! Which subprograms were inlined.

use super::debug_attachment::is_debug;
use super::scopes::{Lead, Scopes};
use crate::module::{Module, NodeId};
use crate::statement::Statements;
use crate::{Node, NodeKind, Reference};
use std::collections::{BTreeSet, HashSet};

/// The subprograms of locations that were inlined, in the order of the text.
pub(crate) fn inlined_subprograms(module: &Module<'_>) -> BTreeSet<NodeId> {
    let mut scopes = Scopes::new(module);
    let mut seen = HashSet::new();
    let mut found = BTreeSet::new();
    for body in module.functions().filter_map(|function| function.body) {
        let mut statements = Statements::new(module.text, body);
        while let Some(statement) = statements.next_statement() {
            let attachment = statement.attachments().find(|attachment| is_debug(module.text, attachment));
            let mut location = attachment.and_then(|attachment| module.reference(attachment.value));
            // Each location of an inlined call leads to the next one, up to one that was seen.
            while let Some(Reference::Numbered(id)) = location.filter(|location| match location {
                Reference::Numbered(id) => seen.insert(*id),
                Reference::Inline(_) => false,
            }) {
                let Ok(node) = Node::of(module, id) else { break };
                let call_site = node.reference("inlinedAt");
                if node.kind() != NodeKind::Location || call_site.is_none() {
                    break;
                }
                if let Lead::To(subprogram) = scopes.subprogram_of(&node) {
                    found.insert(subprogram);
                }
                location = call_site;
            }
        }
    }
    found
}
