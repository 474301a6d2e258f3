//! How one line unit refers to names of inlined functions.

use nv_debug_sections::line::{LineOp, LineTable};

/// The offsets by which one line unit refers to names of inlined functions in `.debug_str`, and the
/// base that is added to them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitNames {
    /// The field `debug_str_base` of the unit's header; `None` if the header has none.
    pub base: Option<u32>,
    /// The offsets of callees' names that the unit's inlined rows have, ascending. From them the
    /// field `debug_str_base` is recovered where nvlink lost it; an empty list turns that off.
    pub used: Vec<u64>,
}

impl UnitNames {
    /// Collects the offsets in `.debug_str` of the names of inlined functions that a unit of
    /// `.debug_line` refers to.
    pub fn of(table: &LineTable<'_>) -> Self {
        let ops = table.sequences.iter().flat_map(|sequence| &sequence.ops);
        let mut used: Vec<u64> = ops
            .filter_map(|op| match *op {
                LineOp::InlinedCall { context: 1.., name } | LineOp::SetFunctionName(name) => Some(name),
                _ => None,
            })
            .collect();
        used.sort_unstable();
        used.dedup();
        Self { base: table.debug_str_base, used }
    }
}
