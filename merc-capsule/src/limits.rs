//! Limits on the work that a file may demand, since files may be hostile.

/// Steps to place the rows of a function among its instructions, for each row and instruction: each
/// step tries one row for one run of instructions. Functions of compilers take a few for each.
///
/// It is not made a `WorkBudget` of dwarf2-reader: that gives 2^20 steps to the smallest input,
/// here to each function, of which a file may have many.
pub(crate) const PLACEMENT_STEPS: usize = 64;
