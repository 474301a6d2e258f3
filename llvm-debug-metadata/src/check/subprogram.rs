//! What a subprogram says of itself.

use crate::{Node, NodeKind};

/// LLVM's bit of a definition among `spFlags`.
const DEFINITION: u64 = 8;

/// Whether a subprogram is a definition. It is one too where nothing is said.
pub(crate) fn is_definition(subprogram: &Node<'_, '_>) -> bool {
    subprogram.kind() == NodeKind::Subprogram
        && if subprogram.field("spFlags").is_some() {
            subprogram.word("spFlags").split('|').map(str::trim).any(|flag| {
                flag == "DISPFlagDefinition" || flag.parse::<u64>().is_ok_and(|bits| bits & DEFINITION != 0)
            })
        } else {
            subprogram.field("isDefinition").is_none() || subprogram.boolean("isDefinition")
        }
}

/// Whether a node has this flag among `flags`.
pub(super) fn has_flag(node: &Node<'_, '_>, name: &str) -> bool {
    node.word("flags").split('|').any(|flag| flag.trim() == name)
}
