//! The result of repairs.

use super::repairs::Repair;

/// The result of [`fix`](super::fix()): the new text and the repairs made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixResult {
    /// The text after the repairs.
    pub text: String,
    /// The repairs that changed the text, each with the number of its edits, in the order of their
    /// first edits.
    pub applied: Vec<(Repair, u32)>,
}
