//! Bounds on what is read.

/// Most bytes of a text, since a [`TextRange`](crate::TextRange) has 32-bit offsets.
pub const MAX_TEXT: usize = u32::MAX as usize;

/// Most syntax errors that are kept of a text: more say nothing new.
pub const MAX_ERRORS: usize = 1000;

/// Deepest nesting of a type whose size is asked for: compilers stay below 50.
pub const MAX_TYPE_DEPTH: usize = 500;

/// Adaptors in adaptors in a pipeline of passes.
pub const MAX_PIPELINE_DEPTH: usize = 64;

/// Passes in a pipeline.
pub const MAX_PIPELINE_PASSES: usize = 1 << 16;

/// Deepest nesting of nodes that are written in each other and that are checked: LLVM prints two.
pub const MAX_INLINE_DEPTH: usize = 64;
