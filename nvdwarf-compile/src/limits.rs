//! Bounds on the work that a PTX or a cubin may ask for: both come from strangers.
//!
//! All else is bounded by the size of the two: the parser and the readers of sections have limits of their own, and what is made
//! grows with what they give.

/// Most entries of `.debug_info` that are asked for the name of a function: a declaration may stand behind the definition. A chain that
/// goes on is none of a compiler's, and may be a circle.
pub(crate) const MAX_ORIGINS: usize = 4;
