//! Changes to a module, and the text that they give, with numbers as LLVM prints them.

mod changes;
mod graph;
mod numbers;
mod writer;

pub(crate) use changes::{Changes, Piece, Replacement, node_list};
pub(crate) use graph::{Graph, NewNode, NewValue};
pub(crate) use writer::write;
