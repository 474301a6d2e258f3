//! Limits on the work that a PTX or a cubin may demand, since both may be hostile.
//!
//! All else is bounded by the size of the two: the parser and the readers of sections have limits
//! of their own, and what is made grows with what they give.
//!
//! Those named as steps are factors of a [`WorkBudget`](dwarf2_reader::WorkBudget): they count for
//! each byte of the input, and any input has 2^20.

/// The most entries of `.debug_info` that are searched for the name of a function: a definition may
/// refer to a declaration. A longer chain is not a compiler's, and may be a cycle.
pub(crate) const MAX_ORIGINS: usize = 4;

/// The steps to find the code of entries that are kept: over the instructions of each block, and
/// down the inlined calls of each row and of each entry. Compilers nest few blocks and calls; n of
/// them would need n^2 steps. No PTX of the corpus needs more than 0.12 for each byte.
pub(crate) const KEEP_STEPS: u64 = 8;
