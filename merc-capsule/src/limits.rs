//! Limits on the work that a file may demand, since files may be hostile.

/// Steps to place the rows of a function among its instructions, for each row and instruction: each
/// step tries one row for one run of instructions. Functions of compilers take a few for each.
///
/// This is not a `WorkBudget` of dwarf2-reader: that gives 2^20 steps to the smallest input. Each
/// function would get as many, and a file may have many functions.
pub(crate) const PLACEMENT_STEPS: usize = 64;
