//! The numbers that LLVM gives to nodes and to groups of attributes when it prints a module.

use super::graph::Graph;
use crate::Result;
use crate::module::NodeId;
use std::collections::HashMap;

/// Numbers of nodes: a node gets its number where it is first met, and after it its operands, each
/// with its own operands.
#[derive(Debug, Default)]
pub(crate) struct NodeNumbers {
    /// By index; `u32::MAX` for a node without a number.
    numbers: Vec<u32>,
    /// Nodes in the order of their numbers.
    pub(crate) order: Vec<NodeId>,
}

impl NodeNumbers {
    pub(crate) fn new(graph: &Graph<'_, '_>) -> Self {
        Self { numbers: vec![u32::MAX; graph.len()], order: Vec::new() }
    }

    /// The number of a node, which has one.
    pub(crate) fn get(&self, id: NodeId) -> u32 {
        self.numbers.get(id.0 as usize).copied().unwrap_or(u32::MAX)
    }

    /// Gives numbers to a node and to all that it leads to.
    pub(crate) fn visit(&mut self, graph: &Graph<'_, '_>, first: NodeId) -> Result<()> {
        if self.get(first) != u32::MAX {
            return Ok(());
        }
        let mut open = vec![first];
        while let Some(id) = open.pop() {
            let Some(number) = self.numbers.get_mut(id.0 as usize) else { continue };
            if *number != u32::MAX || graph.kind(id).is_always_inline() {
                continue;
            }
            *number = self.order.len() as u32;
            self.order.push(id);
            open.extend(graph.operands(id)?.into_iter().rev());
        }
        Ok(())
    }
}

/// Numbers of groups of attributes, in the order in which they are first used.
#[derive(Debug, Default)]
pub(crate) struct GroupNumbers {
    numbers: HashMap<u32, u32>,
    /// Old numbers in the order of the new ones.
    pub(crate) order: Vec<u32>,
}

impl GroupNumbers {
    /// The new number of a group.
    pub(crate) fn number(&mut self, old: u32) -> u32 {
        *self.numbers.entry(old).or_insert_with(|| {
            self.order.push(old);
            self.order.len() as u32 - 1
        })
    }
}
